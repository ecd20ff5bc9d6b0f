import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { importUrl, push, pushAddress, PushError } from '../../src/history/push.ts';
import type { PushAnswer } from '../../src/history/push-request.ts';

const URL_OF_IMPORT = importUrl(new URL('http://user:secret@vm:8428/base/'));
const TEN_MINUTES_MS = 600_000;

/** A database that answers in this order, and with the last answer for ever. */
function databaseThat(...answers: readonly PushAnswer[]) {
  let nowMs = Date.parse('2026-08-24T08:00:00Z');
  // Nobody else waits: time passes at once.
  const clock = {
    nowMs: () => nowMs,
    sleep: (durationMs: number) => {
      nowMs += durationMs;
      return Promise.resolve();
    },
  };
  const texts: string[] = [];
  const waits: [string, number][] = [];
  const request = {
    send(compressed: Buffer): Promise<PushAnswer> {
      texts.push(gunzipSync(compressed).toString());
      return Promise.resolve(answers[Math.min(texts.length, answers.length) - 1] ?? {});
    },
  };
  const onWait = (reason: string, pauseMs: number) => waits.push([reason, pauseMs]);
  const pushed = (lines: Iterable<string>) =>
    push(lines, request, URL_OF_IMPORT, { clock, random: () => 0.5, onWait });
  return { clock, texts, waits, pushed };
}

describe('a push', () => {
  test('sends chunks of about 1 MiB, each after the one before it was taken', async () => {
    const line = `${'x'.repeat(1023)}\n`;
    const { texts, pushed } = databaseThat({ status: 204 });
    await pushed(Array.from({ length: 2500 }, () => line));
    expect(texts.map((text) => text.length)).toEqual([1024 * 1024, 1024 * 1024, 452 * 1024]);
    expect(texts.join('')).toBe(line.repeat(2500));
  });

  test('sends nothing of nothing', async () => {
    const { texts, pushed } = databaseThat({ status: 204 });
    await pushed([]);
    expect(texts).toEqual([]);
  });

  test('sends a chunk again after an outage, too much load and a fault', async () => {
    const { texts, waits, pushed } = databaseThat(
      { reason: 'ECONNREFUSED' },
      { status: 429, retryAfter: '7' },
      { status: 503 },
      { status: 200 },
    );
    await pushed(['a 1 1\n']);
    expect(texts).toEqual(['a 1 1\n', 'a 1 1\n', 'a 1 1\n', 'a 1 1\n']);
    const address = 'http://vm:8428/base/api/v1/import/prometheus';
    expect(waits).toEqual([
      [`${address}: ECONNREFUSED`, 1000],
      [`${address}: HTTP 429`, 7000],
      [`${address}: HTTP 503`, 4000],
    ]);
  });

  test('gives up after ten minutes without an answer', async () => {
    const { waits, pushed } = databaseThat({ reason: 'ECONNREFUSED' });
    const error: unknown = await pushed(['a 1 1\n']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PushError);
    expect(error).toMatchObject({ code: 'PUSH_UNREACHABLE' });
    expect(waits.reduce((sum, [, pauseMs]) => sum + pauseMs, 0)).toBe(TEN_MINUTES_MS);
  });

  test.each([301, 400, 401, 404])('ends at once when it is refused with %i', async (status) => {
    const { texts, pushed } = databaseThat({ status });
    const error: unknown = await pushed(['a 1 1\n']).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'PUSH_REFUSED',
      message: `http://vm:8428/base/api/v1/import/prometheus: HTTP ${status}`,
    });
    expect(texts).toHaveLength(1);
  });
});

test.each([
  ['http://vm:8428', 'http://vm:8428/api/v1/import/prometheus'],
  [
    'http://vm:8428/insert/0/prometheus/',
    'http://vm:8428/insert/0/prometheus/api/v1/import/prometheus',
  ],
  ['https://u:p@vm/x?extra_label=a=b', 'https://vm/x/api/v1/import/prometheus'],
])('%s is sent to %s', (base, address) => {
  const url = importUrl(new URL(base));
  expect(pushAddress(url)).toBe(address);
  expect(url.search).toBe(new URL(base).search);
});
