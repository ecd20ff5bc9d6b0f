import { describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, openHouse } from '../house.ts';
import { devicesAnswering } from '../device-answers.ts';
import {
  ACCOUNT,
  CLASSIC,
  deviceList,
  latest,
  liveHistory,
  type PortalAnswer,
  type Script,
  stationList,
  type TaggedFields,
} from '../scripted-service.ts';

/** Longer than a name is shown, which would be cut between the halves of a character. */
const LONG_NAME = `xxx${'Söller ☀🔋 '.repeat(30)}`;

/** The energies of a summary: a value of each quantity at each of these times. */
function energies(points: Readonly<Record<string, number>>): PortalAnswer {
  const others = ['consume', 'charge', 'discharge'].map((name) => `${name}ElectricityQuantity`);
  const keys = ['pvGeneratedEnergy', 'buyElectricityQuantity', 'sellElectricityQuantity'];
  const properties = [...keys, ...others].map((key, index) => ({
    property: { key, unit: 'kWh' },
    hasRealTimePoints: true,
    timePoints: Object.entries(points).map(([time, value]) => ({
      time,
      value: value + index,
      isRealValue: true,
    })),
  }));
  return { data: { properties } };
}

const expiry = { accessTokenWillExpiredInMillis: 2 * HOUR_MS };
const TOKENS: PortalAnswer = {
  data: { accessToken: 'access', refreshToken: 'refresh', ...expiry },
};

const EVERYTHING: Script = {
  summary: energies({ '2026-07': 80, '2026-08': 100 }),
  summaryDays: energies({ '2026-08-23': 20, '2026-08-24': 12.5 }),
  summaryYears: energies({ '2025': 1000, '2026': 2400 }),
  settingsGet: { data: { operatingMode: 'Backup' } },
  login: TOKENS,
};

/** Opens a house; `answer` is what a program gets, once a scrape has made everything known. */
async function open(...given: Parameters<typeof openHouse>) {
  const house = await openHouse(...given);
  const answer = async (): Promise<unknown> => {
    await house.scrape();
    return house.status();
  };
  return Object.assign(house, { answer });
}

/** As text: the order of the fields is recorded as well. */
async function expectRecorded(answer: unknown, name: string): Promise<void> {
  const answered = JSON.stringify(answer, null, 2);
  // The port of the scripted service is another one each time.
  const text = `${answered.replaceAll(/127\.0\.0\.1:\d+/g, 'service.example')}\n`;
  await expect(text).toMatchFileSnapshot(`../../fixtures/status/${name}.json`);
}

describe('the answer of /api/v1/status is as recorded', () => {
  test('when a station has devices of all kinds', async () => {
    // The logger was away for half an hour, which is more than a gap between two readings.
    const isAway = (atMs: number) =>
      atMs % HOUR_MS > 5 * MINUTE_MS && atMs % HOUR_MS < 35 * MINUTE_MS;
    const day = liveHistory((atMs) => (isAway(atMs) ? {} : { ...CLASSIC, pvInputPower: 1234.5 }));
    // Soon after midnight at the station, so that the day has few points yet.
    const time = '2026-08-23T21:40:00.000Z';
    const family: TaggedFields = {
      generationPower: [0.9, 'kW'],
      outputActivePower: [0.45, 'kW'],
      batteryCapacity: [50, '%'],
      mode: ['Battery Mode', ''],
      inverterTemperature: [255, '°C'],
      bmsCommunicationNormal: ['1', ''],
    };
    const { answer } = await open(
      {
        ...EVERYTHING,
        ...devicesAnswering({
          71: { series: day, record: { name: 'Roof\nSouth', dailyProducedQuantity: 12.5 } },
          72: {
            latest: latest(family, { time }),
            record: { name: 'Barn', model: '', isOnline: true },
          },
          73: {
            latest: latest({ workMode: ['17', ''], pv1Power: [5, 'W'], pv2Power: [null, 'W'] }),
            record: { name: LONG_NAME },
          },
          74: { record: { name: '', isOnline: false } },
        }),
        alarms: ({ body }) => {
          const alarm = { deviceId: '72', key: 'lineLoss', level: 2, disappearedAt: null };
          const asked = body['deviceId'] ?? body['deviceIds'];
          const all = [
            { ...alarm, deviceId: '73', key: LONG_NAME, level: 1 },
            alarm,
            { ...alarm, key: 'batteryLow', level: 3 },
          ].filter(({ deviceId }) => asked === undefined || String(asked).includes(deviceId));
          return { data: { total: all.length, list: all } };
        },
      },
      { env: ACCOUNT, now: '2026-08-23T21:46:00Z', flags: { 'collect.settings': 'true' } },
    );
    await expectRecorded(await answer(), 'full-station');
  });

  test('when the service fails and values have been withdrawn', async () => {
    const house = await open({
      devices: deviceList({ id: 'silent', dailyProducedQuantity: 3 }, { id: 'gone', name: 'Gone' }),
    });
    await house.answer();
    house.answers.readings = { status: 503 };
    house.answers.devices = deviceList({ id: 'silent' });
    house.clock.advance(HOUR_MS + MINUTE_MS);
    await house.answer();
    house.answers.devices = { status: 503 };
    house.clock.advance(16 * MINUTE_MS);
    await expectRecorded(await house.answer(), 'stations-in-trouble');
  });

  test('when the service refuses everything from the start', async () => {
    const { answer } = await open({ stations: { status: 401 } });
    await expectRecorded(await answer(), 'nothing-known');
  });

  test('when the account has nothing', async () => {
    const { answer } = await open({ stations: stationList(), devices: deviceList() });
    await expectRecorded(await answer(), 'no-stations');
  });
});
