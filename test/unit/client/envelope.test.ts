import { describe, expect, test } from 'vitest';
import { openEnvelope } from '../../../src/client/exchange/envelope.ts';
import { ServiceError } from '../../../src/base/errors.ts';

const PATH = '/apis/device/list';

function refusalOf(
  payload: unknown,
  asked: 'data' | 'login' | 'refresh' = 'data',
  hidden: readonly string[] = [],
): ServiceError {
  try {
    openEnvelope(payload, PATH, asked, hidden);
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('the envelope opened');
}

describe('an envelope', () => {
  test.each([0, '0', null, undefined])(
    'opens with code %j, and shows what is beside the data',
    (code) => {
      const envelope = openEnvelope({ code, data: { total: 1 }, token: 't' }, PATH, 'data');
      expect(envelope).toMatchObject({ data: { total: 1 }, token: 't' });
    },
  );

  test.each([1, '', '00'])('refuses code %j', (code) => {
    expect(refusalOf({ code }).code).toBe('SERVICE_API_REFUSED');
  });

  test('says itself that it is none', () => {
    expect(refusalOf({ success: false }).message).toContain('service answered code FAILED');
  });

  test.each([[{ code: 0 }], 'Success', null, { code: true }])('is not %j', (payload) => {
    expect(refusalOf(payload)).toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: `${PATH}: the answer is not an envelope`,
    });
  });
});

describe('the reason of a refusal', () => {
  const refused = (fields: object) => refusalOf({ code: 70_001, ...fields }).message;
  const because = (reason: string) => `${PATH}: service answered code 70001: ${reason}`;

  test.each([
    [{ message: 'first', msg: 'second' }, 'first'],
    [{ message: '', msg: 'no such station' }, 'no such station'],
    [{ message: 42 }, 'no reason given'],
    [{ message: '设备不存在' }, 'no reason given'],
    [{ message: 'two\nlines\u001b[31m' }, 'two lines [31m'],
    [{ message: 'no '.repeat(100) }, 'no '.repeat(40)],
  ])('of %j is "%s"', (fields, reason) => {
    expect(refused(fields)).toBe(because(reason));
  });

  test.each([
    ['user@example.org is locked', '… is locked'],
    ['account:a.b+c@example.org!', '…'],
    ['token 0123456789abcdef0123456789abcdef is bad', 'token … is bad'],
    ['token eyJhbGciOi.eyJzdWIi-_x.c2lnbmF0dXJl/+= is bad', 'token … is bad'],
    ['call 13800138000 now', 'call … now'],
    ['device 100000000000000001 is gone', 'device … is gone'],
    ['page 12 of 345', 'page 12 of 345'],
  ])('quotes "%s" as "%s"', (message, quoted) => {
    expect(refused({ message })).toBe(because(quoted));
  });

  test.each([
    ['user Bob.Smith is locked', 'user … is locked'],
    ['user b*b is locked', 'user … is locked'],
    ['app 12ab$ has no rights', 'app … has no rights'],
    ['Käthe', '…'],
    ['too many attempts, answer the captcha', 'too many attempts, answer the captcha'],
  ])('of a log-in quotes "%s" as "%s"', (message, quoted) => {
    const hidden = ['bob.smith', 'bob', '12ab$', 'käthe'];
    expect(refusalOf({ code: 70_001, message }, 'login', hidden).message).toBe(because(quoted));
  });

  test.each([
    [{ message: '请输入验证码' }, 'it asks for a captcha', /answer the captcha/],
    [{ message: 'no', data: { captchaId: 7 } }, 'no', /answer the captcha/],
    [{ msg: 'Verification code required' }, 'Verification code required', /answer the captcha/],
    [{ localMessage: 'captcha' }, 'captcha', /answer the captcha/],
    [{ message: '账号已锁定' }, 'the account is locked', /prolong the lock/],
    [{ msg: 'Account locked for a day' }, 'Account locked for a day', /prolong the lock/],
    [{ message: 'your address is blocked' }, 'your address is blocked', undefined],
  ])('of a log-in finds in %j what to do', (fields, reason, what) => {
    const { message, remedy } = refusalOf({ code: 70_001, ...fields }, 'login');
    expect(message).toBe(because(reason));
    expect(remedy ?? '').toMatch(what ?? /^$/);
  });

  test.each([
    [
      'data',
      ['9', '70021', '70132', '70134', '71000', '71301'],
      ['500', '1001', '7', '20101', 'NO'],
    ],
    ['login', ['7', '36', '44', '20007'], ['500', '-1', '9', '20101', 'CAPTCHA']],
    [
      'refresh',
      ['9', '31', '35', '401', '1001', '1002', '40102', 'LOGIN_REQUIRED', '20101', '7'],
      ['500', '-1', '1003', '4', 'BUSY'],
    ],
  ] as const)('of %s is known for the codes %j, and doubtful for %j', (asked, known, others) => {
    for (const code of known) expect(refusalOf({ code }, asked).isDoubtful, code).toBe(false);
    for (const code of others) expect(refusalOf({ code }, asked).isDoubtful, code).toBe(true);
  });

  test.each(['X'.repeat(31), 'toString', '12345678901', 'NO WORDS'])(
    'does not show a code that may be an echo: %s',
    (code) => {
      expect(refusalOf({ code, message: 'bob' }).message).toBe(
        `${PATH}: service answered code of its own: bob`,
      );
    },
  );

  test.each([
    [7, 'the password was not accepted'],
    ['44', 'the signature was not accepted: the application secret does not fit'],
    ['NOT_FOUND', 'bob'],
  ])('is our explanation of code %j where there is one', (code, reason) => {
    expect(refusalOf({ code, message: 'bob' }).message).toContain(`code ${code}: ${reason}`);
  });
});
