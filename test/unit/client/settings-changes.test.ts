import { describe, expect, test } from 'vitest';
import {
  decodeBatchRead,
  decodeBatchReadId,
} from '../../../src/client/settings/settings-batch-read.ts';
import { writeOneByOne } from '../../../src/client/settings/settings-writes.ts';
import { SERVICE_ERROR_CODES, ServiceError } from '../../../src/base/errors.ts';

const PATH = '/apis/path';

describe('a batch read', () => {
  test('has an id, as text or as a number, and cannot be followed without one', () => {
    expect([{ id: '7' }, { id: 7 }].map((data) => decodeBatchReadId(data, PATH))).toEqual([
      '7',
      '7',
    ]);
    for (const data of [{}, { id: ' ' }, null, 'started'])
      expect(() => decodeBatchReadId(data, PATH)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
  });

  test.each([
    { data: { isFinished: false, error: 'x' }, isFinished: false },
    { data: {}, isFinished: false },
    { data: { isFinished: true }, isFinished: true },
    { data: { isFinished: true, error: 'x', configAttributeStates: { a: 1 } }, isFinished: true },
  ])('is finished in $data: $isFinished', ({ data, isFinished }) => {
    expect(decodeBatchRead(data, PATH).isFinished).toBe(isFinished);
  });

  test('that ends with an error and no setting is a refusal that does not quote the service', () => {
    const data = { isFinished: true, error: { message: 'user@example.org' } };
    expect(() => decodeBatchRead(data, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_API_REFUSED',
        message: `${PATH}: the device did not report its settings`,
      }),
    );
  });
});

const CHANGES = new Map([
  ['second', '2'],
  ['first', '1'],
  ['third', '3'],
]);
const CERTAIN = [
  'SERVICE_API_REFUSED',
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_AUTH_REJECTED',
  'SERVICE_RATE_LIMITED',
  'SERVICE_BUDGET_USED_UP',
] as const;
const UNCERTAIN = SERVICE_ERROR_CODES.filter((code) => !CERTAIN.some((other) => other === code));

/** Writes all settings, one of which fails; resolves to the attempts and the outcome. */
async function writeUpTo(failing: string, failure: Error, changes = CHANGES) {
  const tried: string[] = [];
  const ended = await writeOneByOne(changes, (name) => {
    tried.push(name);
    return name === failing ? Promise.reject(failure) : Promise.resolve();
  }).catch((error: unknown) => error);
  return { tried, ended };
}

describe('several changes', () => {
  test('are written in the order given', async () => {
    const { tried, ended } = await writeUpTo('none', new Error());
    expect(tried).toEqual(['second', 'first', 'third']);
    expect(ended).toBeUndefined();
  });

  test.each([
    { failing: 'second', told: 'not written: second, first, third' },
    { failing: 'first', told: 'written: second; not written: first, third' },
    { failing: 'third', told: 'written: second, first; not written: third' },
  ])('stop at $failing, which is refused: $told', async ({ failing, told }) => {
    const refusal = new ServiceError('SERVICE_API_REFUSED', 'no', { serviceCode: '71000' });
    const { tried, ended } = await writeUpTo(failing, refusal);
    expect(tried.at(-1)).toBe(failing);
    expect(ended).toMatchObject({
      code: 'SERVICE_API_REFUSED',
      serviceCode: '71000',
      cause: refusal,
      message: `${failing}: no; ${told}`,
    });
  });

  test.each(CERTAIN)('are known not to be written after %s', async (code) => {
    const { ended } = await writeUpTo('third', new ServiceError(code, 'no', { retryAfterMs: 5 }));
    expect(ended).toMatchObject({
      code,
      retryAfterMs: 5,
      message: 'third: no; written: second, first; not written: third',
    });
  });

  test.each(UNCERTAIN)('may be written in spite of %s', async (code) => {
    const { ended } = await writeUpTo('first', new ServiceError(code, 'no'));
    expect(ended).toMatchObject({
      code,
      message: 'first: no; written: second; perhaps written: first; not written: third',
    });
  });

  test('fail with the error itself when it is a bug', async () => {
    const bug = new TypeError('a bug');
    expect((await writeUpTo('first', bug)).ended).toBe(bug);
  });
});

test('a setting that the device does not have is named', async () => {
  const refusal = new ServiceError('SERVICE_API_REFUSED', 'path: code 70134', {
    serviceCode: '70134',
  });
  const { ended } = await writeUpTo('buzzer', refusal, new Map([['buzzer', '1']]));
  expect(ended).toMatchObject({
    code: 'SERVICE_API_REFUSED',
    message: 'this device has no setting buzzer (code 70134); not written: buzzer',
  });
});
