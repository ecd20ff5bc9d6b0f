import { describe, expect, test, vi } from 'vitest';
import {
  decodeBatchRead,
  decodeBatchReadId,
  readSettingsFromDevice,
} from '../../../src/client/settings/settings-batch-read.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { type DeviceSettings, flatSetting } from '../../../src/model/settings.ts';
import { settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const PATH = '/apis/path';
const INVALID = expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }) as Error;
const SETTINGS: DeviceSettings = new Map([['operatingMode', flatSetting('Backup')]]);

describe('a batch read', () => {
  test.each([
    { data: { id: '7' }, id: '7' },
    { data: { id: 7 }, id: '7' },
  ])('has an id in $data', ({ data, id }) => {
    expect(decodeBatchReadId(data, PATH)).toBe(id);
  });

  test.each([{ data: {} }, { data: { id: ' ' } }, { data: null }, { data: 'started' }])(
    'cannot be followed without an id: $data',
    ({ data }) => {
      expect(() => decodeBatchReadId(data, PATH)).toThrow(INVALID);
    },
  );

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

/** Creates a batch read that finishes after this many requests, and a clock that advances while it sleeps. */
async function readAfter(polls: number) {
  const clock = new FakeClock();
  const startedAtMs = clock.nowMs();
  const askedAtSeconds: number[] = [];
  const api = {
    startSettingsRead: vi.fn(() => Promise.resolve('batch')),
    fetchSettingsRead: vi.fn(() => {
      askedAtSeconds.push((clock.nowMs() - startedAtMs) / 1000);
      const isFinished = askedAtSeconds.length >= polls;
      return Promise.resolve({ isFinished, settings: isFinished ? SETTINGS : new Map() });
    }),
  };
  const reading = readSettingsFromDevice(api, 'inverter', clock).catch((error: unknown) => error);
  await settled();
  while (clock.sleeperCount > 0) {
    clock.advance(1000);
    await settled();
  }
  return { api, askedAtSeconds, ended: await reading };
}

describe('reading from the device', () => {
  test('asks every two seconds until the read is finished', async () => {
    const { api, askedAtSeconds, ended } = await readAfter(3);
    expect(ended).toBe(SETTINGS);
    expect(askedAtSeconds).toEqual([2, 4, 6]);
    expect(api.startSettingsRead.mock.calls).toEqual([['inverter']]);
    expect(api.fetchSettingsRead).toHaveBeenCalledWith('batch');
  });

  test('still takes an answer after a minute', async () => {
    expect((await readAfter(30)).ended).toBe(SETTINGS);
  });

  test('gives up after a minute', async () => {
    const { api, askedAtSeconds, ended } = await readAfter(31);
    expect(ended).toEqual(
      new ServiceError(
        'SERVICE_TIMEOUT',
        'device inverter has not reported its settings within 60 s',
      ),
    );
    expect(askedAtSeconds.at(-1)).toBe(60);
    expect(api.startSettingsRead).toHaveBeenCalledTimes(1);
  });
});
