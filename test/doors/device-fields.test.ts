import { expect, test } from 'vitest';
import { RECORDING_NAMES, readRecording } from '../support/recordings.ts';
import {
  catalogueOf,
  type DeviceAnswers,
  devicesAnswering,
  flowOf,
  seriesOf,
  stateOf,
} from './device-answers.ts';
import { DAY_MS, type HouseSetup, MINUTE_MS, type ScrapedPage, scrapeHouse } from './house.ts';
import { CLASSIC, latest, type TaggedFields } from './scripted-service.ts';

const FIELDS = 'solar_device_field';
const NONE = {};

const scrapeFields = (
  devices: Readonly<Record<string, DeviceAnswers>>,
  { flags, ...setup }: HouseSetup = {},
) =>
  scrapeHouse(devicesAnswering(devices), {
    flags: { 'collect.fields': 'true', 'collect.energy': 'false', ...flags },
    ...setup,
  });

/** The fields of a device, each as `value unit`. */
function fieldsOn(page: ScrapedPage, deviceId = '1'): Readonly<Record<string, string>> {
  const own = page.all(FIELDS).filter(({ labels }) => labels['device_id'] === deviceId);
  return Object.fromEntries(
    own.map(({ labels: { field = '', unit = '' }, value }) => [field, `${value} ${unit}`.trim()]),
  );
}

const STATE: TaggedFields = {
  moonPower: [1.5, 'kW'],
  moonVoltage: ['230.4', 'V'],
  moonPhase: [3, ''],
  moonColour: ['red', ''],
  moonDark: [null, 'W'],
  mode: ['Line Mode', ''],
};
const MOON = { moonPower: '1.5 kW', moonVoltage: '230.4 V', moonPhase: '3' };

/** Keys of a family that no metric has, and one that the rules call nothing. */
const HPVINV02: TaggedFields = {
  outputActivePower: [0.5, 'kW'],
  outputApparentPower: [600, 'VA'],
  outputLoadPercent: [12, '%'],
  moonPower: [1.5, 'kW'],
};
const OF_HPVINV02 = {
  outputActivePower: '0.5 kW',
  outputApparentPower: '600 VA',
  outputLoadPercent: '12 %',
  moonPower: '1.5 kW',
};
const valuesOf = (fields: TaggedFields) =>
  Object.fromEntries(Object.entries(fields).map(([key, [value]]) => [key, value]));
const unitsOf = (fields: TaggedFields) =>
  Object.fromEntries(Object.entries(fields).map(([key, [, unit]]) => [key, unit]));

const OF_CLASSIC = Object.fromEntries(
  Object.entries(CLASSIC).map(([key, value]) => [key, `${value}`]),
);

test.each<[when: string, answers: DeviceAnswers, fields: Readonly<Record<string, string>>]>([
  ['nobody has described the family', { latest: stateOf(STATE) }, MOON],
  ['only the energy flow shows anything', { flow: flowOf(STATE) }, MOON],
  [
    'an unknown family is read from the time series',
    { series: seriesOf(valuesOf(STATE)), catalogue: catalogueOf(unitsOf(STATE)) },
    MOON,
  ],
  ['rules read some and leave others out', { latest: stateOf(HPVINV02) }, OF_HPVINV02],
  [
    'a family is read from the time series, its units from the latest state',
    { series: seriesOf(valuesOf(HPVINV02)), latest: stateOf(HPVINV02) },
    OF_HPVINV02,
  ],
  ['it speaks as specified', { series: seriesOf(CLASSIC) }, OF_CLASSIC],
  [
    'it speaks as specified, and sends more',
    {
      series: seriesOf({ ...CLASSIC, moonPower: 1.5 }),
      latest: stateOf({ moonPower: [1.5, 'kW'] }),
    },
    { ...OF_CLASSIC, moonPower: '1.5 kW' },
  ],
  [
    'values cannot be, or stand for nothing',
    { latest: stateOf({ pv1Power: [65_535, 'W'], bmsSOC: [0, '%'], batterySOC: [400, '%'] }) },
    { pv1Power: '65535 W', bmsSOC: '0 %', batterySOC: '400 %' },
  ],
])('every number is shown as it is sent, where %s', async (_when, answers, fields) => {
  const { page, scrapeAfter, requests } = await scrapeFields({ 1: answers });
  expect(fieldsOn(page)).toEqual(fields);
  const before = requests.length;
  expect(fieldsOn(await scrapeAfter(10 * MINUTE_MS))).toEqual(fields);
  const more = requests.slice(before).filter(({ endpoint }) => !/devices|alarms/.test(endpoint));
  expect(more).toHaveLength(1);
});

