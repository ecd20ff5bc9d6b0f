import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { parse, parseJson } from '../../../src/client/exchange/decode.ts';
import {
  decodeDevicePage,
  decodeDeviceRecord,
  decodeStationPage,
  OddListError,
} from '../../../src/client/stations/inventory-pages.ts';

const PATH = '/apis/device/list';

const devicesOf = (...list: unknown[]) => decodeDevicePage({ list }, PATH).entries;
const stationsOf = (...list: unknown[]) => decodeStationPage({ list }, PATH).entries;

describe('a page', () => {
  test.each<{ totals: readonly unknown[]; total: number | undefined }>([
    { totals: [3, '3', ' 3 '], total: 3 },
    { totals: [0], total: 0 },
    { totals: [null, 'many', '9'.repeat(400), '', undefined], total: undefined },
  ])('has $total entries in all by any of $totals', ({ totals, total }) => {
    for (const wire of totals)
      expect(decodeDevicePage({ total: wire, list: [] }, PATH).total).toBe(total);
  });

  test.each([{ list: null }, {}])('is empty without a list: %j', (data) => {
    expect(decodeDevicePage(data, PATH)).toMatchObject({ entries: [], length: 0 });
  });

  test.each([{ list: {} }, { list: 'none' }, { list: 3 }, { list: true }])(
    'is odd with something else in the place of the list: %j',
    (data) => {
      expect(() => decodeDevicePage(data, PATH)).toThrow(OddListError);
      expect(() => decodeStationPage(data, PATH)).toThrow(
        expect.objectContaining({
          code: 'SERVICE_PAYLOAD_INVALID',
          message: `${PATH}: the list of the page is none`,
        }),
      );
    },
  );

  test('skips records without an id and counts them as sent', () => {
    const list = [{ id: '1' }, { name: 'nameless' }, null, 'text', [], { id: '' }, { id: '2' }];
    const page = decodeDevicePage({ list }, PATH);
    expect(page.entries.map(({ deviceId }) => deviceId)).toEqual(['1', '2']);
    expect(page.length).toBe(list.length);
  });

  test('is invalid when no record has an id', () => {
    expect(() => decodeStationPage({ list: [{ name: 'Home' }] }, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: `${PATH}: no record on the page has an id`,
      }),
    );
  });

  test.each([{ data: null }, { data: undefined }, { data: 'none' }, { data: [] }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decodeDevicePage(data, PATH)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
    },
  );
});

describe('the record of a device', () => {
  const time = { nowMs: 5000, serviceAheadMs: 3000, calendar: new ZonedCalendar('UTC') };

  test('is read like that of a list, and dated by the request', () => {
    expect(decodeDeviceRecord({ id: 1, name: 'Roof', stationId: '3' }, PATH, time)).toEqual({
      deviceId: '1',
      name: 'Roof',
      stationId: '3',
      listedAtMs: 5000,
      serviceAheadMs: 3000,
    });
  });

  test.each([{ data: null }, { data: undefined }, { data: {} }, { data: { name: 'Roof' } }])(
    'is none in $data',
    ({ data }) => {
      expect(decodeDeviceRecord(data, PATH, time)).toBeUndefined();
    },
  );

  test.each([{ data: 'none' }, { data: [] }, { data: 7 }])('cannot be $data', ({ data }) => {
    expect(() => decodeDeviceRecord(data, PATH, time)).toThrow(
      expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
    );
  });
});

describe('an id', () => {
  test.each([
    { json: '"100000000000000001"', id: '100000000000000001' },
    { json: '100000000000000001', id: '100000000000000001' },
    { json: '9007199254740993', id: '9007199254740993' },
    { json: '42', id: '42' },
    { json: '0', id: '0' },
    { json: '" 7 "', id: '7' },
  ])('$json is "$id"', ({ json, id }) => {
    expect(devicesOf(parseJson(`{"id":${json}}`))).toMatchObject([{ deviceId: id }]);
    expect(stationsOf(parseJson(`{"id":${json}}`))).toMatchObject([{ stationId: id }]);
  });

  test.each(['-1', '1.5', 'null', 'true', '""', '" "', '{}', '[1]'])('is not %s', (json) => {
    expect(devicesOf({ id: 'good' }, parseJson(`{"id":${json}}`))).toHaveLength(1);
  });
});

