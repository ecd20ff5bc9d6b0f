import { expect, test } from 'vitest';
import { RECORDING_NAMES, readRecording } from '../support/recordings.ts';
import { catalogueOf, type DeviceAnswers, devicesAnswering } from './device-answers.ts';
import { scrapeHouse } from './house.ts';
import type { EndpointName } from './scripted-service.ts';

const NAMES = RECORDING_NAMES.filter((name) => /^(family|readings|latest|flow)-/.test(name));

interface RecordedSeries {
  readonly data: { readonly payload: { readonly fields?: object } | null };
}

/** A recorded answer, which is all that the service says of a device. */
function answersOf(name: string): DeviceAnswers {
  const answer = { envelope: readRecording(name) as object };
  if (/^latest-|-latest/.test(name)) return { latest: answer };
  if (/^flow-|-flow/.test(name)) return { flow: answer };
  // Only a device that is known to have other keys than those of the specification is asked for them.
  const { data } = answer.envelope as RecordedSeries;
  const keys = Object.keys(data.payload?.fields ?? {}).map((key) => [key, undefined]);
  return { series: answer, catalogue: catalogueOf(Object.fromEntries(keys)) };
}

/** The lines of a page about devices, each of which has one recorded answer and its name for an id. */
async function scrapeLines(): Promise<readonly string[]> {
  const { page } = await scrapeHouse(
    devicesAnswering(Object.fromEntries(NAMES.map((name) => [name, answersOf(name)]))),
    { flags: { 'collect.energy': 'false' } },
  );
  return (
    page.text
      .split('\n')
      .filter((line) => line.includes('device_id="'))
      .filter((line) => !/^solar_device_(info|listed|online|reading_max_age_seconds)\{/.test(line))
      .filter((line) => !line.startsWith('solar_problem_info{'))
      // Of the modes only the one that the device is in.
      .filter((line) => !/^solar_device_working_mode.* 0$/.test(line))
      .map((line) => line.replace(/station_id="\d+",/, ''))
  );
}

/** The endpoint that gave each other answer, and the metrics that it has to do with. */
const ELSEWHERE: readonly (readonly [names: RegExp, endpoint: EndpointName, metrics: RegExp])[] = [
  [/^devices-/, 'devices', /^solar_device_(info|online|rated|pv_energy|listed)/],
  [/^stations-/, 'stations', /^solar_station_info/],
  [/^alarms-/, 'alarms', /^solar_device_alarm_firing/],
  [/^summary-days/, 'summaryDays', /^solar_energy_(today|yesterday)/],
  [/^summary-years/, 'summaryYears', /^solar_energy_(year|lifetime)/],
  [/^summary-(?!days|years)/, 'summary', /^solar_month_/],
  [/^settings-(?!batch)/, 'settingsGet', /^solar_device_setting_/],
];

/** The lines of a page on what one endpoint answers. */
async function scrapeAnswer(name: string, endpoint: EndpointName, metrics: RegExp) {
  const { page } = await scrapeHouse(
    { [endpoint]: { envelope: readRecording(name) as object } },
    { flags: { 'collect.settings': 'true' } },
  );
  return page.text.split('\n').filter((line) => metrics.test(line));
}

test('every recorded answer shows as it should', async () => {
  const all = await scrapeLines();
  const shown: (readonly [name: string, lines: readonly string[]])[] = [];
  for (const name of NAMES) {
    const lines = all.filter((line) => line.includes(`device_id="${name}"`));
    expect(lines, name).not.toEqual([]);
    shown.push([name, lines]);
  }
  for (const name of RECORDING_NAMES)
    for (const [names, endpoint, metrics] of ELSEWHERE)
      if (names.test(name)) shown.push([name, await scrapeAnswer(name, endpoint, metrics)]);
  const text = [
    '# What the page says of each recorded answer, by the name of the recording.\n',
    ...shown.map(([name, lines]) => [`# ${name}`, ...lines, ''].join('\n')),
  ].join('\n');
  await expect(text).toMatchFileSnapshot('../fixtures/client/recorded-answers.prom');
});
