import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { READING_METRICS } from '../../src/collectors/reading-metrics.ts';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../src/client/devices/device-samples.ts';
import { decodeTimeSeries } from '../../src/client/devices/time-series.ts';
import { rulesOf } from '../../src/client/dialects/dialect-file.ts';
import type { FieldSample } from '../../src/client/dialects/field-sample.ts';
import { decodeAnswer } from '../../src/client/dialects/decoded-answer.ts';
import { RULES, RuleSet } from '../../src/client/dialects/rule-set.ts';
import { describeDevice } from '../../src/client/devices/device-profile.ts';
import { UNIT_NAMES } from '../../src/client/dialects/unit.ts';
import { openEnvelope } from '../../src/client/exchange/envelope.ts';
import { readingsAt } from '../../src/model/readings.ts';
import { reportOf } from '../support/device-report.ts';
import { answerIn, anyRecording } from './fixtures.ts';
import { edited, edits } from './mutations.ts';
import { readOrRefused } from './refusals.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

const PATH = '/apis/path';
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

type Place = 'history' | 'latest' | 'flow' | 'catalogue';
const DECODERS: Readonly<Record<Place, (data: unknown) => readonly FieldSample[]>> = {
  history: (data) => decodeTimeSeries(data, PATH),
  latest: (data) => decodeLatestState(data, PATH).samples,
  flow: (data) => decodeEnergyFlow(data, PATH),
  catalogue: (data) => decodeCatalogue(data, PATH),
};

const USER_RULES = new RuleSet(
  rulesOf({
    file: { path: 'dialect.yaml' },
    entries: [
      { key: 'pvInputPower', quantity: 'grid_power', unit: 'kW', sign: 'import', part: 'a' },
      { key: 'batterySOC', quantity: 'battery_soc', unit: '%' },
      { key: 'value', quantity: 'working_mode', model: 'value' },
    ],
  }),
);

/** Every series that a page shows of one device's answer. */
function seriesOf(samples: readonly FieldSample[], rules: RuleSet) {
  const { family } = describeDevice(samples, 'value', false, rules);
  const { measurements } = decodeAnswer(
    samples,
    { source: 'latest', family, model: 'value' },
    rules,
  );
  // As old as may be: nothing is hidden for its age.
  const readings = readingsAt(reportOf({}, { measurements }), NOW_MS, Number.MAX_VALUE);
  return READING_METRICS.flatMap(({ name, read }) =>
    read(readings).map((point) => ({ name, ...point })),
  );
}

describe('whatever a device of any family answers', { timeout: FUZZ_TIMEOUT_MS }, () => {
  const devices = anyRecording('family-', 'flow-', 'latest-', 'readings-', 'attributes-');
  const places = fc.constantFrom<Place>('history', 'latest', 'flow', 'catalogue');
  const ruleSets = fc.constantFrom(new RuleSet(), USER_RULES);

  test('no series is infinite or no number, no share is beyond its bounds, no label is long', () => {
    holds(
      fc.property(devices, edits, places, ruleSets, (file, changes, place, rules) => {
        const read = () =>
          DECODERS[place](openEnvelope(edited(answerIn(file), changes), PATH, true).data);
        seriesOf(readOrRefused(read) ?? [], rules).forEach(expectSound);
      }),
    );
  });

  test('however large its numbers are, in whatever units', () => {
    const keys = RULES.map(({ key }) => key);
    const value = fc.oneof(
      fc.constantFrom(0, -1, 105, 6553.5, 1e300, -1e306, Number.MAX_VALUE, -Number.MAX_VALUE),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom('+', '-', 'L', '007'),
    );
    const unit = fc.constantFrom(undefined, '', '?', ...UNIT_NAMES);
    const fields = fc.array(fc.tuple(fc.constantFrom(...keys), value, unit), { maxLength: 12 });
    holds(
      fc.property(fields, ruleSets, (given, rules) => {
        const entries = given.map(([key, number, tag]) => [key, { key, value: number, unit: tag }]);
        const data = { time: NOW_MS, fields: Object.fromEntries(entries) as object };
        seriesOf(decodeLatestState(data, PATH).samples, rules).forEach(expectSound);
      }),
      0.2,
    );
  });
});

/** Is one line of a page. */
interface Series {
  readonly name: string;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | undefined>>;
}

function expectSound({ name, value, labels = {} }: Series): void {
  expect(value, name).toSatisfy(Number.isFinite);
  if (name.endsWith('_ratio')) expect(Math.abs(value - 0.5), name).toBeLessThanOrEqual(0.5);
  for (const label of Object.values(labels)) expect(label ?? '', name).toMatch(/^[\w+-]{0,60}$/);
}
