import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RECORDING_NAMES, readRecording } from '../support/recordings.ts';
import { catalogueOf, type DeviceAnswers, devicesAnswering } from './device-answers.ts';
import { scrapeHouse } from './house.ts';

const EXPECTED = new URL('../fixtures/client/recorded-answers.prom', import.meta.url);

const NAMES = RECORDING_NAMES.filter((name) => /^(family|readings|latest|flow)-/.test(name));

interface RecordedSeries {
  readonly data: { readonly payload: { readonly fields?: object } | null };
}

/** A recorded answer, which is all that the service says of a device. */
function answersOf(name: string): DeviceAnswers {
  const answer = { envelope: readRecording(name) as object };
  if (/^latest-|-latest/.test(name)) return { latest: answer };
  if (/^flow-|-flow/.test(name)) return { flow: answer };
  // Only a device that is known to have other keys than those of the interface is asked for them.
  const { data } = answer.envelope as RecordedSeries;
  const keys = Object.keys(data.payload?.fields ?? {}).map((key) => [key, undefined]);
  return { series: answer, catalogue: catalogueOf(Object.fromEntries(keys)) };
}

let scraped: Promise<readonly string[]> | undefined;

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
      // Of the modes only the one that the device is in.
      .filter((line) => !/^solar_device_working_mode.* 0$/.test(line))
      .map((line) => line.replace(/station_id="\d+",/, ''))
  );
}

const expected = readFileSync(EXPECTED, 'utf8').split('\n');

test.each(NAMES)('a recorded answer shows as it should: %s', async (name) => {
  scraped ??= scrapeLines();
  const isOfDevice = (line: string): boolean => line.includes(`device_id="${name}"`);
  expect(expected.some(isOfDevice)).toBe(true);
  expect((await scraped).filter(isOfDevice)).toEqual(expected.filter(isOfDevice));
});
