import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../../src/client/devices/device-samples.ts';
import { decodeTimeSeries } from '../../../src/client/devices/time-series.ts';
import { recogniseFamily } from '../../../src/client/dialects/family.ts';
import type { FieldSample } from '../../../src/client/dialects/field-sample.ts';
import { type DecodedAnswer, decodeAnswer } from '../../../src/client/dialects/decoded-answer.ts';
import { RuleSet } from '../../../src/client/dialects/rule-set.ts';
import { openEnvelope } from '../../../src/client/exchange/envelope.ts';
import type { Measurement, Source } from '../../../src/model/readings.ts';
import { readRecording } from '../../support/recordings.ts';

const PATH = '/apis/path';

const DECODERS: Readonly<Record<Source | 'catalogue', (data: unknown) => readonly FieldSample[]>> =
  {
    history: (data) => decodeTimeSeries(data, PATH),
    latest: (data) => decodeLatestState(data, PATH).samples,
    flow: (data) => decodeEnergyFlow(data, PATH),
    catalogue: (data) => decodeCatalogue(data, PATH),
  };

/** The `data` of a fixture. */
export function dataOf(file: string): unknown {
  return openEnvelope(readRecording(file), PATH, true).data;
}

export function samplesOf(file: string, source: Source | 'catalogue'): readonly FieldSample[] {
  return DECODERS[source](dataOf(file));
}

/** Recognises the family by the keys of a fixture, and decodes the fixture for that family. */
export function readFixture(
  file: string,
  source: Source,
): { readonly family: string | undefined; readonly answer: DecodedAnswer } {
  const samples = samplesOf(file, source);
  const answered = samples.filter(({ text }) => text !== undefined);
  const family = recogniseFamily(answered.map(({ key }) => key));
  return { family, answer: decodeAnswer(samples, { source, family }, new RuleSet()) };
}

/** Values by quantity, such as `{ pvPowerWatts: 1430, 'stringPowerWatts 1': 820 }`. */
export function measuredIn(measurements: readonly Measurement[]): Record<string, number | string> {
  return Object.fromEntries(
    measurements.map(({ quantity, part, value }) => [`${quantity} ${part}`.trim(), value]),
  );
}
