import { describe, expect, test } from 'vitest';
import { startScriptedProcess } from './commands/fake-process.ts';
import { MINUTE_MS, openHouse, PLAIN } from './house.ts';
import {
  deviceList,
  liveHistory,
  type PortalAnswer,
  type PortalRequest,
  type Script,
  stationList,
} from './scripted-service.ts';

const SHARED = [
  { id: 'a', stationId: '1', stationName: 'Barn', stationTimezone: 'Asia/Tokyo' },
  { id: 'b', stationId: '1', stationName: 'Barn', stationTimezone: 'Asia/Tokyo' },
  { id: 'c', stationId: '2', stationName: 'Hut', stationTimezone: 'UTC+8' },
];
const NONE = stationList();
const REFUSED: PortalAnswer = { envelope: { code: 70_001, message: 'no right' } };

/** What a service says that is asked for the devices of one of these stations. */
const OF_STATION: readonly (readonly [says: string, answer: (id: unknown) => PortalAnswer])[] = [
  ['its devices', (id) => deviceList(...SHARED.filter(({ stationId }) => stationId === id))],
  ['all devices', () => deviceList(...SHARED)],
  ['nothing', () => deviceList()],
  ['a refusal', () => REFUSED],
];

const sharing = (ofStation: (id: unknown) => PortalAnswer): Script => ({
  stations: NONE,
  devices: ({ body }: PortalRequest) =>
    body['stationId'] === undefined ? deviceList(...SHARED) : ofStation(body['stationId']),
  readings: liveHistory(),
});

describe.each(OF_STATION)('plants of others, of which the list says %s', (says, ofStation) => {
  test('are the stations that devices name', async () => {
    const house = await openHouse(sharing(ofStation), { flags: PLAIN });
    await house.scrape();
    await house.follow({
      afterMs: MINUTE_MS,
      page: {
        'solar_station_info{station_id="1",name="Barn",time_zone="Asia/Tokyo"}': 1,
        'solar_station_info{station_id="2",name="Hut",time_zone="+08:00"}': 1,
        'solar_station_devices{station_id="1"}': 2,
        'solar_station_devices{station_id="2"}': 1,
        'solar_pv_power_watts{station_id="1",device_id="b"}': 1200,
        'solar_pv_power_watts{station_id="2",device_id="c"}': 1200,
        'solar_up{station_id="1"}': 1,
        'solar_up{station_id="2"}': 1,
      },
    });
  });

  test('are found by their ids, too', async () => {
    const house = await openHouse(sharing(ofStation), { flags: { ...PLAIN, station: '2' } });
    const page = { 'solar_pv_power_watts{station_id="2",device_id="c"}': 1200 };
    // A refusal says nothing about the id, so that nothing else is asked.
    await house.follow({ page: says === 'a refusal' ? {} : page });
  });

  test('are checked, listed and read', async () => {
    const { shell } = await startScriptedProcess(sharing(ofStation));
    const { status, out } = await shell.run('check');
    expect(out).toMatch(/\nstations +ok +2 in the account\n/);
    expect(out).toMatch(/\nreadings +ok +device a: /);
    expect(status).toBe(0);
    expect((await shell.run('devices')).out).toMatch(/\n2 +c /);
  });
});

describe('an account with nothing', () => {
  test.each<[why: string, devices: PortalAnswer]>([
    ['lists no device', deviceList()],
    ['lists a device that names no station', deviceList({})],
    ['may not list devices', REFUSED],
  ])('that %s says what to do', async (_why, devices) => {
    const advice = 'add the plant to this account in the app of the portal';
    const script: Script = { stations: NONE, devices };
    const { shell } = await startScriptedProcess(script);
    const { status, out } = await shell.run('check');
    expect(status).toBe(1);
    expect(out).toMatch(/\nstations +ok +0 in the account\n/);
    expect(out).toContain(`\nstations\n  → ${advice}`);
    const house = await openHouse(script, { flags: PLAIN });
    await house.scrape();
    expect(await house.read()).toContain(advice);
    expect(await house.status()).toMatchObject({
      problems: [
        {
          level: 'warning',
          what: 'no stations',
          remedy: expect.stringContaining(advice) as string,
        },
      ],
    });
    // One that is added later appears.
    Object.assign(house.answers, { stations: stationList('7'), devices: deviceList({ id: 'x' }) });
    await house.follow({ afterMs: 5 * MINUTE_MS, page: { 'solar_up{station_id="7"}': 1 } });
  });
});
