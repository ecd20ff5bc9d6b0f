import { DataCaller } from '../../src/client/data-caller.ts';
import { createSendRequest } from '../../src/client/send-request.ts';
import { ServiceClock } from '../../src/client/service-clock.ts';
import type { ServiceRequest } from '../../src/client/transport.ts';
import { Secret } from '../../src/secret.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeTransport } from '../support/fake-transport.ts';

/** A caller of the data endpoints with a token that is always good, before a fake transport. */
export function createCaller(
  answer: (request: ServiceRequest) => unknown,
  { now, timeZone }: { readonly now?: string; readonly timeZone?: string | undefined } = {},
) {
  const clock = new FakeClock(now);
  const serviceClock = new ServiceClock(clock);
  const transport = new FakeTransport(answer);
  const send = createSendRequest({
    transport,
    observer: { requestEnded: () => undefined, renewalEnded: () => undefined },
    nowMs: () => clock.nowMs(),
    serviceClock,
  });
  const session = {
    withToken: <T>(request: (accessToken: Secret) => Promise<T>) => request(new Secret('access')),
  };
  const limit = <T>(call: () => Promise<T>) => call();
  const caller = new DataCaller({ session, send, limit, timeZone, serviceClock });
  return { caller, clock, serviceClock, transport };
}
