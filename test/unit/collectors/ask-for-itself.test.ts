import { describe, expect, test } from 'vitest';
import type { ServiceErrorCode } from '../../../src/base/errors.ts';
import { askForDevice, askForStation } from '../../../src/collectors/inventory/ask-for-itself.ts';
import type { Device } from '../../../src/model/station.ts';
import type { Readings } from '../../../src/model/readings.ts';
import { reportOf } from '../../support/device-report.ts';
import { FakeServiceApi } from '../../support/fake-service-api.ts';

const SINCE_MS = 1_000_000;
const STATION = { stationId: 'house' };
const DEVICE = { deviceId: 'inverter', unlistedSinceMs: SINCE_MS };
const RECORD = 'device inverter';
const READINGS = 'readings inverter';

interface Answers {
  readonly record?: Device | ServiceErrorCode;
  readonly readings?: Readings | ServiceErrorCode;
  readonly serviceAheadMs?: number;
}

function createApi({ record, readings = {}, serviceAheadMs = 0 }: Answers) {
  const api = new FakeServiceApi();
  if (typeof record === 'string') api.fail(RECORD, record);
  else if (record !== undefined) api.records.set('inverter', record);
  if (typeof readings === 'string') api.fail(READINGS, readings);
  else api.report = reportOf(readings, { serviceAheadMs });
  return api;
}

describe('a device that is asked for itself', () => {
  test.each<Answers & { readonly when: string; readonly expected: string }>([
    { when: 'has a record', record: { deviceId: 'inverter' }, expected: 'there' },
    {
      when: 'has a record of its station',
      record: { deviceId: 'inverter', stationId: 'house' },
      expected: 'there',
    },
    {
      when: 'has a record of another station',
      record: { deviceId: 'inverter', stationId: 'barn' },
      readings: { pvPowerWatts: 1 },
      expected: 'nothing',
    },
    { when: 'cannot be asked', record: 'SERVICE_TIMEOUT', expected: 'unknown' },
    { when: 'has no record and no reading', expected: 'nothing' },
    {
      when: 'has no record and a reading without a time',
      readings: { pvPowerWatts: 1 },
      expected: 'there',
    },
    {
      when: 'has no record and a reading since then',
      readings: { pvPowerWatts: 1, measuredAtMs: SINCE_MS + 1 },
      expected: 'there',
    },
    {
      when: 'has no record and a reading of before',
      readings: { pvPowerWatts: 1, measuredAtMs: SINCE_MS },
      expected: 'nothing',
    },
    {
      when: 'has no record and a reading of before by our clock',
      readings: { pvPowerWatts: 1, measuredAtMs: SINCE_MS + 3000 },
      serviceAheadMs: 3000,
      expected: 'nothing',
    },
    { when: 'is refused', readings: 'SERVICE_API_REFUSED', expected: 'nothing' },
    { when: 'has no path', readings: 'SERVICE_REQUEST_REJECTED', expected: 'nothing' },
    {
      when: 'answers what nobody can read',
      readings: 'SERVICE_PAYLOAD_INVALID',
      expected: 'unknown',
    },
    { when: 'fails for the moment', readings: 'SERVICE_SERVER_ERROR', expected: 'unknown' },
  ])('is $expected when it $when', async ({ expected, ...answers }) => {
    expect(await askForDevice(createApi(answers), DEVICE, STATION)).toBe(expected);
  });

  test('is asked for its readings only where there is no record', async () => {
    const api = createApi({ record: { deviceId: 'inverter' } });
    await askForDevice(api, DEVICE, STATION);
    expect(api.questions).toEqual([RECORD]);
  });
});

describe('a station that is asked for itself', () => {
  const station = { ...STATION, unlistedSinceMs: SINCE_MS };
  const devices = [{ deviceId: 'inverter' }, { deviceId: 'second' }];

  test('is there while one of its devices is, and the others are not asked', async () => {
    const api = createApi({ record: { deviceId: 'inverter' } });
    expect(await askForStation(api, station, devices)).toBe('there');
    expect(api.questions).toEqual([RECORD]);
  });

  test('is nothing when none of its devices answers', async () => {
    expect(await askForStation(createApi({}), station, devices)).toBe('nothing');
    expect(await askForStation(createApi({}), station, [])).toBe('nothing');
  });

  test('is unknown when a device cannot be asked', async () => {
    const api = createApi({ record: 'SERVICE_UNREACHABLE' });
    expect(await askForStation(api, station, devices)).toBe('unknown');
  });
});
