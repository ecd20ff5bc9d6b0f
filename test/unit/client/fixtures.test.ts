import { expect, test } from 'vitest';
import { type Envelope, openEnvelope } from '../../../src/client/exchange/envelope.ts';
import { decodeCatalogue } from '../../../src/client/devices/device-samples.ts';
import { decodeBatchRead, decodeBatchReadId } from '../../../src/client/settings.ts';
import { decodeTokens } from '../../../src/client/session/tokens.ts';
import { RECORDING_NAMES, readRecording } from '../../support/recordings.ts';
import { readText } from '../../support/repository.ts';
import { ANSWER } from '../../support/answer.ts';

const PATH = '/apis/path';
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const ACCESS_MS = Date.parse('2026-08-24T10:00:00.000Z');
const REFRESH_MS = Date.parse('2026-09-23T08:00:00.000Z');

const TOKENS: readonly [name: string, accessMs?: number | undefined, refreshMs?: number][] = [
  ['tokens-in-data', ACCESS_MS - 9, REFRESH_MS - 9],
  ['tokens-at-top-level', ACCESS_MS, REFRESH_MS],
  ['tokens-with-epoch-expiry', ACCESS_MS - 9, REFRESH_MS - 9],
  ['tokens-with-lifetimes-alone', ACCESS_MS, REFRESH_MS],
  ['tokens-with-implausible-expiry', undefined, REFRESH_MS],
  ['tokens-without-expiry'],
];

const REFUSALS = [
  ['refused-token-expired', 'SERVICE_AUTH_REJECTED', 'code 9: the access token has expired'],
  ['refused-rule-missing', 'SERVICE_API_REFUSED', 'code 70132: the service has no energy flow'],
  ['refused-by-msg', 'SERVICE_API_REFUSED', 'code 70001: no such station'],
] as const;

function open(name: string): Envelope {
  return openEnvelope(readRecording(name), PATH, 'data');
}

test.each(TOKENS)(
  'a recorded answer decodes: %s',
  (name, accessExpiresAtMs, refreshExpiresAtMs) => {
    const tokens = decodeTokens(open(name), PATH, NOW_MS);
    expect(tokens).toMatchObject({ accessExpiresAtMs, refreshExpiresAtMs });
    expect(tokens.accessToken.reveal()).toBe('made-up-access-token-000000000001');
    expect(tokens.refreshToken?.reveal()).toBe('made-up-refresh-token-00000000001');
  },
);

test.each(REFUSALS)('a recorded answer is refused: %s', (name, code, reason) => {
  const message = expect.stringContaining(`service answered ${reason}`) as string;
  expect(() => open(name)).toThrow(expect.objectContaining({ code, message }));
});

test('a recorded batch read decodes from its start to its end', () => {
  expect(decodeBatchReadId(open('settings-batch-started').data, ANSWER)).toBe('100000000000000009');
  expect(decodeBatchRead(open('settings-batch-running').data, ANSWER)).toBeUndefined();
  const settings = decodeBatchRead(open('settings-batch-finished').data, ANSWER);
  expect(settings?.get('maxTotalChargeCurrentSetting')).toMatchObject({ value: 60, max: 80 });
});

test('a recorded catalogue decodes to keys and units', () => {
  const { samples } = decodeCatalogue(open('attributes-catalogue').data, ANSWER);
  expect(samples).toHaveLength(6);
  expect(samples[0]).toEqual({ key: 'pvPower', tag: 'kW' });
});

test('every recorded answer is read by a test, and has a note', () => {
  // What a page shows of the others, test/doors/recorded-answers.test.ts holds.
  const pages = readText('test/fixtures/client/recorded-answers.prom');
  const names = [...TOKENS, ...REFUSALS].map(([name]) => name).sort();
  const others = RECORDING_NAMES.filter((name) => !pages.includes(`\n# ${name}\n`));
  expect(names).toEqual(others.filter((name) => !/^(settings-batch|attributes)-/.test(name)));
  for (const name of RECORDING_NAMES)
    expect(readRecording(name), name).toHaveProperty(
      '_note',
      expect.stringMatching(/^service\.md(, |#[\w-]+)+: .+\.$/),
    );
});
