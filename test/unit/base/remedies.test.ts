import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/base/errors.ts';
import { reasonOf, remedyFor } from '../../../src/base/remedies.ts';
import { openEnvelope, SERVICE_CODES } from '../../../src/client/exchange/envelope.ts';
import { reauthenticationRequired } from '../../../src/client/session/refusal.ts';

/** The failure of a log-in that the service refused with a code, as a command gets it. */
function refusedLogIn(code: string): ServiceError {
  try {
    openEnvelope({ code }, 'https://solar.example.com/login', 'login');
  } catch (error) {
    const { message } = error as Error;
    return reauthenticationRequired(message, { cause: error });
  }
  throw new Error(`code ${code} is no failure`);
}

const unreachable = (code: string): ServiceError =>
  new ServiceError('SERVICE_UNREACHABLE', `https://solar.example.com/login: ${code}`, {
    cause: Object.assign(new Error(code), { code }),
  });

describe('what to do', () => {
  test.each(SERVICE_ERROR_CODES)('is said about %s, whatever its cause', (code) => {
    expect(remedyFor(new ServiceError(code, 'message'))).toMatch(/\w+ \w+/);
  });

  test.each(Object.entries(SERVICE_CODES))(
    'is said about code %s of the service, also inside',
    (code, [, remedy]) => {
      expect(remedyFor(refusedLogIn(code))).toBe(remedy);
    },
  );

  test('follows where and how it failed first; a bug is to be reported', () => {
    const refused = refusedLogIn('7');
    const why = `${refused.message}. Next try in 60 s`;
    const blocked = new ServiceError('SERVICE_AUTH_REJECTED', why, { cause: refused });
    expect(reasonOf(blocked)).toBe(
      'https://solar.example.com/login: service answered code 7: the password was not accepted',
    );
    const path = 'https://solar.example.com/alarms: HTTP 403, with a token that others accept';
    const lacking = new ServiceError('SERVICE_REQUEST_REJECTED', path, { cause: refused });
    expect(reasonOf(lacking)).toBe(path);
    const bug = new TypeError('a bug');
    expect(reasonOf(bug)).toBeUndefined();
    expect(remedyFor(bug)).toContain('please report it');
  });

  test.each([
    ['7', ['SOLAR_PASSWORD'], ['SOLAR_APP', 'SOLAR_ACCOUNT']],
    ['36', ['SOLAR_APP_ID'], ['SOLAR_PASSWORD', 'SOLAR_ACCOUNT']],
    ['44', ['SOLAR_APP_SECRET'], ['SOLAR_PASSWORD', 'SOLAR_ACCOUNT']],
    ['20007', ['SOLAR_ACCOUNT', '--app-id'], ['SOLAR_PASSWORD']],
  ])('about code %s names %j', (code, names, isSilentAbout) => {
    const remedy = remedyFor(refusedLogIn(code));
    for (const name of names) expect(remedy).toContain(name);
    for (const name of isSilentAbout) expect(remedy).not.toContain(name);
  });

  test('is what the failure itself says, before all else', () => {
    const options = { serviceCode: '9', remedy: 'this' };
    expect(remedyFor(new ServiceError('SERVICE_AUTH_REJECTED', '', options))).toBe('this');
  });

  test('about an unknown code of a log-in blames no credentials', () => {
    expect(remedyFor(refusedLogIn('4711').cause)).toMatch(/try to log in to the portal/);
  });

  test.each([
    ['ENOTFOUND', 'no name server knows this host'],
    ['EUNHEARDOF', 'check --base-url and --auth-url'],
  ])('about %s of the system follows from it: %s', (code, says) => {
    expect(remedyFor(unreachable(code))).toContain(says);
  });

  test('is found for an error that causes itself', () => {
    const error = new ServiceError('SERVICE_TIMEOUT', 'message');
    error.cause = error;
    expect(remedyFor(error)).toContain('--request.timeout');
  });
});
