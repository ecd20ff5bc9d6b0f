import { describe, expect, test } from 'vitest';
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/base/errors.ts';
import {
  decodeBatchRead,
  decodeBatchReadId,
  settingsOf,
  writeOneByOne,
} from '../../../src/client/settings.ts';
import { ANSWER } from '../../support/answer.ts';
import { FakeClock } from '../../support/fake-clock.ts';

test.each([
  ['70021', '20101', '70021', 2],
  ['20101', '70021', '70021', 2],
  ['71000', '20101', '71000', 1],
])('settings refused by %s, then %s, are refused by %s', async (body, query, told, times) => {
  let asked = 0;
  const call = ((_name: string, build: (time: typeof ANSWER) => object) => {
    asked += 1;
    const serviceCode = 'body' in build(ANSWER) ? body : query;
    return Promise.reject(new ServiceError('SERVICE_API_REFUSED', 'no', { serviceCode }));
  }) as Parameters<typeof settingsOf>[0];
  const { fetchSettings } = settingsOf(call, new FakeClock());
  await expect(fetchSettings('1')).rejects.toMatchObject({ serviceCode: told });
  expect(asked).toBe(times);
});

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

  test('that ends with an error and no setting is a refusal', () => {
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
    'SERVICE_API_REFUSED',
    'SERVICE_REQUEST_REJECTED',
    'SERVICE_AUTH_REJECTED',
    'SERVICE_RATE_LIMITED',
    'SERVICE_BUDGET_USED_UP',
  ]);

  /** Writes all settings, of which the one in the middle fails; resolves to the outcome. */
  const writeUntil = (failure: Error): Promise<unknown> =>
    writeOneByOne(CHANGES, (name) =>
      name === 'first' ? Promise.reject(failure) : Promise.resolve(),
    ).catch((error: unknown) => error);

  test.each(SERVICE_ERROR_CODES.map((code) => [code, !CERTAIN.has(code)] as const))(
    'that end with %s may still have been written: %j',
    async (code, isUncertain) => {
      const failure = new ServiceError(code, 'no', { retryAfterMs: 5 });
      const ended = await writeUntil(failure);
      const told = isUncertain
        ? 'perhaps written: first; not written: third'
        : 'not written: first, third';
      const message = `first: no; written: second; ${told}`;
      expect(ended).toMatchObject({ code, retryAfterMs: 5, message });
    },
  );

  test('fail with the error itself when it is a bug', async () => {
    const bug = new TypeError('a bug');
    expect(await writeUntil(bug)).toBe(bug);
  });
});
