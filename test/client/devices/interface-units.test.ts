import { describe, expect, test } from 'vitest';
import { DeviceEndpoints } from '../../../src/client/devices/device-endpoints.ts';
import { InterfaceUnitsCache } from '../../../src/client/devices/interface-units.ts';
import { ServiceError, type ServiceErrorCode } from '../../../src/base/errors.ts';
import { createCaller } from '../exchange/caller-harness.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A cache whose service answers the latest state with these units by key, or fails. */
function createUnits(units: Readonly<Record<string, string>>, random = 0.5) {
  const service: { fails?: ServiceErrorCode | undefined; units: typeof units } = { units };
  const harness = createCaller(() => {
    if (service.fails !== undefined) throw new ServiceError(service.fails, 'failed');
    const fields = Object.entries(service.units).map(([key, unit]) => [key, { unit, value: 1 }]);
    return { code: 0, data: { fields: Object.fromEntries(fields) as object } };
  });
  const { caller, clock, transport } = harness;
  const endpoints = new DeviceEndpoints(caller);
  const cache = new InterfaceUnitsCache({ endpoints, clock, random: () => random });
  return {
    clock,
    cache,
    service,
    /** The units of a device, and how many requests that took. */
    ask: async (deviceId = '1') => {
      const before = transport.requests.length;
      const { tags, isOtherFamily } = await cache.unitsOf({ deviceId });
      return {
        tags: Object.fromEntries(tags),
        isOtherFamily,
        requests: transport.requests.length - before,
      };
    },
  };
}

describe('the units of the keys of the interface', () => {
  test('are asked for once a day, by device', async () => {
    const { ask, clock } = createUnits({ pvInputPower: 'kW', houseMeter: 'W' });
    expect(await ask()).toEqual({
      tags: { pvInputPower: 'kW' },
      isOtherFamily: false,
      requests: 1,
    });
    expect(await ask('2')).toMatchObject({ requests: 1 });
    clock.advance(DAY_MS - 1);
    expect(await ask()).toMatchObject({ tags: { pvInputPower: 'kW' }, requests: 0 });
    clock.advance(1);
    expect(await ask()).toMatchObject({ requests: 1 });
  });

  test.each([
    { random: 0, days: 0.9 },
    { random: 1, days: 1.1 },
  ])('are asked for again after $days days for the random number $random', async (row) => {
    const { ask, clock } = createUnits({}, row.random);
    await ask();
    clock.advance(row.days * DAY_MS - MINUTE_MS);
    expect((await ask()).requests).toBe(0);
    clock.advance(2 * MINUTE_MS);
    expect((await ask()).requests).toBe(1);
  });

  test('are kept while the service fails, which is asked again ever more rarely', async () => {
    const { ask, clock, service } = createUnits({ pvInputPower: 'kW' });
    await ask();
    service.fails = 'SERVICE_UNREACHABLE';
    clock.advance(DAY_MS);
    for (const pauseMs of [10 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS]) {
      expect(await ask()).toMatchObject({ tags: { pvInputPower: 'kW' }, requests: 1 });
      clock.advance(pauseMs - 1);
      expect((await ask()).requests).toBe(0);
      clock.advance(1);
    }
    service.fails = undefined;
    service.units = { pvInputPower: 'W' };
    expect(await ask()).toMatchObject({ tags: { pvInputPower: 'W' }, requests: 1 });
  });

  test('are those of the interface where the service has no latest state', async () => {
    const { ask, clock, service } = createUnits({});
    service.fails = 'SERVICE_REQUEST_REJECTED';
    expect(await ask()).toEqual({ tags: {}, isOtherFamily: false, requests: 1 });
    clock.advance(DAY_MS - 1);
    expect((await ask()).requests).toBe(0);
  });

  test('mean nothing in a device with keys of another family', async () => {
    const { ask } = createUnits({ pvInputPower: 'kW', GridPower: 'W' });
    expect((await ask()).isOtherFamily).toBe(true);
  });

  test('are forgotten with the device', async () => {
    const { ask, cache, service } = createUnits({ pvInputPower: 'kW' });
    await ask();
    cache.forget('1');
    service.fails = 'SERVICE_UNREACHABLE';
    expect(await ask()).toMatchObject({ tags: {}, requests: 1 });
  });
});
