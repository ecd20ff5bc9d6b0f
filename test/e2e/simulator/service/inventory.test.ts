import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../running-simulator.ts';

interface Page {
  readonly page: number;
  readonly count: number;
  readonly total?: number;
  readonly list: readonly Readonly<Record<string, unknown>>[];
}

describe('the station list', () => {
  test('carries ids as bare integers beyond 2^53, every digit intact', async () => {
    const { simulator, ask } = await startSimulator({ stations: 3, timeZone: 'Europe/Berlin' });
    const answer = await ask(PATHS.stations, { page: 1, count: 50 });
    const ids = [...answer.text.matchAll(/"id":(\d+),/g)].map(([, id]) => id);
    expect(ids).toEqual(simulator.stationIds);
    const { total, list } = dataOf<Page>(answer);
    expect(total).toBe(3);
    expect(list[0]).toMatchObject({
      id: Number(ids[0]),
      name: 'Station 1',
      timezone: 'Europe/Berlin',
      deviceCount: 1,
    });
  });

  test('comes in pages', async () => {
    const { ask } = await startSimulator({ stations: 3 });
    const second = dataOf<Page>(await ask(PATHS.stations, { page: 2, count: 2 }));
    expect(second).toMatchObject({ page: 2, count: 2, total: 3 });
    expect(second.list.map(({ name }) => name)).toEqual(['Station 3']);
  });
});

describe('the list of 2,000 stations', () => {
  test('has all of them in 40 pages, each with the power of its own device', async () => {
    const { simulator, ask } = await startSimulator({ stations: 2_000 });
    const pages: Page[] = [];
    for (let page = 1; page <= 40; page += 1)
      pages.push(dataOf<Page>(await ask(PATHS.stations, { page, count: 50 })));
    const listed = pages.flatMap(({ list }) => list);
    expect(listed).toHaveLength(2_000);
    expect(new Set(simulator.stationIds).size).toBe(2_000);
    const powers = listed.map(({ producingPower }) => producingPower as number);
    // It is noon. They are written to a watt, so that some may be alike.
    expect(Math.min(...powers)).toBeGreaterThan(0);
    expect(new Set(powers).size).toBeGreaterThan(1_000);
  });
});

