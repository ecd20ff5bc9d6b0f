import { describe, expect, test } from 'vitest';
import { createSendRequest } from '../../../src/client/exchange/send-request.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { FakeTransport } from '../../support/fake-transport.ts';

const REQUEST = { url: new URL('https://service.example.org/'), headers: {}, body: '{}' };

function createSender(answer: () => unknown) {
  const clock = new FakeClock();
  const transport = new FakeTransport(answer);
  const ended: [operation: string, outcome: string, durationSeconds: number][] = [];
  const send = createSendRequest({
    transport,
    observer: {
      requestEnded: (...args) => ended.push(args),
      renewalEnded: () => undefined,
      dropped: () => undefined,
    },
    nowMs: () => clock.nowMs(),
    serviceClock: new ServiceClock(clock),
  });
  return { send, clock, transport, ended };
}

describe('a request', () => {
  test('is decoded, counted and timed', async () => {
    const answer = deferred<unknown>();
    const { send, clock, ended } = createSender(() => answer.promise);
    const sent = send('devices', REQUEST, (payload) => `decoded ${String(payload)}`);
    await settled();
    clock.advance(1250);
    answer.resolve('answer');
    expect(await sent).toBe('decoded answer');
    expect(ended).toEqual([['devices', 'ok', 1.25]]);
  });

  test.each([
    { error: new ServiceError('SERVICE_TIMEOUT', 'late'), outcome: 'SERVICE_TIMEOUT' },
    { error: new ServiceError('SERVICE_RATE_LIMITED', 'slow'), outcome: 'SERVICE_RATE_LIMITED' },
    { error: new TypeError('a bug'), outcome: 'UNEXPECTED' },
  ])('counts as $outcome when sending ends in it', async ({ error, outcome }) => {
    const { send, ended } = createSender(() => {
      throw error;
    });
    await expect(send('readings', REQUEST, () => 0)).rejects.toBe(error);
    expect(ended).toEqual([['readings', outcome, 0]]);
  });

  test('counts as failed when its answer cannot be decoded', async () => {
    const { send, ended } = createSender(() => ({}));
    const undecodable = new ServiceError('SERVICE_PAYLOAD_INVALID', 'no envelope');
    const decode = () => {
      throw undecodable;
    };
    await expect(send('summary', REQUEST, decode)).rejects.toBe(undecodable);
    expect(ended).toEqual([['summary', 'SERVICE_PAYLOAD_INVALID', 0]]);
  });
});
