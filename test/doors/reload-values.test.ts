import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { type HouseSetup, MINUTE_MS, openHouse, PLAIN, SECOND_MS, type Step } from './house.ts';
import {
  CLASSIC,
  deviceList,
  liveHistory,
  type PortalAnswer,
  type Script,
  STATION_ID,
} from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const IMPORT_WATTS = 'solar_grid_import_power_watts';
const FEED_IN_WATTS = 'solar_grid_feed_in_power_watts';
const OVERLOADED: PortalAnswer = { status: 429, headers: { 'retry-after': '300' } };
const ENABLED = 'solar_device_setting_enabled';
const OTHER = `${PV}{station_id="7"}`;

const house = (script: Script = {}, flags: HouseSetup['flags'] = {}) =>
  openHouse(
    {
      readings: liveHistory(),
      settingsGet: { data: { buzzer: { key: 'buzzer', value: true } } },
      devices: ({ body }) => deviceList({ id: `${String(body['stationId'])}1` }),
      ...script,
    },
    { flags: { ...PLAIN, ...flags } },
  );

const GONE = { [PV]: undefined };
type Flags = Readonly<Record<string, string>>;

test.each<[what: string, flags: Flags, steps: readonly Step[], before?: Flags]>([
  [
    'nothing that is asked, which is due as before',
    { 'limit.series': '90000' },
    [
      { page: { [PV]: 1200, solar_up: 1 }, asked: { readings: 1, devices: 1 } },
      { afterMs: 50 * SECOND_MS - 1, asked: { readings: 1 } },
      { afterMs: 1, asked: { readings: 2, devices: 1, stations: 1, summary: 1 } },
    ],
  ],
  [
    'a lifetime: all is asked again',
    { 'cache.readings-ttl': '5m' },
    [
      { page: { [PV]: 1200, solar_up: 1 }, asked: { readings: 2, devices: 2, stations: 2 } },
      { afterMs: 5 * MINUTE_MS - 1, asked: { readings: 2 } },
      { afterMs: 1, asked: { readings: 3 } },
    ],
  ],
  [
    'how old a value may become',
    { 'cache.max-age': '1m' },
    [{}, { afterMs: MINUTE_MS, page: GONE }],
  ],
  [
    'what is collected',
    { 'collect.alarms': 'false', 'collect.settings': 'true' },
    [
      {
        page: { [ENABLED]: 1, 'solar_collector_success{collector="alarms"}': undefined },
        asked: { settingsGet: 1, alarms: 1, readings: 2, devices: 2 },
      },
    ],
    { 'collect.alarms': 'true' },
  ],
  [
    'the stations, of which one is new',
    { station: `${STATION_ID},7` },
    [{ page: { [PV]: 1200, [OTHER]: 1200 } }],
    { station: STATION_ID },
  ],
  [
    'the stations, of which one has left',
    { station: STATION_ID },
    [{ page: { [PV]: 1200, [OTHER]: undefined } }],
    { station: `${STATION_ID},7` },
  ],
])('a reload that changes %s', async (_what, flags, steps, before) => {
  const service = await house({}, before);
  await service.scrape();
  service.clock.advance(10 * SECOND_MS);
  await service.reload({ flags });
  await service.follow(...steps);
});

test.each<[what: string, flags: Flags, steps: readonly Step[]]>([
  [
    'waits for its pause, and is still shown, on the connection before',
    { 'limit.series': '90000' },
    [
      { page: { [PV]: 1200, solar_up: 0 }, asked: { readings: 2 } },
      { afterMs: 5 * MINUTE_MS - 1, asked: { readings: 2 } },
      { afterMs: 1, page: { solar_up: 1 }, asked: { readings: 3 } },
    ],
  ],
  [
    'is asked again at once on a new connection',
    { 'request.timeout': '20s' },
    [{ page: { [PV]: 1200, solar_up: 1 }, asked: { readings: 3 } }],
  ],
])('what failed before a reload %s', async (_what, flags, steps) => {
  const service = await house();
  await service.follow(
    {},
    { answers: { readings: OVERLOADED }, afterMs: MINUTE_MS, page: { [PV]: 1200, solar_up: 0 } },
  );
  service.answers.readings = liveHistory();
  await service.reload({ flags });
  await service.follow(...steps);
});

test('a reload in the middle of a fetch counts no energy twice', async () => {
  const load = async (afterMs = 0) =>
    (await service.scrapeAfter(afterMs)).value('solar_device_energy_kwh_total', { flow: 'load' });
  const live = liveHistory(() => ({ ...CLASSIC, acOutputActivePower: 0.6 }));
  const held = deferred<undefined>();
  let isHeld = false;
  const service = await house(
    {
      readings: async (request) => {
        if (isHeld) await held.promise;
        return live(request);
      },
    },
    { 'collect.energy': 'true', 'scrape.timeout': '300ms' },
  );
  await eventually(async () => expect(await load()).toBe(0));
  isHeld = true;
  await service.scrapeAfter(15 * MINUTE_MS);
  await service.reload({ flags: { 'cache.max-age': '20m' } });
  isHeld = false;
  await eventually(async () => expect(await load(15 * MINUTE_MS)).toBeGreaterThan(0.25));
  const counted = await load();
  held.resolve(undefined);
  await load();
  expect(await load()).toBe(counted);
});

test('a changed dialect file reaches a known device at a reload', async () => {
  let sign = 'import';
  const readFile = (): string => `- {key: meter, quantity: grid_power, unit: W, sign: ${sign}}`;
  const service = await openHouse(
    {
      devices: deviceList({ id: '7' }),
      readings: liveHistory(() => ({ meter: 250, pvInputPower: 1200, batterySOC: 50 })),
    },
    { flags: { 'dialect.file': 'mine.yml' }, readFile },
  );
  const read = async () => (await service.scrape()).like({ [IMPORT_WATTS]: 0, [FEED_IN_WATTS]: 0 });
  expect(await read()).toEqual({ [IMPORT_WATTS]: 250, [FEED_IN_WATTS]: 0 });
  sign = 'feed-in';
  await service.reload();
  expect(await read()).toEqual({ [IMPORT_WATTS]: 0, [FEED_IN_WATTS]: 250 });
  sign = 'import';
  await service.restart();
  expect(await read()).toEqual({ [IMPORT_WATTS]: 250, [FEED_IN_WATTS]: 0 });
});
