import { describe, expect, test } from 'vitest';
import { type Envelope, openEnvelope } from '../../../src/client/exchange/envelope.ts';
import {
  decodeBatchRead,
  decodeBatchReadId,
} from '../../../src/client/settings/settings-batch-read.ts';
import { decodeTokens, type TokenSet } from '../../../src/client/session/tokens.ts';
import { RECORDING_NAMES, readRecording } from '../../support/recordings.ts';

const PATH = '/apis/path';
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

interface Row {
  readonly file: string;
  readonly expected: unknown;
}

function open(file: string): Envelope {
  return openEnvelope(readRecording(file), PATH, true);
}

const tokens = {
  access: 'made-up-access-token-000000000001',
  refresh: 'made-up-refresh-token-00000000001',
  accessExpiresAt: '2026-08-24T10:00:00.000Z',
  refreshExpiresAt: '2026-09-23T08:00:00.000Z',
};
const TOKENS: readonly Row[] = [
  { file: 'tokens-in-data', expected: tokens },
  { file: 'tokens-at-top-level', expected: tokens },
  { file: 'tokens-with-epoch-expiry', expected: tokens },
  {
    file: 'tokens-without-expiry',
    expected: { ...tokens, accessExpiresAt: undefined, refreshExpiresAt: undefined },
  },
  { file: 'tokens-with-lifetimes-alone', expected: tokens },
  {
    file: 'tokens-with-implausible-expiry',
    expected: { ...tokens, accessExpiresAt: undefined },
  },
];

const REFUSALS: readonly Row[] = [
  { file: 'refused-token-expired', expected: { code: 'SERVICE_AUTH_REJECTED' } },
  {
    file: 'refused-rule-missing',
    expected: {
      code: 'SERVICE_API_REFUSED',
      message: `${PATH}: service answered code 70132: the service has no energy flow for this model`,
    },
  },
  {
    file: 'refused-by-msg',
    expected: {
      code: 'SERVICE_API_REFUSED',
      message: `${PATH}: service answered code 70001: no such station`,
    },
  },
];

describe('a recorded answer decodes', () => {
  test.each(TOKENS)('$file', ({ file, expected }) => {
    expect(shown(decodeTokens(open(file), PATH, NOW_MS))).toEqual(expected);
  });

  test.each(REFUSALS)('$file', ({ file, expected }) => {
    expect(() => open(file)).toThrow(expect.objectContaining(expected as object));
  });

  test('of a batch read, from its start to its end', () => {
    expect(decodeBatchReadId(open('settings-batch-started').data, PATH)).toBe('100000000000000009');
    const running = decodeBatchRead(open('settings-batch-running').data, PATH);
    expect(running).toEqual({ isFinished: false, settings: new Map() });
    const finished = decodeBatchRead(open('settings-batch-finished').data, PATH);
    expect(finished.isFinished).toBe(true);
    expect(finished.settings.get('maxTotalChargeCurrentSetting')).toMatchObject({
      value: 60,
      max: 80,
    });
  });
});

test('every recorded answer is read by a test, and has a note about its purpose', () => {
  const rows = [...TOKENS, ...REFUSALS].map(({ file }) => file);
  // What a page shows of the others, test/doors/recorded-answers.test.ts holds.
  const others =
    /^(family|readings|latest|flow|attributes|alarms|devices|stations|summary|settings)-/;
  expect(rows.sort()).toEqual(RECORDING_NAMES.filter((name) => !others.test(name)));
  for (const file of RECORDING_NAMES)
    expect(readRecording(file), file).toHaveProperty(
      '_note',
      expect.stringMatching(/^(Field notes|Interface) [\d., row]+: .+\.$/),
    );
});

function shown(set: TokenSet): object {
  const iso = (atMs: number | undefined) =>
    atMs === undefined ? undefined : new Date(atMs).toISOString();
  return {
    access: set.accessToken.reveal(),
    refresh: set.refreshToken?.reveal(),
    accessExpiresAt: iso(set.accessExpiresAtMs),
    refreshExpiresAt: iso(set.refreshExpiresAtMs),
  };
}
