import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/prometheus.ts';
import { devicesAnswering, seriesOf, stateOf } from './device-answers.ts';
import { HOUR_MS, MINUTE_MS, openHouse, PLAIN, scrapeHouse } from './house.ts';
import { CLASSIC, liveHistory, NOW, type TaggedFields } from './scripted-service.ts';

const SOC = 'solar_battery_soc_ratio';
const STATION_SOC = 'solar_station_battery_soc_ratio';
const MISSING = 'solar_station_devices_missing';
const INFO = 'solar_device_battery_info{bms="false"}';
const INFO_BMS = 'solar_device_battery_info{bms="true"}';

const NO_FLOW = { batteryChargingCurrent: 0, batteryDischargeCurrent: 0 };
const EMPTY = { ...CLASSIC, ...NO_FLOW, batteryVoltage: 44, batterySOC: 0 };
const HPVINV02: TaggedFields = { outputActivePower: [0.5, 'kW'], batteryVoltage: [52, 'V'] };
const lead = (percent: number): TaggedFields => ({
  ...HPVINV02,
  batteryCapacity: [percent, '%'],
  bmsCommunicationNormal: [0, ''],
});
const lithium = (answers: 0 | 1): TaggedFields => ({
  ...HPVINV02,
  batteryCapacity: [81, '%'],
  bmsCommunicationNormal: [answers, ''],
});

describe('what a device says of a battery', () => {
  const NOTHING = { [SOC]: 0, [STATION_SOC]: undefined, [INFO]: undefined, [MISSING]: 0 };
  const AT_0 = { [SOC]: 0, [STATION_SOC]: 0, [INFO]: 1, [MISSING]: 0 };
  test.each<[when: string, said: readonly object[], page: object, problems: readonly string[]]>([
    ['0 % from the start is no battery', [EMPTY], NOTHING, []],
    ['nor is it later', [EMPTY, EMPTY, EMPTY], NOTHING, []],
    [
      'a level above 0 is one at the first reading',
      [{ ...EMPTY, batterySOC: 8 }],
      { [SOC]: 0.08, [STATION_SOC]: 0.08, [INFO]: 1 },
      ['battery nearly empty'],
    ],
    [
      'a level of the past is one',
      [{ ...EMPTY, batterySOC: 3 }, EMPTY],
      AT_0,
      ['battery nearly empty'],
    ],
    [
      'a current is one at 0 %',
      [{ ...EMPTY, batteryDischargeCurrent: 4 }],
      AT_0,
      ['battery nearly empty'],
    ],
    [
      'a voltage is one where no level is known',
      [{ ...EMPTY, batterySOC: null }],
      { [INFO]: 1 },
      [],
    ],
  ])('%s', async (_, said, page, problems) => {
    const device = { series: seriesOf({ ...said[0] }) };
    const house = await openHouse(devicesAnswering({ a: device }), { flags: PLAIN });
    let last = await house.scrape();
    for (const values of said.slice(1)) {
      device.series = seriesOf({ ...values });
      last = await house.scrapeAfter(5 * MINUTE_MS);
    }
    expect(last.like({ ...page })).toEqual(page);
    expect(await house.problems()).toEqual(problems);
  });
});

test('an inverter without a battery is no part of the mean level', async () => {
  const devices = { a: { series: seriesOf(CLASSIC) }, b: { series: seriesOf(EMPTY) } };
  const { page } = await scrapeHouse(devicesAnswering(devices), { flags: PLAIN });
  const expected = { [STATION_SOC]: 0.93, [MISSING]: 0 };
  expect(page.like(expected)).toEqual(expected);
});

test('an empty battery is known at the start by what the day has shown', async () => {
  // 11:00 at the station; it was empty at 9:00.
  const emptyAtMs = Date.parse(NOW) - 2 * HOUR_MS;
  const readings = liveHistory((atMs) =>
    atMs < emptyAtMs ? { ...CLASSIC, batterySOC: 9 } : EMPTY,
  );
  const house = await scrapeHouse({ readings });
  const expected = { [SOC]: 0, [INFO]: 1 };
  expect(house.page.like(expected)).toEqual(expected);
  expect(await house.problems()).toEqual(['battery nearly empty']);
});

test.each([
  { when: 'with --state.dir', isKnown: true },
  { when: 'without', isKnown: false },
])('what a BMS once said is known after a restart $when: $isKnown', async ({ isKnown }) => {
  const flags: Record<string, string> = isKnown ? { 'state.dir': temporaryDirectory() } : {};
  const device = { latest: stateOf(lithium(1)) };
  const house = await scrapeHouse(devicesAnswering({ a: device }), { flags });
  expect(house.page.like({ [INFO_BMS]: 1 })).toEqual({ [INFO_BMS]: 1 });
  device.latest = stateOf(lithium(0));
  await house.scrapeAfter(5 * MINUTE_MS);
  await house.restart();
  house.clock.advance(48 * HOUR_MS);
  const page = await house.scrape();
  const expected = { [isKnown ? INFO_BMS : INFO]: 1 };
  expect(page.like(expected)).toEqual(expected);
  expect(await house.problems()).toEqual(isKnown ? ['BMS silent'] : []);
});

describe('a BMS that does not answer', () => {
  test.each<[when: string, before: TaggedFields, now: TaggedFields]>([
    ['is no problem where it never did: a lead battery has none', lead(81), lead(80)],
    ['is none once it answers again', lithium(0), lithium(1)],
  ])('%s', async (_, before, now) => {
    const device = { latest: stateOf(before) };
    const house = await scrapeHouse(devicesAnswering({ a: device }), { flags: PLAIN });
    device.latest = stateOf(now);
    await house.scrapeAfter(5 * MINUTE_MS);
    expect(await house.problems()).toEqual([]);
  });
});
