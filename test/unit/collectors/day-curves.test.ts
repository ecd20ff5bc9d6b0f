import { describe, expect, test } from 'vitest';
import { DayCurves } from '../../../src/collectors/day-curves.ts';
import type { DeviceSubject } from '../../../src/collectors/collector.ts';
import { CURVE_STEP_MS } from '../../../src/model/day-curve.ts';
import type { PowerPoint } from '../../../src/model/readings.ts';

/** Midnight in Berlin. */
const MIDNIGHT_MS = Date.parse('2026-08-23T22:00:00Z');
const DAY_MS = 288 * CURVE_STEP_MS;

function target(deviceId = 'inverter', stationId = 'house', timeZone = 'Europe/Berlin') {
  return { station: { stationId, timeZone }, device: { deviceId } } satisfies DeviceSubject;
}

/** Points every so many steps, of a device that has so many watts. */
function points(from: number, to: number, { every = 1, watts = 100 } = {}): PowerPoint[] {
  const found: PowerPoint[] = [];
  for (let step = from; step <= to; step += every)
    found.push({
      atMs: MIDNIGHT_MS + step * CURVE_STEP_MS,
      figures: { pvPowerWatts: watts },
      shared: [],
      misread: [],
    });
  return found;
}

function shown(curves: DayCurves, atStep: number, stationId = 'house') {
  return curves.of(stationId, MIDNIGHT_MS + atStep * CURVE_STEP_MS)?.valuesOf('pvPowerWatts');
}

function add(curves: DayCurves, of: DeviceSubject, found: readonly PowerPoint[], steps = 3): void {
  for (const point of found) curves.add(of, point, steps * CURVE_STEP_MS, point.atMs);
}

/** The curves of one device with these points. */
function curvesOf(...found: PowerPoint[]): DayCurves {
  const curves = new DayCurves();
  add(curves, target(), found);
  return curves;
}

describe("today's curves", () => {
  test('begin at midnight of the station, by the points of its devices', () => {
    const curves = curvesOf(...points(-2, 3));
    expect(shown(curves, 3)).toEqual([100, 100, 100, 100]);
    expect(shown(curves, -1)).toBeUndefined();
    expect(shown(curves, 3, 'barn')).toBeUndefined();
  });

  test('take every point once, however often it comes', () => {
    const curves = curvesOf(...points(-1, 3));
    add(curves, target(), points(0, 4));
    add(curves, target('second'), points(-1, 4, { watts: 1 }));
    expect(shown(curves, 4)).toEqual([101, 101, 101, 101, 101]);
  });

  test('have a gap where points are missing, none for a slow logger', () => {
    const curves = curvesOf(...points(-1, 1), ...points(5, 6));
    expect(shown(curves, 6)).toEqual([100, 100, undefined, undefined, undefined, undefined, 100]);
    add(curves, target('slow', 'barn'), points(-30, 6, { every: 6 }), 6);
    expect(shown(curves, 6, 'barn')).toEqual(Array.from({ length: 7 }, () => 100));
  });

  test('begin anew at the next midnight, without what comes late', () => {
    const curves = curvesOf(...points(280, 290));
    add(curves, target('late'), points(200, 250, { watts: 7 }));
    expect(shown(curves, 287)).toBeUndefined();
    expect(shown(curves, 288)).toEqual([100, 100, 100]);
  });

  test('are not touched by a device that is ahead', () => {
    const curves = curvesOf(...points(280, 287));
    const nowMs = MIDNIGHT_MS + 287 * CURVE_STEP_MS;
    for (const point of points(288, 300)) curves.add(target('ahead'), point, DAY_MS, nowMs);
    for (const point of points(284, 288)) curves.add(target('second'), point, DAY_MS, nowMs);
    expect(shown(curves, 287)?.slice(-2)).toEqual([200, 200]);
    add(curves, target('second'), points(289, 290));
    expect(shown(curves, 289)).toEqual([100, 100, 100]);
  });

  test('want the whole day of a device, then what follows its last point', () => {
    const curves = new DayCurves();
    const noonMs = MIDNIGHT_MS + DAY_MS / 2;
    const fromMs = curves.wantedAfterMs(target(), noonMs);
    expect(fromMs).toBe(MIDNIGHT_MS - 15 * CURVE_STEP_MS);
    // An answer that failed brings nothing, so the day is wanted again.
    expect(curves.wantedAfterMs(target(), noonMs)).toBe(fromMs);
    add(curves, target(), points(1, 2));
    expect(curves.wantedAfterMs(target(), noonMs)).toBe(MIDNIGHT_MS + 2 * CURVE_STEP_MS);
    expect(curves.wantedAfterMs(target('second'), noonMs)).toBe(fromMs);
    expect(curves.wantedAfterMs(target(), noonMs + DAY_MS)).toBe(fromMs + DAY_MS);
  });

  test('begin anew where a station turns out to be in another zone', () => {
    const curves = curvesOf(...points(-1, 3));
    add(curves, target('inverter', 'house', 'Europe/Kyiv'), points(4, 4));
    const { startsAtMs = 0 } = curves.of('house', MIDNIGHT_MS + 4 * CURVE_STEP_MS) ?? {};
    expect(startsAtMs).toBe(MIDNIGHT_MS - DAY_MS / 24);
    expect(shown(curves, 4)?.at(-1)).toBe(100);
  });
});
