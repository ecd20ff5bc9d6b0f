import { expect, test } from 'vitest';
import type { Problem } from '../../src/status/status.ts';
import { readText } from '../support/repository.ts';
import { LOW_RATIO } from '../../src/status/problems.ts';
import { devicesAnswering, seriesOf, stateOf } from './device-answers.ts';
import { HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, PLAIN } from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  latest,
  liveHistory,
  MEASURED_AT,
  type Script,
  stationList,
  type TaggedFields,
} from './scripted-service.ts';

/** A house with one device of these last values. */
const charge = (batterySOC: number): Script =>
  devicesAnswering({ a: { series: seriesOf({ ...CLASSIC, batterySOC }) } });
const alarm = (level: number): Script => ({
  ...charge(90),
  alarms: { data: { list: [{ key: 'k', deviceId: 'a', level, disappearedAt: null }] } },
});
const ALARMS = { flags: { ...PLAIN, 'collect.alarms': 'true' } };
const bms = (answers: 0 | 1): TaggedFields => ({
  outputActivePower: [0.5, 'kW'],
  batteryVoltage: [52, 'V'],
  batteryCapacity: [81, '%'],
  bmsCommunicationNormal: [answers, ''],
});
const away: Script = { readings: { status: 503 }, devices: { status: 503 } };

type Row = [
  when: string,
  script: Script,
  problems: readonly string[],
  later?: { readonly afterMs: number; readonly answers?: Script } | undefined,
  setup?: HouseSetup,
];

