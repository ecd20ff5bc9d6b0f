import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/client/exchange/json.ts';
import { decodeDevicePage, decodeStationPage, OddListError } from '../../../src/client/stations.ts';
import { ANSWER } from '../../support/answer.ts';

const INVALID = expect.objectContaining({ code: 'SERVICE_PAYLOAD_INVALID' }) as Error;

const pageOf = (data: unknown) => decodeDevicePage(data, ANSWER);
/** The devices without the date that all of them have. */
const devicesOf = (...list: unknown[]) =>
  pageOf({ list }).entries.map(({ listedAtMs, serviceAheadMs, ...device }) => {
    expect([listedAtMs, serviceAheadMs]).toEqual([5000, 3000]);
    return device;
  });
const stationsOf = (...list: unknown[]) => decodeStationPage({ list }, ANSWER).entries;

describe('a page', () => {
  test.each<[totals: readonly unknown[], total: number | undefined]>([
    [[3, '3', ' 3 '], 3],
    [[0], 0],
    [[null, 'many', '9'.repeat(400), '', undefined], undefined],
  ])('has by any of the totals %j this many entries: %j', (totals, total) => {
    for (const wire of totals) expect(pageOf({ total: wire, list: [] }).total).toBe(total);
  });

  test.each([{ list: null }, {}])('is empty without a list: %j', (data) => {
    expect(pageOf(data)).toMatchObject({ entries: [], length: 0 });
  });

  test.each([{}, 'none'])('is odd with %j in the place of the list', (list) => {
    expect(() => pageOf({ list })).toThrow(OddListError);
    expect(() => decodeStationPage({ list }, ANSWER)).toThrow(INVALID);
  });

  test('skips records without an id and counts them as sent', () => {
    const list = [{ id: '1' }, { name: 'nameless' }, null, 'text', [], { id: '' }, { id: '2' }];
    const page = pageOf({ list });
    expect(page.entries.map(({ deviceId }) => deviceId)).toEqual(['1', '2']);
    expect(page.length).toBe(list.length);
  });

  test('is invalid when no record has an id', () => {
    expect(() => stationsOf({ name: 'Home' })).toThrow('no record on the page has an id');
  });

  test('cannot be read from a list', () => {
    expect(() => pageOf([])).toThrow(INVALID);
  });
});

describe('an id', () => {
  test.each([
    ['100000000000000001', '100000000000000001'],
    ['0', '0'],
    ['" 7 "', '7'],
  ])('%s is "%s"', (json, id) => {
    expect(devicesOf(parseJson(`{"id":${json}}`))).toEqual([{ deviceId: id }]);
    expect(stationsOf(parseJson(`{"id":${json}}`))).toEqual([{ stationId: id }]);
  });

  test.each(['-1', '1.5', 'true', '" "'])('is not %s', (json) => {
    expect(devicesOf({ id: 'good' }, parseJson(`{"id":${json}}`))).toHaveLength(1);
  });
});

describe('a device', () => {
  test.each<readonly [field: string, sent: unknown, name: string, read: unknown]>([
    ['deviceName', ' Garage inverter ', 'name', 'Garage inverter'],
    ['serialNumber', 'SN0001', 'serial', 'SN0001'],
    ['sn', 'SN0001', 'serial', 'SN0001'],
    ['dtuId', 100, 'dataloggerId', '100'],
    ['dtuDtuid', ' 0042 ', 'dataloggerNumber', '0042'],
    ['stationId', '3', 'stationId', '3'],
    ['stationName', 'Home ', 'stationName', 'Home'],
    ['stationTimezone', ' Europe/Kyiv ', 'stationTimeZone', 'Europe/Kyiv'],
    ['stationTimezone', 5.5, 'stationTimeZone', '+05:30'],
    ['stationTimezone', ' Europe ', 'unknownTimeZone', 'Europe'],
    ['ratedPower', 5.003, 'ratedPowerWatts', 5003],
    ['dailyProducedQuantity', 0, 'pvEnergyTodayKwh', 0],
    ['totalProducedQuantity', '1004.5', 'pvEnergyTotalKwh', 1004.5],
    ['lastDataAt', '2026-08-24T07:55:01Z', 'lastDataAtMs', Date.UTC(2026, 7, 24, 7, 55, 1)],
    ...[true, 1, 'true', ' TRUE ', '1'].map((on) => ['isOnline', on, 'isOnline', true] as const),
    ...[false, 0, 'false', '0'].map((off) => ['isOnline', off, 'isOnline', false] as const),
  ])('whose record says by %s: %j, has as its %s: %j', (field, sent, name, read) => {
    expect(devicesOf({ id: '1', [field]: sent })).toEqual([{ deviceId: '1', [name]: read }]);
  });

  test.each<[field: string, values: readonly unknown[]]>([
    ['name', [null, '']],
    ['serialNumber', [12]],
    ['model', [null]],
    ['isOnline', [null, 2, 'yes', 'constructor']],
    ['dtuDtuid', [' ']],
    ['stationId', [null]],
    ['ratedPower', [null, 0, -5, 'much']],
    ['dailyProducedQuantity', [null, -1, '']],
    ['totalProducedQuantity', [null, {}]],
    ['nonNullableProducingPower', [0]],
    ['lastDataAt', [null, 'yesterday']],
    ['stationTimezone', [null, '', ' ', true, {}]],
  ])('leaves out its %s where that is one of %j', (field, values) => {
    for (const value of values)
      expect(devicesOf({ id: '1', [field]: value })).toEqual([{ deviceId: '1' }]);
  });
});

test('the model of a device is the first of five names that is known', () => {
  const record: Record<string, string | null> = {
    model: 'SPH5000',
    gatherProtocolNameDisplay: 'Protocol 1',
    gatherProtocolNumber: 'XX0000000',
    deviceSortLocaleText: 'PV inverter',
    deviceSortKey: 'pvInverter',
  };
  for (const [field, model] of Object.entries(record)) {
    expect(devicesOf({ id: '1', ...record })).toEqual([{ deviceId: '1', model }]);
    record[field] = field === 'model' ? null : ' ';
  }
});

test.each<readonly [id: string, record: object, more: object]>([
  ['3', { id: '3', name: 'Home', totalPower: 1.23 }, { name: 'Home' }],
  ['1', { id: 1, stationId: 3, timezone: 'Asia/Tokyo' }, { timeZone: 'Asia/Tokyo' }],
  ['3', { stationId: 3, timezone: '+02:00' }, { timeZone: '+02:00' }],
  ['3', { stationId: 3, name: '', timezone: 'nowhere' }, { unknownTimeZone: 'nowhere' }],
])('the station %s of the record %j is %j', (stationId, record, more) => {
  expect(stationsOf(record)).toEqual([{ stationId, ...more }]);
});
