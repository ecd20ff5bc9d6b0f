import { describe, expect, test } from 'vitest';
import { ANSWER_LIMITS, LIST_LIMITS, type NoteDropped } from '../../../src/base/limits.ts';
import { AlarmList } from '../../../src/client/alarms/alarm-list.ts';
import { decodeAlarmPage, decodeFiringAlarms } from '../../../src/client/alarms/alarm-wire.ts';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../../src/client/devices/device-samples.ts';
import { decodeTimeSeries } from '../../../src/client/devices/time-series.ts';
import { decodeSettings } from '../../../src/client/settings/settings-wire.ts';
import {
  decodeDevicePage,
  decodeStationPage,
} from '../../../src/client/stations/inventory-pages.ts';
import { Inventory } from '../../../src/client/stations/inventory.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../../client/exchange/caller-harness.ts';

const PATH = '/path';
const many = <T>(length: number, entry: (index: number) => T) =>
  Array.from({ length }, (_, index) => entry(index));
const keyed = (length: number, value: unknown = 1) =>
  Object.fromEntries(many(length, (index) => [`key${index}`, value]));

const { recordsPerPage, alarmsPerPage, alarmsPerDevice, settingsPerDevice, keysPerDevice } =
  ANSWER_LIMITS;

/** Each list of the service, one entry longer than its limit, and what is kept of it. */
const LISTS: readonly {
  readonly what: string;
  readonly most: number;
  readonly reason: string;
  readonly decode: (count: number, noteDropped: NoteDropped) => number;
}[] = [
  {
    what: 'devices of a page',
    most: recordsPerPage,
    reason: 'devices',
    decode: (count, note) =>
      decodeDevicePage({ list: many(count, (id) => ({ id })) }, PATH, note).entries.length,
  },
  {
    what: 'stations of a page',
    most: recordsPerPage,
    reason: 'stations',
    decode: (count, note) =>
      decodeStationPage({ list: many(count, (id) => ({ id })) }, PATH, undefined, note).entries
        .length,
  },
  {
    what: 'alarms of a page',
    most: alarmsPerPage,
    reason: 'alarms',
    decode: (count, note) => {
      const list = many(count, (index) => ({ key: `k${index}`, deviceId: '1' }));
      return decodeAlarmPage({ list }, PATH, undefined, note).active.length;
    },
  },
  {
    what: 'alarms that a device says itself',
    most: alarmsPerDevice,
    reason: 'alarms',
    decode: (count, note) =>
      decodeFiringAlarms(
        many(count, (index) => ({ key: `k${index}` })),
        note,
      ).length,
  },
  {
    what: 'settings by name',
    most: settingsPerDevice,
    reason: 'settings',
    decode: (count, note) => decodeSettings(keyed(count), PATH, undefined, note).size,
  },
  {
    what: 'settings in a list',
    most: settingsPerDevice,
    reason: 'settings',
    decode: (count, note) => {
      const list = many(count, (index) => ({ key: `k${index}`, value: 1 }));
      return decodeSettings(list, PATH, undefined, note).size;
    },
  },
  {
    what: 'keys of a time series',
    most: keysPerDevice,
    reason: 'keys',
    decode: (count, note) => {
      const payload = { timeSeries: [], fields: keyed(count, [1]) };
      return decodeTimeSeries({ payload }, PATH, undefined, note).length;
    },
  },
  {
    what: 'keys of a latest state',
    most: keysPerDevice,
    reason: 'keys',
    decode: (count, note) =>
      decodeLatestState({ fields: keyed(count, { value: 1 }) }, PATH, undefined, note).samples
        .length,
  },
  {
    what: 'values of an energy flow',
    most: keysPerDevice,
    reason: 'keys',
    decode: (count, note) => {
      const extraValues = many(count - 1, (index) => ({ key: `k${index}`, value: 1 }));
      const gridFlow = { value: { key: 'first', value: 1 }, extraValues };
      return decodeEnergyFlow({ gridFlow }, PATH, undefined, note).length;
    },
  },
  {
    what: 'keys of a catalogue',
    most: keysPerDevice,
    reason: 'keys',
    decode: (count, note) =>
      decodeCatalogue(
        many(count, (index) => ({ key: `k${index}` })),
        PATH,
        undefined,
        note,
      ).length,
  },
];

describe('of one answer', () => {
  test.each(LISTS)('at most $most $what are read', ({ most, reason, decode }) => {
    const dropped: string[] = [];
    const note: NoteDropped = (limit, count) => dropped.push(`${count} ${limit}`);
    expect(decode(most, note)).toBe(most);
    expect(dropped).toEqual([]);
    expect(decode(most + 2, note)).toBe(most);
    expect(dropped).toEqual([`2 ${reason}`]);
  });

  test('the choices of a setting and the words of a key are limited', () => {
    const enumValues = many(200, (value) => ({ value, text: `word ${value}` }));
    const setting = decodeSettings({ mode: { value: 1, enumValues } }, PATH).get('mode');
    expect(setting?.choices).toHaveLength(ANSWER_LIMITS.choicesPerSetting);
    const [key] = decodeCatalogue([{ key: 'mode', enumValues }], PATH);
    expect(key?.words?.size).toBe(ANSWER_LIMITS.choicesPerSetting);
  });

  test('the newest values of a key count, however many are older', () => {
    const nulls = many(ANSWER_LIMITS.valuesPerKey, () => null);
    const valueOf = (elements: readonly unknown[]) =>
      decodeTimeSeries({ payload: { timeSeries: [], fields: { power: elements } } }, PATH)[0]
        ?.number?.value;
    expect(valueOf([7, ...nulls.slice(1)])).toBe(7);
    expect(valueOf([7, ...nulls])).toBeUndefined();
  });
});

describe('of a list', () => {
  const LIMITS = { ...LIST_LIMITS, stations: 3, devices: 3, alarms: 3 };

  test('that does not end, no more is asked for than its limit', async () => {
    const { caller, transport, dropped, dropLog } = createCaller(({ body }) => {
      const { page } = JSON.parse(body ?? '') as { page: number };
      return { code: 0, data: { list: many(50, (index) => ({ id: `${page}-${index}` })) } };
    });
    const inventory = new Inventory(caller, new SilentLog(), LIMITS);
    expect(await inventory.listDevices('1')).toHaveLength(3);
    expect(await inventory.listStations()).toHaveLength(3);
    expect(transport.requests).toHaveLength(2);
    expect(dropped).toEqual(['47 devices', '47 stations']);
    await inventory.listStations();
    expect(dropLog.lines.map(({ fields }) => fields['list'])).toEqual([
      'devices, station 1',
      'stations',
    ]);
  });

  test('of alarms, the first are kept: of one device and in all', async () => {
    const alarmsOf = async (list: readonly object[]) => {
      const { caller, clock, dropped } = createCaller(() => ({ code: 0, data: { list } }));
      const { alarms } = await new AlarmList(caller, clock, new SilentLog(), LIMITS).firing('1');
      return { kept: alarms.length, dropped };
    };
    const onDevices = many(5, (index) => ({ key: 'fault', deviceId: String(index) }));
    expect(await alarmsOf(onDevices)).toEqual({ kept: 3, dropped: ['2 alarms'] });
    const list = new AlarmList(
      createCaller(() => ({
        code: 0,
        data: { list: many(120, (index) => ({ key: `k${index}`, deviceId: '1' })) },
      })).caller,
      createCaller().clock,
      new SilentLog(),
    );
    expect((await list.firing('1')).alarms).toHaveLength(alarmsPerDevice);
  });
});