describe('a device', () => {
  test('has everything that its record says about it', () => {
    const record = {
      id: '100000000000000001',
      deviceId: 'not this one',
      name: ' Garage inverter ',
      deviceName: 'not this one',
      serialNumber: 'SN0001',
      sn: 'not this one',
      model: 'Model 1',
      isOnline: true,
      dtuId: 100,
      dtuDtuid: ' 00000000000000000042 ',
      stationId: '3',
      stationName: 'Home ',
      stationTimezone: ' Europe/Kyiv ',
      producingPower: 1.23,
      nonNullableProducingPower: 1.23,
      ratedPower: 5.003,
      dailyProducedQuantity: 4.5,
      totalProducedQuantity: '1004.5',
      lastDataAt: '2026-08-24T07:55:01Z',
    };
    expect(devicesOf(record)).toEqual([
      {
        deviceId: '100000000000000001',
        name: 'Garage inverter',
        serial: 'SN0001',
        model: 'Model 1',
        isOnline: true,
        dataloggerId: '100',
        dataloggerNumber: '00000000000000000042',
        stationId: '3',
        stationName: 'Home',
        stationTimeZone: 'Europe/Kyiv',
        ratedPowerWatts: 5003,
        pvEnergyTodayKwh: 4.5,
        pvEnergyTotalKwh: 1004.5,
        lastDataAtMs: Date.parse('2026-08-24T07:55:01Z'),
      },
    ]);
  });

  test('is read from alternative fields, too', () => {
    expect(devicesOf({ deviceId: 5, deviceName: 'Garage inverter', sn: 'SN0001' })).toMatchObject([
      { deviceId: '5', name: 'Garage inverter', serial: 'SN0001' },
    ]);
  });

  test.each(
    Object.entries({
      name: [null, ''],
      serialNumber: [12],
      model: [null],
      isOnline: [null, 2, 'yes', 'constructor'],
      dtuDtuid: [' '],
      stationId: [null],
      ratedPower: [null, 0, -5, 'much'],
      dailyProducedQuantity: [null, -1, ''],
      totalProducedQuantity: [null, {}],
      nonNullableProducingPower: [0],
      lastDataAt: [null, 'yesterday'],
      stationTimezone: ['Europe', '+02:00', 8],
    }),
  )('leaves out its %s where that is one of %j', (field, values) => {
    for (const value of values)
      expect(devicesOf({ id: '1', [field]: value })).toEqual([{ deviceId: '1' }]);
  });
});

describe('the model of a device', () => {
  const names = {
    model: 'SPH5000',
    gatherProtocolNameDisplay: 'Protocol 1',
    gatherProtocolNumber: 'XX0000000',
    deviceSortLocaleText: 'PV inverter',
    deviceSortKey: 'pvInverter',
  };

  test.each(Object.entries(names))('is its %s where nothing better is known', (field, expected) => {
    const fields = Object.keys(names);
    const unknown = fields.slice(0, fields.indexOf(field));
    const blank = Object.fromEntries(
      unknown.map((name, index) => [name, index === 0 ? null : ' ']),
    );
    expect(devicesOf({ id: '1', ...names, ...blank })).toMatchObject([{ model: expected }]);
  });
});

test.each([
  { isOnline: true, spelt: [true, 1, 'true', ' TRUE ', '1'] },
  { isOnline: false, spelt: [false, 0, 'false', '0'] },
])('a device is online or not, $isOnline, in any of $spelt', ({ isOnline, spelt }) => {
  for (const wire of spelt)
    expect(devicesOf({ id: '1', isOnline: wire })).toEqual([{ deviceId: '1', isOnline }]);
});

test('a day without energy is a day of 0 kWh', () => {
  expect(devicesOf({ id: '1', dailyProducedQuantity: 0 })).toMatchObject([{ pvEnergyTodayKwh: 0 }]);
});

describe('a station', () => {
  test.each([
    {
      record: { id: '3', name: 'Home', timezone: 'Europe/Kyiv', totalPower: 1.23 },
      station: { stationId: '3', name: 'Home', timeZone: 'Europe/Kyiv' },
    },
    { record: { stationId: 3 }, station: { stationId: '3' } },
    { record: { id: 1, stationId: 3 }, station: { stationId: '1' } },
    { record: { id: '3', name: '', timezone: 'nowhere' }, station: { stationId: '3' } },
  ])('is $station for $record', ({ record, station }) => {
    expect(stationsOf(record)).toEqual([station]);
  });
});

describe('parse', () => {
  test('names the field that does not fit and not its value', () => {
    const schema = z.object({ payload: z.object({ account: z.number() }) });
    expect(() => parse(schema, { payload: { account: 'user@example.org' } }, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: `${PATH}: unexpected answer: payload.account Invalid input: expected number, received string`,
      }),
    );
  });
});
