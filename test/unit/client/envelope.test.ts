import { describe, expect, test } from 'vitest';
import { openEnvelope } from '../../../src/client/exchange/envelope.ts';
import { ServiceError } from '../../../src/base/errors.ts';

const PATH = '/apis/device/list';

function refusalOf(payload: unknown, mayQuote = true): ServiceError {
  try {
    openEnvelope(payload, PATH, mayQuote);
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('the envelope opened');
}

describe('an envelope', () => {
  test.each([{ code: 0 }, { code: '0' }, { code: null }, {}, { code: 0, message: 'Success' }])(
    'opens with %j',
    (fields) => {
      const { data, topLevel } = openEnvelope({ ...fields, data: { total: 1 } }, PATH, true);
      expect(data).toEqual({ total: 1 });
      expect(topLevel).toMatchObject({ data: { total: 1 } });
    },
  );

  test('shows the fields beside the data', () => {
    const { data, topLevel } = openEnvelope({ code: 0, accessToken: 'token' }, PATH, true);
    expect(data).toBeUndefined();
    expect(topLevel).toEqual({ accessToken: 'token' });
  });

  test.each([
    { code: 1 },
    { code: '1' },
    { code: -1 },
    { code: '' },
    { code: '00' },
    { code: 401 },
    { code: '20202020202020202020202' },
  ])('refuses %j', (payload) => {
    expect(refusalOf(payload).code).toBe('SERVICE_API_REFUSED');
  });

  test.each([9, '9'])('reads code %j as an expired token', (code) => {
    expect(refusalOf({ code, message: 'Token expired' })).toMatchObject({
      code: 'SERVICE_AUTH_REJECTED',
      message: `${PATH}: service answered code 9: the access token has expired`,
    });
  });

  test.each([
    { payload: [] },
    { payload: [{ code: 0 }] },
    { payload: 'Success' },
    { payload: '<html></html>' },
    { payload: null },
    { payload: undefined },
    { payload: 0 },
    { payload: true },
    { payload: { code: true } },
    { payload: { code: {} } },
  ])('is not $payload', ({ payload }) => {
    expect(refusalOf(payload)).toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message: `${PATH}: the answer is not an envelope`,
    });
  });
});

describe('the reason of a refusal', () => {
  test.each([
    { payload: { message: 'no such station' }, reason: 'no such station' },
    { payload: { msg: 'no such station' }, reason: 'no such station' },
    { payload: { message: null, msg: 'no such station' }, reason: 'no such station' },
    { payload: { message: '', msg: 'no such station' }, reason: 'no such station' },
    { payload: { message: 'first', msg: 'second' }, reason: 'first' },
    { payload: { message: 42 }, reason: 'no reason given' },
    { payload: { message: '' }, reason: 'no reason given' },
    { payload: { message: '设备不存在' }, reason: 'no reason given' },
    { payload: {}, reason: 'no reason given' },
    { payload: { message: 'two\nlines\u001b[31m' }, reason: 'two lines [31m' },
    { payload: { message: 'no '.repeat(100) }, reason: 'no '.repeat(40) },
  ])('of $payload is "$reason"', ({ payload, reason }) => {
    expect(refusalOf({ code: 70_001, ...payload }).message).toBe(
      `${PATH}: service answered code 70001: ${reason}`,
    );
  });

  test.each([
    { words: 'user@example.org is locked', quoted: '… is locked' },
    { words: 'account:a.b+c@example.org!', quoted: '…' },
    { words: 'token 0123456789abcdef0123456789abcdef is bad', quoted: 'token … is bad' },
    { words: 'token eyJhbGciOi.eyJzdWIi-_x.c2lnbmF0dXJl/+= is bad', quoted: 'token … is bad' },
    { words: 'call 13800138000 now', quoted: 'call … now' },
    { words: 'device 100000000000000001 is gone', quoted: 'device … is gone' },
    { words: 'page 12 of 345', quoted: 'page 12 of 345' },
  ])('quotes "$words" as "$quoted"', ({ words, quoted }) => {
    expect(refusalOf({ code: 70_001, message: words }).message).toBe(
      `${PATH}: service answered code 70001: ${quoted}`,
    );
  });

  test('quotes nothing where the service could echo an account', () => {
    expect(refusalOf({ code: 70_001, message: 'bob unknown', msg: 'bob' }, false).message).toBe(
      `${PATH}: service answered code 70001: no reason given`,
    );
  });

  test.each(['x'.repeat(500), 'toString', 'you@example.org', '12345678901', 'NO WORDS'])(
    'does not show a code that may be an echo: %s',
    (code) => {
      expect(refusalOf({ code, message: 'bob' }).message).toBe(
        `${PATH}: service answered code of its own: bob`,
      );
    },
  );

  test.each([
    { code: 7, reason: 'the password was not accepted' },
    {
      code: '44',
      reason:
        'the signature was not accepted: the application secret does not fit the application id',
    },
    { code: 'NOT_FOUND', reason: 'bob' },
  ])('is our explanation of code $code where there is one', ({ code, reason }) => {
    expect(refusalOf({ code, message: 'bob' }).message).toContain(`code ${code}: ${reason}`);
  });
});
