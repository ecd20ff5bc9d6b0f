import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderDocument } from '../../src/http/status-page/document.ts';
import { sampleDevice, sampleStation, sampleStatus } from '../http/status-page/sample-status.ts';
import { hostileText } from './hostile-values.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

/** What a page has of each: its elements with their attributes' names, in order. */
function skeletonOf(page: string): readonly string[] {
  const skeleton: string[] = [];
  let at = page.indexOf('<', 1 + page.indexOf('>'));
  while (at >= 0) {
    const end = endOfTag(page, at);
    const tag = page.slice(at, end).replaceAll(/"[^"]*"/g, '""');
    if (/[<`']/.test(tag.slice(1))) throw new Error(`a broken tag: ${tag}`);
    skeleton.push(tag);
    at = page.indexOf('<', end);
  }
  return skeleton;
}

function endOfTag(page: string, at: number): number {
  let isQuoted = false;
  for (let index = at; index < page.length; index += 1) {
    if (page[index] === '"') isQuoted = !isQuoted;
    if (page[index] === '>' && !isQuoted) return index + 1;
  }
  throw new Error(`a tag without an end: ${page.slice(at, at + 80)}`);
}

/** A status in which everything that a service may choose is one of these. */
function statusNamed([first = 'plain', second = 'plain', third = 'plain']: readonly string[]) {
  const device = sampleDevice({
    deviceId: first,
    name: second,
    model: third,
    family: first,
    workingMode: second,
    missingQuantities: [third],
    alarms: [{ alarm: first, level: second }],
  });
  return sampleStatus({
    stations: [
      sampleStation({ stationId: third, name: first, timeZone: second, devices: [device] }),
    ],
  });
}

describe('whatever the service calls things', { timeout: FUZZ_TIMEOUT_MS }, () => {
  // What is blank or a known word changes the page rightly; anything with a letter of ours does not.
  const name = hostileText.map((text) => `~${text}~`);

  test('the status page has the elements that it has for harmless names', () => {
    const usual = skeletonOf(renderDocument(statusNamed(['~a~', '~b~', '~c~'])));
    holds(
      fc.property(fc.tuple(name, name, name), (names) => {
        const page = renderDocument(statusNamed(names));
        expect(skeletonOf(page)).toEqual(usual);
      }),
    );
  });

  test('numbers of any size are written as such, and no NaN is shown', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 1e-9, 1e21, -1e300, 8.64e15),
    );
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    holds(
      fc.property(number, share, number, (power, ratio, atMs) => {
        const flow = { pvPowerWatts: power, batteryPowerWatts: -power, batterySocRatio: ratio };
        const device = sampleDevice({ ...flow, measuredAtMs: atMs, pvEnergyTodayKwh: power });
        const station = sampleStation({
          flow,
          devices: [device],
          month: { startsAtMs: atMs, pvGeneratedKwh: power, solarRatio: ratio },
        });
        const page = renderDocument(sampleStatus({ stations: [station] }));
        const [wrong] = /.{0,60}(?:NaN|undefined|Infinity|Invalid Date).{0,20}/.exec(page) ?? [];
        expect(wrong).toBeUndefined();
        skeletonOf(page);
      }),
    );
  });
});
