import { expect, test } from 'vitest';
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

/** What comes before, again and again, and behind: a careless regular expression tries again at every letter. */
const LONG_TEXTS = [
  ['', '!', ''],
  ['', 'a', ''],
  ['', '1', ''],
  ['', ' ', 'x'],
  ['x', ' ', 'x'],
  ['', '\n', 'x'],
  ['http://x', '/', 'x'],
  ['', ',', ''],
  ['gzip', ';', ''],
  ['gzip;q=0.', '0', '1'],
  ['', '.', ''],
  ['', ':', ''],
  ['1', '-', ''],
  ['', 'a@', ''],
  ['', 'ж', ''],
  ['', '\u0301', ''],
].map(([before = '', again = '', behind = '']) => before + again.repeat(LENGTH) + behind);

test.each<[what: string, read: (text: string) => unknown]>([
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
  [
    'a summary',
    (text) => {
      const property = { key: 'pvGeneratedEnergy', unit: text };
      return summaryOf('month')({ list: [{ property, timePoints: [{ time: text }] }] }, ANSWER);
    },
  ],
])('a long text does not hold up whoever reads %s', (_what, read) => {
  for (const text of LONG_TEXTS) readOrRefused(() => read(text));
});

test('a long text does not hold up whoever reads an option', async () => {
  for (const text of LONG_TEXTS) {
    const flags = Object.fromEntries(OPTIONS.map(({ flag }) => [flag, text]));
    const env = { SOLAR_PASSWORD: text, [`SOLAR_${text}`]: '' };
    const parse = () => parseConfig({ flags, env, readFile: () => text });
    expect(await problemsOf(parse)).not.toEqual([]);
  }
});

test('a long text does not hold up whoever reads YAML', async () => {
  for (const text of LONG_TEXTS)
    expect((await loadYamlReader())(text.slice(0, 20_000))).toBeTypeOf('object');
});
