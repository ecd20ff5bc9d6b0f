import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/base/errors.ts';
import { decodeBatchRead, decodeBatchReadId, writeOneByOne } from '../../../src/client/settings.ts';
import { ANSWER } from '../../support/answer.ts';

describe('a batch read', () => {
  test('has an id, as text or as a number, and cannot be followed without one', () => {
    for (const id of ['7', 7]) expect(decodeBatchReadId({ id }, ANSWER)).toBe('7');
    for (const data of [{}, { id: ' ' }, null, 'started'])
      expect(() => decodeBatchReadId(data, ANSWER)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
  });

  test.each([
    [{ error: 'x' }, false],
    [{ isFinished: true }, true],
    [{ isFinished: true, error: 'x', configAttributeStates: { a: 1 } }, true],
  ])('is finished in %j: %j', (data, isFinished) => {
    expect(decodeBatchRead(data, ANSWER) !== undefined).toBe(isFinished);
  });

  test('that ends with an error and no setting is a refusal that does not quote the service', () => {
    const data = { isFinished: true, error: { message: 'user@example.org' } };
    expect(() => decodeBatchRead(data, ANSWER)).toThrow(
      new ServiceError(
        'SERVICE_API_REFUSED',
        `${ANSWER.path}: the device did not report its settings`,
      ),
    );
  });
});

describe('several changes', () => {
  const CHANGES = new Map(['second', 'first', 'third'].map((name) => [name, '1']));
  const CERTAIN = new Set([
    ...['SERVICE_API_REFUSED', 'SERVICE_REQUEST_REJECTED', 'SERVICE_AUTH_REJECTED'],
    ...['SERVICE_RATE_LIMITED', 'SERVICE_BUDGET_USED_UP'],
  ]);

  /** Writes all settings, one of which fails; resolves to the attempts and the outcome. */
  async function writeUpTo(failing: string, failure: Error) {
    const tried: string[] = [];
    const ended = await writeOneByOne(CHANGES, (name) => {
      tried.push(name);
      return name === failing ? Promise.reject(failure) : Promise.resolve();
    }).catch((error: unknown) => error);
    return { tried, ended };
  }

  test.each([
    ['second', '71000', 'second: no; not written: second, first, third'],
    ['third', '71000', 'third: no; written: second, first; not written: third'],
    [
      'second',
      '70134',
      'this device has no setting second (code 70134); not written: second, first, third',
    ],
  ])('stop at %s, which is refused with code %s', async (failing, serviceCode, message) => {
    const cause = new ServiceError('SERVICE_API_REFUSED', 'no', { serviceCode });
    const { tried, ended } = await writeUpTo(failing, cause);
    const names = ['second', 'first', 'third'];
    expect(tried).toEqual(names.slice(0, names.indexOf(failing) + 1));
    expect(ended).toMatchObject({ code: 'SERVICE_API_REFUSED', serviceCode, cause, message });
  });

  test.each(SERVICE_ERROR_CODES.map((code) => [code, !CERTAIN.has(code)] as const))(
    'that end with %s may still have been written: %j',
    async (code, isUncertain) => {
      const failure = new ServiceError(code, 'no', { retryAfterMs: 5 });
      const { ended } = await writeUpTo('first', failure);
      const told = isUncertain
        ? 'perhaps written: first; not written: third'
        : 'not written: first, third';
      const message = `first: no; written: second; ${told}`;
      expect(ended).toMatchObject({ code, retryAfterMs: 5, message });
    },
  );

  test('fail with the error itself when it is a bug', async () => {
    const bug = new TypeError('a bug');
    expect((await writeUpTo('first', bug)).ended).toBe(bug);
  });
});