describe('the device list', () => {
  test('describes each device of the station, ids as strings', async () => {
    const { ask, stationId, deviceId } = await startSimulator();
    const answer = await ask(PATHS.devices, { page: 1, count: 50, stationId });
    const { list } = dataOf<Page>(answer);
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({
      id: deviceId,
      name: 'Inverter 1',
      serialNumber: expect.stringMatching(/^SIM\d{9}$/) as string,
      model: 'SIM-5K',
      isOnline: true,
      state: 20,
      stationId,
      stationName: 'Station 1',
      stationTimezone: 'Asia/Manila',
      lastDataAt: '2026-06-21T04:00:00.000Z',
    });
  });

  test.each([
    { omitTotal: false, total: 5 },
    { omitTotal: true, total: undefined },
  ])('comes in pages, with total $total', async ({ omitTotal, total }) => {
    const { simulator, ask, stationId } = await startSimulator({ devicesPerStation: 5, omitTotal });
    const pages = await Promise.all(
      [1, 2, 3, 4].map(async (page) =>
        dataOf<Page>(await ask(PATHS.devices, { page, count: 2, stationId })),
      ),
    );
    expect(pages.map(({ list }) => list.length)).toEqual([2, 2, 1, 0]);
    expect(pages.map((page) => page.total)).toEqual([total, total, total, total]);
    expect(pages.flatMap(({ list }) => list.map(({ id }) => id))).toEqual(
      simulator.deviceIds(stationId),
    );
  });

  test('holds every device of the account when no station is named', async () => {
    const { simulator, ask } = await startSimulator({ stations: 2, devicesPerStation: 2 });
    const { total, list } = dataOf<Page>(await ask(PATHS.devices, { page: 1, count: 50 }));
    expect(total).toBe(4);
    expect(list.map(({ id }) => id)).toEqual(
      simulator.stationIds.flatMap((stationId) => simulator.deviceIds(stationId)),
    );
  });

  test('counts its pages in the total when asked to', async () => {
    const { ask, stationId } = await startSimulator({ devicesPerStation: 5, totalIsPages: true });
    const body = { page: 1, count: 2, stationId };
    expect(dataOf<Page>(await ask(PATHS.devices, body)).total).toBe(3);
  });

  test('tells what each device makes, has made today and ever', async () => {
    const { simulator, ask, stationId, deviceId, clock } = await startSimulator();
    const { list } = dataOf<Page>(await ask(PATHS.devices, { page: 1, count: 50, stationId }));
    const truth = simulator.truth(deviceId, clock.nowMs());
    const [record] = list;
    expect(record?.['producingPower']).toBeCloseTo(truth.pvPowerWatts / 1000, 3);
    expect(record?.['dailyProducedQuantity']).toBeCloseTo(
      truth.energy().today.pvWattHours / 1000,
      2,
    );
    expect(record?.['totalProducedQuantity']).toBeCloseTo(
      truth.energy().lifetime.pvWattHours / 1000,
      2,
    );
    expect(
      Number(record?.['totalProducedQuantityExcludeToday']) +
        Number(record?.['dailyProducedQuantity']),
    ).toBeCloseTo(Number(record?.['totalProducedQuantity']), 6);
    expect(record).toMatchObject({
      ratedPower: expect.any(Number) as number,
      deviceSortKey: 'pvInverter',
      deviceSortLocaleText: 'PV inverter',
      gatherProtocolNumber: 'SIM0000001',
      isAlarmed: false,
    });
  });

  test.each([
    { family: 'mega-eco', model: null },
    { family: 'msdc', model: null },
    { family: 'uwb1', model: 'SIM-5K' },
  ] as const)('gives the model of $family as $model', async ({ family, model }) => {
    const { ask, stationId } = await startSimulator({ family });
    const { list } = dataOf<Page>(await ask(PATHS.devices, { page: 1, count: 50, stationId }));
    expect(list[0]?.['model']).toBe(model);
    expect(list[0]?.['gatherProtocolNumber']).toMatch(/^SIM\d{7}$/);
  });

  test('follows devices that join and leave', async () => {
    const { simulator, ask, stationId } = await startSimulator();
    simulator.setDeviceCount(stationId, 3);
    const body = { page: 1, count: 50, stationId };
    expect(dataOf<Page>(await ask(PATHS.devices, body)).list).toHaveLength(3);
    simulator.setDeviceCount(stationId, 0);
    expect(dataOf<Page>(await ask(PATHS.devices, body))).toMatchObject({ total: 0, list: [] });
  });

  test('follows stations that join and leave', async () => {
    const { simulator, ask, stationId } = await startSimulator();
    simulator.setStations(2);
    expect(simulator.stationIds).toHaveLength(2);
    simulator.setStations(0);
    const answer = await ask(PATHS.devices, { page: 1, count: 50, stationId });
    expect(envelopeOf(answer).code).toBe(20_101);
    expect(() => simulator.deviceIds(stationId)).toThrow(RangeError);
  });

  test.each([
    { when: 'page 0', change: { page: 0 } },
    { when: 'a fractional page', change: { page: 1.5 } },
    { when: 'a page in words', change: { page: '1' } },
    { when: 'no page', change: { page: undefined } },
    { when: 'count 0', change: { count: 0 } },
    { when: 'count 2001', change: { count: 2001 } },
    { when: 'a station that is null', change: { stationId: null } },
    { when: 'an unknown station', change: { stationId: '1' } },
    { when: 'a station id as a number', change: { stationId: 123_456_789_012_345_680 } },
  ])('is refused with code 20101 for $when', async ({ change }) => {
    const { ask, stationId } = await startSimulator();
    const answer = await ask(PATHS.devices, { page: 1, count: 50, stationId, ...change });
    expect(answer.status).toBe(200);
    expect(envelopeOf(answer).code).toBe(20_101);
  });
});
