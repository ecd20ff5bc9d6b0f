import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POWER_METRICS } from '../../src/collectors/power-metrics.ts';
import { DIALECT_METRICS } from '../../src/collectors/dialect-metrics.ts';
import { QUALITY_METRICS } from '../../src/collectors/quality-metrics.ts';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../src/client/device-state.ts';
import { rulesOf } from '../../src/client/dialects/dialect-file.ts';
import type { FieldSample } from '../../src/client/dialects/field-sample.ts';
import { readFrame } from '../../src/client/dialects/frame.ts';
import { RuleBook } from '../../src/client/dialects/rule-book.ts';
import { RULES } from '../../src/client/dialects/rules.ts';
import { describeDevice } from '../../src/client/dialects/self-description.ts';
import { UNIT_NAMES } from '../../src/client/dialects/unit.ts';
import { openEnvelope } from '../../src/client/envelope.ts';
import { decodeTimeSeries } from '../../src/client/time-series.ts';
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

const USERS_BOOK = new RuleBook(
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
function seriesOf(samples: readonly FieldSample[], book: RuleBook) {
  const { family } = describeDevice(samples, 'value', false, book);
  const { measurements } = readFrame(samples, { source: 'latest', family, model: 'value' }, book);
  // As old as may be: nothing is hidden for its age.
  const readings = readingsAt(reportOf({}, { measurements }), NOW_MS, Number.MAX_VALUE);
  return [...POWER_METRICS, ...QUALITY_METRICS, ...DIALECT_METRICS].flatMap(({ name, read }) =>
    read(readings).map((point) => ({ name, ...point })),
  );
}

describe('whatever a device of any family answers', { timeout: FUZZ_TIMEOUT_MS }, () => {
  const devices = anyRecording('family-', 'flow-', 'latest-', 'readings-', 'attributes-');
  const places = fc.constantFrom<Place>('history', 'latest', 'flow', 'catalogue');
  const books = fc.constantFrom(new RuleBook(), USERS_BOOK);

  test('no series is infinite or no number, no share is beyond its bounds, no label is long', () => {
    holds(
      fc.property(devices, edits, places, books, (file, changes, place, book) => {
        const read = () =>
          DECODERS[place](openEnvelope(edited(answerIn(file), changes), PATH, true).data);
        seriesOf(readOrRefused(read) ?? [], book).forEach(expectSound);
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
      fc.property(fields, books, (given, book) => {
        const entries = given.map(([key, number, tag]) => [key, { key, value: number, unit: tag }]);
        const data = { time: NOW_MS, fields: Object.fromEntries(entries) as object };
        seriesOf(decodeLatestState(data, PATH).samples, book).forEach(expectSound);
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
