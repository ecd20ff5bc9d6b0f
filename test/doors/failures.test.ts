import { expect, test } from 'vitest';
import { openHouse } from './house.ts';
import { ACCOUNT, type PortalAnswer, type Script } from './scripted-service.ts';

const refused = (code: number): PortalAnswer => ({ envelope: { code, message: 'no', data: null } });
const [BROKEN, REJECTED] = ['SERVICE_UNREACHABLE', 'SERVICE_AUTH_REJECTED'];

const HOST = /http:\/\/127\.0\.0\.1:\d+\/apis\/login/;

test.each<[what: string, Script, code: string, reason: RegExp, remedy: RegExp]>([
  ['a host that breaks off', { login: 'hang up' }, BROKEN, HOST, /check the network/],
  ['a wrong password', { login: refused(7) }, REJECTED, HOST, /check SOLAR_PASSWORD/],
  ['a wrong application id', { login: refused(36) }, REJECTED, HOST, /check --app-id/],
  [
    'a redirect',
    { login: { status: 302 } },
    'SERVICE_REQUEST_REJECTED',
    /HTTP 302/,
    /this address leads elsewhere/,
  ],
  [
    'a refused token',
    { stations: { status: 401 } },
    REJECTED,
    /no longer accepts this token/,
    /new one into SOLAR_ACCESS_T/,
  ],
])('%s has one code and one remedy in log, page, JSON and metrics', async (...row) => {
  const [, script, code, reason, remedy] = row;
  const [operation, env] = script.login
    ? (['login', ACCOUNT] as const)
    : (['stations', {}] as const);
  const house = await openHouse(script, { env });
  const page = await house.scrape();
  const [shown, status] = [await house.read(), await house.read('/api/v1/status')];
  const log = await house.log.written();
  expect(page.value('solar_api_requests_total', { operation, outcome: code })).toBeGreaterThan(0);
  for (const text of [log, shown, status]) {
    expect(text).toMatch(reason);
    expect(text).toMatch(remedy);
    // Whose first log-in fails was never authenticated.
    if (operation === 'login') expect(text).not.toContain('re-authentication');
  }
  for (const text of [log, shown, status, page.text])
    expect(new Set(text.match(/SERVICE_[A-Z]+_[A-Z]+|SERVICE_[A-Z]+(?!_)/g))).toEqual(
      new Set([code]),
    );
});
