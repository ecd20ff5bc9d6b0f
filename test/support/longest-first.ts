import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The end-to-end files that go on for weeks of a house, through every fault or every rule, or with many stations and
 * scrapers: most of them half a minute and more, on two cores. `npm test` leaves them out;
 * `npm run check` and `.ci/run` do not.
 */
export const LONG: readonly string[] = [
  'test/e2e/fault-matrix/matrix.test.ts',
  'test/e2e/fault-matrix/stations.test.ts',
  'test/e2e/energy-counters/weeks.test.ts',
  'test/e2e/fault-matrix/types.test.ts',
  'test/e2e/fault-matrix/vanishing.test.ts',
  'test/e2e/frugal-day.test.ts',
];

/**
 * The files that take longest, longest first, as measured on two cores. Begun last, as Vitest does with small
 * files that it does not know yet, one of them would leave a core idle for most of its time.
 */
const LONGEST: readonly string[] = [
  ...LONG,
  'test/programs/kill.test.ts',
  'test/doors/history.test.ts',
  'test/e2e/grafana/prometheus.test.ts',
  'test/e2e/lifecycle/restarts.test.ts',
  'test/e2e/lifecycle/sessions.test.ts',
  'test/e2e/families.test.ts',
  'test/e2e/energy-counters/kills.test.ts',
];

/** Runs {@link LONGEST} before all other files, which keep the order that Vitest gives them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONGEST.indexOf(relative(root, moduleId));
      return rank === -1 ? LONGEST.length : rank;
    };
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}
