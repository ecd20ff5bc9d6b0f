import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseJson } from '../../src/client/json.ts';
import {
  decodeDevicePage,
  decodeSettings,
  decodeStationPage,
  parse,
} from '../../src/client/wire.ts';

const PATH = '/apis/device/list';

const devicesOf = (...list: unknown[]) => decodeDevicePage({ list }, PATH, 50).entries;
const stationsOf = (...list: unknown[]) => decodeStationPage({ list }, PATH, 50).entries;

describe('a page', () => {
  test.each([
    { total: 3, expected: 3 },
    { total: '3', expected: 3 },
    { total: 0, expected: 0 },
    { total: null, expected: undefined },
    { total: 'many', expected: undefined },
    { total: '', expected: undefined },
    { expected: undefined },
  ])('with the total $total has $expected entries in all', ({ expected, ...fields }) => {
    expect(decodeDevicePage({ ...fields, list: [] }, PATH, 50).total).toBe(expected);
  });

  test.each([{ list: null }, { list: {} }, { list: 'none' }, { list: 3 }, {}])(
    'is empty and short when its list is no array: %j',
    (data) => {
      expect(decodeDevicePage(data, PATH, 50)).toMatchObject({ entries: [], isShort: true });
    },
  );

  test('passes over records that cannot be named, and counts them as sent', () => {
    const list = [{ id: '1' }, { name: 'nameless' }, null, 'text', [], { id: '' }, { id: '2' }];
    const page = decodeDevicePage({ list }, PATH, list.length);
    expect(page.entries.map(({ deviceId }) => deviceId)).toEqual(['1', '2']);
    expect(page.isShort).toBe(false);
    expect(decodeDevicePage({ list }, PATH, list.length + 1).isShort).toBe(true);
  });

  test('is invalid when not one record can be named', () => {
    expect(() => decodeStationPage({ list: [{ name: 'Home' }] }, PATH, 50)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: `${PATH}: no record on the page has an id`,
      }),
    );
  });

  test.each([{ data: null }, { data: undefined }, { data: 'none' }, { data: [] }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decodeDevicePage(data, PATH, 50)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
    },
  );
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
      stationName: 'Home',
      stationTimezone: 'Europe/Kyiv',
      producingPower: 1.23,
    };
    expect(devicesOf(record)).toEqual([
      {
        deviceId: '100000000000000001',
        name: 'Garage inverter',
        serial: 'SN0001',
        model: 'Model 1',
        isOnline: true,
        stationName: 'Home',
        stationTimeZone: 'Europe/Kyiv',
      },
    ]);
  });

  test('goes by its other names as well', () => {
    expect(devicesOf({ deviceId: 5, deviceName: 'Garage inverter', sn: 'SN0001' })).toMatchObject([
      { deviceId: '5', name: 'Garage inverter', serial: 'SN0001' },
    ]);
  });

  test.each([
    { field: 'name', value: null },
    { field: 'name', value: '' },
    { field: 'serialNumber', value: 12 },
    { field: 'model', value: null },
    { field: 'isOnline', value: null },
    { field: 'isOnline', value: 'true' },
    { field: 'stationTimezone', value: 'Europe' },
    { field: 'stationTimezone', value: '+02:00' },
    { field: 'stationTimezone', value: 8 },
  ])('leaves out a $field that is $value', ({ field, value }) => {
    expect(devicesOf({ id: '1', [field]: value })).toEqual([{ deviceId: '1' }]);
  });
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

describe('the settings', () => {
  test('are text, numbers and booleans; the rest is shown as JSON, and null is absent', () => {
    const settings = decodeSettings(
      {
        operatingMode: 'Self-Use',
        maxChargingCurrent: 60,
        gridChargingEnabled: false,
        batteryPriority: null,
        outputSourcePrioritySetting: { value: '1', valueDisplay: 'SUB' },
        schedule: [1, 2],
      },
      PATH,
    );
    expect(Object.fromEntries(settings)).toEqual({
      operatingMode: 'Self-Use',
      maxChargingCurrent: 60,
      gridChargingEnabled: false,
      outputSourcePrioritySetting: '{"value":"1","valueDisplay":"SUB"}',
      schedule: '[1,2]',
    });
  });

  test.each([{ data: {} }, { data: null }, { data: undefined }])(
    'are none in $data',
    ({ data }) => {
      expect(decodeSettings(data, PATH).size).toBe(0);
    },
  );

  test.each([{ data: [] }, { data: 'none' }, { data: 3 }])(
    'cannot be read from $data',
    ({ data }) => {
      expect(() => decodeSettings(data, PATH)).toThrow(
        expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }),
      );
    },
  );
});

describe('parse', () => {
  test('says where an answer does not fit, and not what was there', () => {
    const schema = z.object({ payload: z.object({ account: z.number() }) });
    expect(() => parse(schema, { payload: { account: 'user@example.org' } }, PATH)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_PAYLOAD_INVALID',
        message: `${PATH}: unexpected answer: payload.account Invalid input: expected number, received string`,
      }),
    );
  });
});
