import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/base/errors.ts';
import { openEnvelope } from '../../../src/client/exchange/envelope.ts';
import { DOCUMENTED_CODES } from '../../../src/client/exchange/service-codes.ts';
import { reauthenticationRequired } from '../../../src/client/session/session-errors.ts';
import { remedyFor, remedyForServiceCode } from '../../../src/commands/remedies.ts';

/** The failure of a log-in that the service refused with a code, as a command gets it. */
function refusedLogIn(code: string): ServiceError {
  try {
    openEnvelope({ code }, 'https://solar.example.com/login', false);
  } catch (error) {
    const { message } = error as Error;
    return reauthenticationRequired(message, error);
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

  test.each(DOCUMENTED_CODES)('is said about code %s of the service, also inside', (code) => {
    const remedy = remedyFor(refusedLogIn(code));
    expect(remedy).toMatch(/\w+ \w+/);
    expect(remedy).toBe(remedyForServiceCode(code));
  });

  test.each([
    { code: '7', names: ['SOLAR_PASSWORD'], isSilentAbout: ['SOLAR_APP', 'SOLAR_ACCOUNT'] },
    { code: '36', names: ['SOLAR_APP_ID'], isSilentAbout: ['SOLAR_PASSWORD', 'SOLAR_ACCOUNT'] },
    { code: '44', names: ['SOLAR_APP_SECRET'], isSilentAbout: ['SOLAR_PASSWORD', 'SOLAR_ACCOUNT'] },
    { code: '20007', names: ['SOLAR_ACCOUNT', '--app-id'], isSilentAbout: ['SOLAR_PASSWORD'] },
    { code: '20101', names: ['--station', '--time-zone'], isSilentAbout: ['SOLAR_PASSWORD'] },
    { code: '9', names: ['SOLAR_ACCESS_TOKEN'], isSilentAbout: ['SOLAR_APP'] },
    { code: '70134', names: ['settings get'], isSilentAbout: ['SOLAR_'] },
  ])('about code $code names $names', ({ code, names, isSilentAbout }) => {
    const remedy = remedyFor(refusedLogIn(code));
    for (const name of names) expect(remedy).toContain(name);
    for (const name of isSilentAbout) expect(remedy).not.toContain(name);
  });

  test('is what the failure itself says, before all else', () => {
    const error = new ServiceError('SERVICE_AUTH_REJECTED', '', {
      serviceCode: '9',
      remedy: 'this',
    });
    expect(remedyFor(error)).toBe('this');
  });

  test('about a code that nobody has documented goes by the kind of the failure', () => {
    expect(remedyFor(refusedLogIn('4711'))).toBe(
      remedyFor(new ServiceError('SERVICE_AUTH_REJECTED', '')),
    );
  });

  test.each([
    { code: 'ENOTFOUND', says: 'no name server knows this host' },
    { code: 'ECONNREFUSED', says: 'nothing listens' },
    { code: 'DEPTH_ZERO_SELF_SIGNED_CERT', says: 'NODE_EXTRA_CA_CERTS' },
    { code: 'CERT_HAS_EXPIRED', says: 'the clock of this machine' },
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', says: 'another host' },
    { code: 'EPROTO', says: 'no TLS is spoken' },
    { code: 'EUNHEARDOF', says: 'check --base-url and --auth-url' },
  ])('about $code of the system follows from it', ({ code, says }) => {
    expect(remedyFor(unreachable(code))).toContain(says);
  });

  test('about a bug is to report it', () => {
    expect(remedyFor(new TypeError('a bug'))).toContain('please report it');
  });

  test('is found for an error that causes itself', () => {
    const error = new ServiceError('SERVICE_TIMEOUT', 'message');
    error.cause = error;
    expect(remedyFor(error)).toContain('--request.timeout');
  });
});
