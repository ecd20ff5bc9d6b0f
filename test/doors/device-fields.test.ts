import { expect, test } from 'vitest';
import { RECORDING_NAMES, readRecording } from '../support/recordings.ts';
import {
  catalogueOfFields,
  type DeviceAnswers,
  devicesAnswering,
  flowOf,
  seriesOf,
  stateOf,
  valuesOf,
} from './device-answers.ts';
import { DAY_MS, type HouseSetup, MINUTE_MS, type ScrapedPage, scrapeHouse } from './house.ts';
import { CLASSIC, latest, type TaggedFields } from './scripted-service.ts';

interface RecordedState {
  readonly data: { readonly fields: Readonly<Record<string, { readonly value: unknown }>> };
}

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
test('every number is shown as it is sent, with one request a device', async () => {
  const specified = Object.entries(CLASSIC).map(([key, value]) => [key, String(value)]);
  /** By what it is about: what a device answers, and its fields. */
  const rows: Readonly<Record<string, readonly [DeviceAnswers, object]>> = {
    'the energy flow alone': [{ flow: flowOf(STATE) }, MOON],
    'an unknown family in the series': [
      { series: seriesOf(valuesOf(STATE)), catalogue: catalogueOfFields(STATE) },
      MOON,
    ],
    'some read, others left out': [
      { series: seriesOf(valuesOf(HPVINV02)), latest: stateOf(HPVINV02) },
      OF_HPVINV02,
    ],
    'as specified, and more': [
      {
        series: seriesOf({ ...CLASSIC, moonPower: 1.5 }),
        latest: stateOf({ moonPower: [1.5, 'kW'] }),
      },
      { ...Object.fromEntries(specified), moonPower: '1.5 kW' },
    ],
    'what cannot be, or stands for nothing': [
      { latest: stateOf({ pv1Power: [65_535, 'W'], bmsSOC: [0, '%'], batterySOC: [400, '%'] }) },
      { pv1Power: '65535 W', bmsSOC: '0 %', batterySOC: '400 %' },
    ],
  };
  const answers = Object.entries(rows).map(([when, [answer]]) => [when, answer] as const);
  const { page, scrapeAfter, requests } = await scrapeFields(Object.fromEntries(answers));
  requests.length = 0;
  const later = await scrapeAfter(10 * MINUTE_MS);
  for (const [when, [, fields]] of Object.entries(rows)) {
    expect(fieldsOn(page, when), when).toEqual(fields);
    expect(fieldsOn(later, when), when).toEqual(fields);
    const asked = requests.filter(({ endpoint, body, query }) => {
      return endpoint !== 'alarms' && [body['deviceId'], query.get('deviceId')].includes(when);
    });
    expect(asked, when).toHaveLength(1);
  }
});

test('every number of a recorded answer is shown', async () => {
  const recorded = RECORDING_NAMES.filter((name) => /^family-.*-latest/.test(name)).map((name) => {
    return [name, readRecording(name) as RecordedState] as const;
  });
  const { page } = await scrapeFields(
    Object.fromEntries(recorded.map(([name, envelope]) => [name, { latest: { envelope } }])),
  );
  for (const [name, { data }] of recorded) {
    const numbers = Object.entries(data.fields).filter(
      ([, { value }]) =>
        !['', null, undefined].includes(value as '') && Number.isFinite(Number(value)),
    );
    expect(numbers.length, name).toBeGreaterThan(3);
    const shown = page.all(FIELDS).filter(({ labels }) => labels['device_id'] === name);
    expect(Object.fromEntries(shown.map(({ labels, value }) => [labels['field'], value]))).toEqual(
      Object.fromEntries(numbers.map(([key, { value }]) => [key, Number(value)])),
    );
  }
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

test('of more numbers than any device has, 300 are shown, and the rest counted', async () => {
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