/** Each problem as `level problem device`, of the account and of the only station. */
test.each<Row>([
  ['the battery is at 20 %', charge(20), []],
  ['it is just below', charge(19.9), ['warning battery low a']],
  ['it is at 10 %', charge(10), ['warning battery low a']],
  ['it is just below', charge(9.9), ['critical battery nearly empty a']],
  ['an alarm is critical', alarm(3), ['critical alarm a'], undefined, ALARMS],
  ['an alarm is a warning', alarm(2), ['warning alarm a'], undefined, ALARMS],
  ['an alarm is a notice', alarm(1), ['info alarm a'], undefined, ALARMS],
  ['the level of an alarm is unknown', alarm(17), ['warning alarm a'], undefined, ALARMS],
  [
    'the last reading has grown too old, while nothing was asked',
    devicesAnswering({ a: { series: history(CLASSIC, [MEASURED_AT]) } }),
    ['warning silent a'],
    { afterMs: 11 * MINUTE_MS + 1 },
    { flags: { ...PLAIN, 'cache.readings-ttl': '1h' } },
  ],
  [
    'a reading comes from the future',
    devicesAnswering({ a: { series: seriesOf(CLASSIC, '2026-08-24T11:00:00.000Z') } }),
    ['warning dated ahead a'],
  ],
  [
    'the list lacks a device',
    { ...charge(90), devices: deviceList({ id: 'a' }, { id: 'b' }) },
    ['warning cannot be refreshed', 'warning gone from the list b', 'warning silent b'],
    { afterMs: HOUR_MS, answers: { devices: deviceList({ id: 'a' }) } },
  ],
  [
    'the BMS does not answer any more',
    devicesAnswering({
      a: { latest: (request) => stateOfBms(request.atMs) },
    }),
    ['warning BMS silent a'],
    { afterMs: 10 * MINUTE_MS },
  ],
  [
    'no value of a device can be',
    devicesAnswering({
      a: { series: seriesOf(Object.fromEntries(Object.keys(CLASSIC).map((key) => [key, 65_535]))) },
    }),
    ['warning no value that can be a'],
  ],
  [
    'nobody knows the family',
    devicesAnswering({
      a: { latest: stateOf({ workMode: ['17', ''], pv1Power: [5, 'W'], pv2Power: [null, 'W'] }) },
    }),
    ['warning unknown family a'],
  ],
  [
    'nobody knows the time zone',
    { ...charge(90), devices: deviceList({ id: 'a', stationTimezone: 'Europe' }) },
    ['warning time zone unknown'],
  ],
  [
    'the service goes away while values are shown',
    { ...charge(90), readings: liveHistory() },
    ['warning cannot be refreshed'],
    { afterMs: 2 * MINUTE_MS, answers: away },
  ],
  [
    'values are withdrawn',
    { ...charge(90), readings: liveHistory() },
    ['critical cannot be read', 'warning cannot be refreshed'],
    { afterMs: 2 * HOUR_MS, answers: away },
  ],
  [
    'values of before the last question are withdrawn',
    devicesAnswering({ a: { series: history(CLASSIC, [MEASURED_AT]) } }),
    ['critical cannot be read'],
    { afterMs: 11 * MINUTE_MS + 1, answers: { readings: { status: 503 } } },
  ],
  [
    'one of two devices cannot be read',
    devicesAnswering({ a: { series: seriesOf(CLASSIC) }, b: { series: { status: 503 } } }),
    ['critical cannot be read'],
  ],
  ['the account has nothing', { stations: stationList() }, ['warning no stations']],
  [
    'the station has nothing',
    { devices: deviceList() },
    ['warning no devices', 'warning time zone unknown'],
  ],
  ['no list comes', { stations: { status: 503 } }, ['critical no station can be read']],
  [
    'the token is refused',
    { stations: { status: 401 } },
    ['critical credentials refused', 'critical no station can be read'],
  ],
])(
  'when %s, the metric, the JSON and the page say the same',
  async (_, script, problems, later, setup) => {
    const house = await openHouse(script, { flags: PLAIN, ...setup });
    let page = await house.scrape();
    if (later !== undefined) {
      expect(page.all('solar_problem_info').length).toBeLessThan(problems.length);
      Object.assign(house.answers, later.answers);
      await house.scrapeAfter(later.afterMs);
      page = await house.scrape();
    }
    const lines = page.all('solar_problem_info').map(({ value, labels }) => {
      expect(value).toBe(1);
      expect(labels['problem']).toMatch(/^[A-Za-z ]+$/);
      return [labels['level'], labels['problem'], labels['device_id']].join(' ').trim();
    });
    expect(lines.sort()).toEqual([...problems].sort());
    const status = await house.status();
    const said = [...status.problems, ...status.stations.flatMap((one) => one.problems)];
    const wordsOf = ({ level, problem, deviceId }: Problem) =>
      [level, problem, deviceId].join(' ').trim();
    expect(said.map(wordsOf).sort()).toEqual([...problems].sort());
    const [, condition] = /id="condition"[^>]*>(.*)<\/p>/.exec(await house.read()) ?? [];
    // What a problem says beyond its fixed words may hold quotation marks, which are escaped.
    expect(condition).toContain(said[0]?.what.split(/["']/)[0] ?? 'all is well');
    for (const { remedy } of said) expect(remedy).toMatch(/^\S.{20}/);
  },
);

/** The state of a battery whose BMS falls silent five minutes after the start. */
function stateOfBms(atMs: number) {
  const answers = atMs < Date.parse('2026-08-24T08:05:00Z') ? 1 : 0;
  return latest(bms(answers), { time: new Date(atMs).toISOString() });
}

test('a page of one station has its problems, another those of the account', async () => {
  const house = await openHouse(
    { ...charge(9), stations: stationList('1', '2') },
    {
      flags: PLAIN,
    },
  );
  await house.scrape();
  house.answers.stations = { status: 503 };
  const page = await house.scrapeAfter(HOUR_MS + MINUTE_MS);
  const of = (text: string) => text.split('\n').filter((line) => /^solar_problem_info/.test(line));
  const [first = '', ...others] = of(page.text);
  expect(first).toBe('solar_problem_info{level="warning",problem="cannot be refreshed"} 1');
  const self = await house.scrape({}, '/metrics/self');
  expect(of(self.text)).toEqual([first]);
  const ofOne = await house.scrape({}, '/probe?target=1');
  expect(of(ofOne.text)).toEqual(others.filter((line) => line.includes('station_id="1"')));
  expect(others.length).toBeGreaterThan(0);
});

test('a battery is low for the page where it is low for the rules', () => {
  const rules = readText('prometheus/rules/solar.yml');
  const defaultOf = (name: string) =>
    Number(
      new RegExp(
        `record: solar:battery_${name}_threshold:ratio[^]*?soc_fresh:ratio \\+ ([\\d.]+)\\n`,
      ).exec(rules)?.[1],
    );
  expect([defaultOf('low'), defaultOf('critical')]).toEqual([LOW_RATIO, LOW_RATIO / 2]);
  expect(rules).toContain('solar:battery_soc_fresh:ratio < solar:battery_low_threshold:ratio');
  expect(rules).toContain('solar:battery_soc_fresh:ratio < solar:battery_critical_threshold:ratio');
});
