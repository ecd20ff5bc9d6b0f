import { readFileSync } from 'node:fs';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../../src/client/device-state.ts';
import { recogniseFamily } from '../../../src/client/dialects/family.ts';
import type { FieldSample } from '../../../src/client/dialects/field-sample.ts';
import { type Frame, readFrame } from '../../../src/client/dialects/frame.ts';
import { RuleBook } from '../../../src/client/dialects/rule-book.ts';
import { openEnvelope } from '../../../src/client/envelope.ts';
import { parseJson } from '../../../src/client/json.ts';
import { decodeTimeSeries } from '../../../src/client/time-series.ts';
import type { Measurement, Source } from '../../../src/model/readings.ts';

const DIRECTORY = new URL('../../fixtures/client/', import.meta.url);
const PATH = '/apis/path';

const DECODERS: Readonly<Record<Source | 'catalogue', (data: unknown) => readonly FieldSample[]>> =
  {
    history: (data) => decodeTimeSeries(data, PATH),
    latest: (data) => decodeLatestState(data, PATH).samples,
    flow: (data) => decodeEnergyFlow(data, PATH),
    catalogue: (data) => decodeCatalogue(data, PATH),
  };

/** A fixture, the endpoint it came from, and what it says. */
export interface FixtureRow {
  readonly file: string;
  readonly source: Source;
  readonly family: string | undefined;
  /** Everything that is measured, by quantity, and by part where there is one. */
  readonly measured: Readonly<Record<string, number | string>>;
}

/** The `data` of a fixture. */
export function dataOf(file: string): unknown {
  const text = readFileSync(new URL(`${file}.json`, DIRECTORY), 'utf8');
  return openEnvelope(parseJson(text), PATH, true).data;
}

export function samplesOf(file: string, source: Source | 'catalogue'): readonly FieldSample[] {
  return DECODERS[source](dataOf(file));
}

/** The family that a fixture's own keys show, and its answer read as that family's. */
export function readFixture(
  file: string,
  source: Source,
): { readonly family: string | undefined; readonly frame: Frame } {
  const samples = samplesOf(file, source);
  const answered = samples.filter(({ text }) => text !== undefined);
  const family = recogniseFamily(answered.map(({ key }) => key));
  return { family, frame: readFrame(samples, { source, family }, new RuleBook()) };
}

/** Values by quantity, such as `{ pvPowerWatts: 1430, 'stringPowerWatts 1': 820 }`. */
export function measuredIn(measurements: readonly Measurement[]): Record<string, number | string> {
  return Object.fromEntries(
    measurements.map(({ quantity, part, value }) => [`${quantity} ${part}`.trim(), value]),
  );
}