const RECORDED = RECORDING_NAMES.filter((name) => /^family-.*-latest/.test(name));

test.each(RECORDED)('every number of a recorded answer is shown: %s', async (name) => {
  const answer = readRecording(name) as {
    readonly data: { readonly fields: Readonly<Record<string, { readonly value: unknown }>> };
  };
  const numbers = Object.entries(answer.data.fields).filter(
    ([, { value }]) =>
      !['', null, undefined].includes(value as '') && Number.isFinite(Number(value)),
  );
  expect(numbers.length).toBeGreaterThan(3);
  const { page } = await scrapeFields({ 1: { latest: { envelope: answer } } });
  expect(
    Object.fromEntries(page.all(FIELDS).map(({ labels, value }) => [labels['field'], value])),
  ).toEqual(Object.fromEntries(numbers.map(([key, { value }]) => [key, Number(value)])));
});

test.each<[when: string, answers: DeviceAnswers]>([
  ['is dated', { latest: latest(STATE) }],
  [
    'has no time, and its record calls the device silent',
    {
      latest: latest(STATE, { time: undefined }),
      record: { isOnline: false },
    },
  ],
])('numbers go with the reading, which %s', async (_when, answers) => {
  const { page, scrapeAfter } = await scrapeFields(
    { 1: answers },
    { flags: { 'cache.max-age': '15m' } },
  );
  expect(fieldsOn(page)).toEqual(MOON);
  expect(fieldsOn(await scrapeAfter(10 * MINUTE_MS))).toEqual(MOON);
  expect(fieldsOn(await scrapeAfter(2 * MINUTE_MS))).toEqual(NONE);
});

test('of a device with more numbers than any has, 300 are shown, and the rest is counted', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 310 }, (_, at) => [`key${at}`, [at, 'W'] as const]),
  );
  const { page, scrapeAfter, log } = await scrapeFields({ 1: { latest: stateOf(many) } });
  expect(page.all(FIELDS)).toHaveLength(300);
  const dropped = page.value('solar_series_dropped_total', { reason: 'points' }) ?? 0;
  expect(dropped).toBe(10);
  const later = await scrapeAfter(10 * MINUTE_MS);
  expect(later.value('solar_series_dropped_total', { reason: 'points' })).toBe(20);
  const said = log.lines.filter(({ message }) => message.startsWith('over a limit'));
  expect(said.map(({ fields }) => fields)).toEqual([
    { limit: 'points', of: 'the numbers of device 1', dropped: 10 },
  ]);
});

test('nothing of it is shown or asked without the switch, and a reload takes it up', async () => {
  const answers = { series: seriesOf(valuesOf(HPVINV02)), latest: stateOf(HPVINV02) };
  const house = await scrapeFields({ 1: answers }, { flags: { 'collect.fields': 'false' } });
  const keys = () => house.asked('readings').at(-1)?.body['keys'];
  expect(house.page.text).not.toContain(FIELDS);
  expect(keys()).not.toContain('moonPower');
  await house.reload({ flags: { 'collect.fields': 'true' } });
  expect(fieldsOn(await house.scrape())).toEqual(OF_HPVINV02);
  await house.reload({ flags: { 'collect.fields': 'false' } });
  expect(fieldsOn(await house.scrape())).toEqual(NONE);
  await house.scrapeAfter(DAY_MS);
  expect(keys()).not.toContain('moonPower');
});
