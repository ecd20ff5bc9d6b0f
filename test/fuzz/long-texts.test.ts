import { describe, expect, test } from 'vitest';
import { parseUnit, toKilowattHours } from '../../src/client/dialects/unit.ts';
import { summaryOf } from '../../src/client/energy.ts';
import { parseTimestamp } from '../../src/client/exchange/decode.ts';
import { openEnvelope } from '../../src/client/exchange/envelope.ts';
import { MAX_VALUES, parseJson } from '../../src/client/exchange/json.ts';
import { retryAfterMs } from '../../src/client/exchange/retry.ts';
import { decodeStationPage } from '../../src/client/stations.ts';
import { parseDurationMs } from '../../src/config/duration.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { parseConfig } from '../../src/config/config.ts';
import { acceptsGzip } from '../../src/http/reply.ts';
import { loadYamlReader } from '../../src/base/yaml-content.ts';
import { ANSWER } from '../support/answer.ts';
import { problemsOf, readOrRefused } from '../support/refusals.ts';

/** What takes the square of this takes minutes; what takes its multiple, moments. */
const LENGTH = 300_000;

/** Texts that make a careless regular expression try again at every letter. */
const LONG_TEXTS: readonly (readonly [what: string, text: string])[] = [
  ['signs', '!'.repeat(LENGTH)],
  ['letters', 'a'.repeat(LENGTH)],
  ['digits', '1'.repeat(LENGTH)],
  ['blanks before a letter', `${' '.repeat(LENGTH)}x`],
  ['blanks between letters', `x${' '.repeat(LENGTH)}x`],
  ['line breaks before a letter', `${'\n'.repeat(LENGTH)}x`],
  ['a URL of slashes and a letter', `http://x${'/'.repeat(LENGTH)}x`],
  ['commas', ','.repeat(LENGTH)],
  ['semicolons', `gzip${';'.repeat(LENGTH)}`],
  ['zeros of a quality', `gzip;q=0.${'0'.repeat(LENGTH)}1`],
  ['dots', '.'.repeat(LENGTH)],
  ['colons', ':'.repeat(LENGTH)],
  ['dashes', `1${'-'.repeat(LENGTH)}`],
  ['addresses', 'a@'.repeat(LENGTH / 2)],
  ['letters outside ASCII', 'ж'.repeat(LENGTH)],
  ['marks', '\u0301'.repeat(LENGTH)],
];

const READERS: readonly (readonly [what: string, read: (text: string) => unknown])[] = [
  ['the words of a refusal', (message) => openEnvelope({ code: 1, message }, '/p', 'data')],
  ['the code of a refusal', (code) => openEnvelope({ code }, '/p', 'data')],
  ['JSON', (text) => parseJson(JSON.stringify([text.slice(1 - MAX_VALUES)]))],
  ['an instant', parseTimestamp],
  ['an energy unit', (unit) => toKilowattHours(1, unit)],
  ['a unit', parseUnit],
  ['a pause', (text) => retryAfterMs(text, 0)],
  ['a duration', parseDurationMs],
  ['an encoding', acceptsGzip],
  [
    'a station',
    (text) => decodeStationPage({ list: [{ id: text, name: text, timezone: text }] }, ANSWER),
  ],
  ['a summary', (text) => summaryOf('month')({ list: [propertyOf(text)] }, ANSWER)],
];

function propertyOf(text: string): object {
  return { property: { key: 'pvGeneratedEnergy', unit: text }, timePoints: [{ time: text }] };
}

describe.each(LONG_TEXTS)('so many %s', (_what, text) => {
  test.each(READERS)('do not hold up whoever reads %s', (_reader, read) => {
    expect(() => readOrRefused(() => read(text))).not.toThrow();
  });

  test('do not hold up whoever reads an option', async () => {
    const flags = Object.fromEntries(OPTIONS.map(({ flag }) => [flag, text]));
    const env = { SOLAR_PASSWORD: text, [`SOLAR_${text}`]: '' };
    const parse = () => parseConfig({ flags, env, readFile: () => text });
    expect(await problemsOf(parse)).not.toEqual([]);
  });

  test('do not hold up whoever reads YAML', async () => {
    expect((await loadYamlReader())(text.slice(0, 20_000))).toBeTypeOf('object');
  });
});
