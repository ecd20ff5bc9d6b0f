import { describe, expect, test } from 'vitest';
import {
  collectorRows,
  renderRequests,
  renderSession,
} from '../../../src/http/status-page/exporter-view.js';
import { AT_MS, sampleStation, sampleStatus } from './sample-status.ts';
import { shownText } from './shown-text.ts';

const { session } = sampleStatus();

describe('the session', () => {
  test.each([
    ['account', 'logs in'],
    ['refresh_token', 'cannot log in'],
    ['access_token', 'cannot be renewed'],
    ['none', 'no credentials'],
  ] as const)('of mode %s is described: %s', (mode, words) => {
    const text = shownText(renderSession(sampleStatus({ session: { ...session, mode } })));
    expect(text).toContain(words);
  });

  test.each([
    [AT_MS + 7_080_000, 'expires in 1 h 58 min'],
    [AT_MS + 1, 'expires in 0 s'],
    [AT_MS, 'expired 0 s ago'],
    [AT_MS - 3_600_000, 'expired 1 h ago'],
    [undefined, 'expiry unknown'],
    [8.64e18, 'expires in 99999979374 days'],
  ])('with a token until %s says: %s', (accessExpiresAtMs, words) => {
    const status = sampleStatus({ session: { ...session, accessExpiresAtMs } });
    expect(shownText(renderSession(status)).replaceAll(/(?<=\d),(?=\d)/g, '')).toContain(words);
  });

  test.each([
    [true, 'New credentials needed'],
    [false, 'New credentials not needed'],
  ])('says whether credentials are refused (%s)', (isReauthenticationRequired, words) => {
    const status = sampleStatus({ session: { ...session, isReauthenticationRequired } });
    expect(shownText(renderSession(status))).toContain(words);
  });
});

test('every collector has a row: of the account, and of each station by its name', () => {
  const { name, ...nameless } = sampleStation({ stationId: '7' });
  expect(name).toBe('Home');
  const rows = collectorRows(
    sampleStatus({
      account: [
        {
          collector: 'stations',
          code: 'SERVICE_TIMEOUT',
          durationSeconds: 9,
          isServed: false,
          lastSuccessAtMs: undefined,
        },
      ],
      stations: [sampleStation(), nameless],
    }),
  );
  expect(Array.from(rows, shownText)).toEqual([
    'stations all SERVICE_TIMEOUT never 9.0 s',
    'devices Home ok 1 min ago 0.2 s',
    'readings Home ok 20 s ago 0.4 s',
    'alarms Home ok 20 s ago 0.1 s',
    'devices 7 ok 1 min ago 0.2 s',
    'readings 7 ok 20 s ago 0.4 s',
    'alarms 7 ok 20 s ago 0.1 s',
  ]);
});

describe('the requests', () => {
  test('are counted by operation and outcome', () => {
    const text = shownText(renderRequests(sampleStatus().requests));
    expect(text).toContain('login ok 1');
    expect(text).toContain('readings SERVICE_TIMEOUT 2');
  });

  test('are no table before the first', () => {
    expect(renderRequests([]).text).not.toContain('<table');
  });
});
