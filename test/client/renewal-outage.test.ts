import { describe, expect, test } from 'vitest';
import { RenewalOutage } from '../../src/client/renewal-outage.ts';
import { SERVICE_ERROR_CODES, ServiceError } from '../../src/errors.ts';

const middling = (): number => 0.5;

function failedWith(error: unknown, nowMs = 0, outage = new RenewalOutage()): RenewalOutage {
  outage.failed(error, nowMs, middling);
  return outage;
}

describe('an outage', () => {
  test('that never began lets every attempt through', () => {
    expect(new RenewalOutage().failureDuringPause(0)).toBeUndefined();
  });

  test('pauses for a second at first, twice as long each time, a minute at most', () => {
    const outage = new RenewalOutage();
    let nowMs = 0;
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      failedWith(new ServiceError('SERVICE_TIMEOUT', 'too slow'), nowMs, outage);
      expect(outage.failureDuringPause(nowMs)).toMatchObject({ retryAfterMs: seconds * 1000 });
      nowMs += seconds * 1000;
      expect(outage.failureDuringPause(nowMs)).toBeUndefined();
    }
  });

  test('pauses for as long as the service asked for', () => {
    const outage = failedWith(
      new ServiceError('SERVICE_RATE_LIMITED', 'too many', { retryAfterMs: 900_000 }),
    );
    expect(outage.failureDuringPause(300_000)).toMatchObject({
      code: 'SERVICE_RATE_LIMITED',
      message: 'too many',
      retryAfterMs: 600_000,
    });
    expect(outage.failureDuringPause(900_000)).toBeUndefined();
  });

  test('fails with the very fault that was not the service’s', () => {
    const bug = new TypeError('a bug');
    expect(failedWith(bug).failureDuringPause(0)).toBe(bug);
    expect(failedWith('thrown text').failureDuringPause(0)).toEqual(new Error('thrown text'));
  });

  test('is over at once when it ended', () => {
    const outage = failedWith(new ServiceError('SERVICE_TIMEOUT', 'too slow'));
    outage.ended();
    expect(outage.failureDuringPause(0)).toBeUndefined();
    expect(outage.state).toEqual(new RenewalOutage().state);
  });
});

describe('an outage after a restart', () => {
  test.each(SERVICE_ERROR_CODES)('goes on with its pause and its code %s', (code) => {
    const before = failedWith(new ServiceError(code, 'of before', { retryAfterMs: 5000 }));
    const outage = new RenewalOutage(before.state);
    expect(outage.failureDuringPause(2000)).toMatchObject({
      name: 'ServiceError',
      code,
      message: 'no token could be had before the last restart; the pause goes on',
      retryAfterMs: 3000,
    });
    expect(outage.failureDuringPause(5000)).toBeUndefined();
  });

  test('pauses longer each time, however often the program is restarted', () => {
    let nowMs = 0;
    let outage = new RenewalOutage();
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      failedWith(new ServiceError('SERVICE_SERVER_ERROR', 'HTTP 500'), nowMs, outage);
      outage = new RenewalOutage(outage.state);
      expect(outage.failureDuringPause(nowMs)).toMatchObject({ retryAfterMs: seconds * 1000 });
      nowMs += seconds * 1000;
      expect(outage.failureDuringPause(nowMs)).toBeUndefined();
    }
  });

  test('does not wait because of a fault of ours', () => {
    const outage = new RenewalOutage(failedWith(new TypeError('a bug')).state);
    expect(outage.failureDuringPause(0)).toBeUndefined();
  });

  test('waits no longer than it did when the clock was set back', () => {
    const nowMs = Date.parse('2026-08-24T08:00:00Z');
    const before = failedWith(
      new ServiceError('SERVICE_RATE_LIMITED', 'too many', { retryAfterMs: 900_000 }),
      nowMs,
    );
    const outage = new RenewalOutage(before.state);
    expect(outage.failureDuringPause(0)).toMatchObject({ retryAfterMs: 900_000 });
    expect(outage.failureDuringPause(900_000)).toBeUndefined();
  });
});
