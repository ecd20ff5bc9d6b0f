import { describe, expect, test } from 'vitest';
import { drawDay } from '../../../src/http/status-page/day-curve.js';
import type { CurveStatus, StationPageStatus } from '../../../src/status/status.ts';
import { sampleStation } from './sample-status.ts';

const STARTS_AT_MS = Date.parse('2026-06-20T21:00:00Z');
const STEP_MS = 300_000;
const HOUR_MS = 3_600_000;

/** A day in which every value of a list is that of five minutes. */
function dayOf(lists: Partial<CurveStatus>, changes: Partial<StationPageStatus> = {}) {
  const curve = {
    startsAtMs: STARTS_AT_MS,
    endsAtMs: STARTS_AT_MS + 24 * HOUR_MS,
    stepMs: STEP_MS,
    ...lists,
  };
  return sampleStation({ curve, flow: {}, ...changes });
}

function drawn(station: StationPageStatus, hours = 23): string {
  const markup = drawDay(station, STARTS_AT_MS + hours * HOUR_MS);
  return markup === false ? '' : markup.text;
}

/** The path of a line; absent where none is drawn. */
function lineOf(svg: string, kind: string): string | undefined {
  return new RegExp(`class="curve ${kind}" d="([^"]*)"`).exec(svg)?.[1];
}

/** So many equal values. */
function steps(length: number, value: number | null): (number | null)[] {
  return Array.from({ length }, () => value);
}

describe('the drawing of a day', () => {
  test('is left out where nothing is known', () => {
    expect(drawn(sampleStation())).toBe('');
  });

  test('has a line of what is known, and none of what is not', () => {
    const svg = drawn(dayOf({ loadPowerWatts: [400, 400, 500, 500] }));
    expect(lineOf(svg, 'house')).toMatch(/^M56 \d+l3-\d+h0$/);
    for (const kind of ['sun', 'grid', 'battery', 'charge'])
      expect(lineOf(svg, kind), kind).toBeUndefined();
    expect(svg).not.toContain('100 %');
  });

  test('has a gap where nothing is known, and does not fill it', () => {
    const pvPowerWatts = [...steps(4, 100), ...steps(4, null), ...steps(2, 100)];
    const path = lineOf(drawn(dayOf({ pvPowerWatts })), 'sun') ?? '';
    expect(path.match(/M\d+/g)).toEqual(['M56', 'M68']);
    expect(path.match(/V140H\d+Z/g)).toEqual(['V140H56Z', 'V140H68Z']);
  });

  test('draws what flows the other way below 0', () => {
    const svg = drawn(
      dayOf({
        gridImportPowerWatts: [0, 0, 1000, 1000],
        gridFeedInPowerWatts: [1000, 1000, 0, 0],
        loadPowerWatts: steps(4, 0),
      }),
    );
    const [, first = '', rise = ''] = /^M56 (\d+)l3-(\d+)/.exec(lineOf(svg, 'grid') ?? '') ?? [];
    const [, zero = ''] = /^M56 (\d+)/.exec(lineOf(svg, 'house') ?? '') ?? [];
    expect(Number(first) - Number(zero)).toBe(Number(rise) / 2);
    expect(svg).toContain('>-1</text>');
  });

  test('is led to this moment where that follows closely, without sums that lack a device', () => {
    const station = dayOf(
      { pvPowerWatts: steps(13, 100), loadPowerWatts: steps(13, 100) },
      { flow: { pvPowerWatts: 100, loadPowerWatts: 100 }, partial: ['loadPowerWatts'] },
    );
    expect(lineOf(drawn(station, 1.5), 'sun')).toContain('h27V');
    expect(lineOf(drawn(station, 1.5), 'house')).toContain('h18');
    expect(lineOf(drawn(station, 1.6), 'sun')).toContain('h18V');
    expect(lineOf(drawn(station, 24.1), 'sun')).toContain('h18V');
  });

  test('knows no feed-in of this moment where the day says none', () => {
    const station = dayOf(
      { gridImportPowerWatts: steps(13, 0) },
      { flow: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 8000 } },
    );
    const svg = drawn(station, 1.5);
    expect(lineOf(svg, 'grid')).toMatch(/^M56 \d+h27$/);
    expect(svg).toContain('>grid import</span>');
  });

  test('says the most of the day, when that was, and how full the battery was', () => {
    const pvPowerWatts = [...steps(140, 0), ...steps(2, 4200), 0, 0];
    const svg = drawn(
      dayOf({
        pvPowerWatts,
        loadPowerWatts: steps(10, 0),
        batterySocRatio: [0.2, 0.2, 0.81, 0.81],
      }),
    );
    const sentence =
      'Today: PV up to 4,200\u00A0W, at 11:40; house idle; battery from 20\u00A0% to 81\u00A0%.';
    const spoken = svg.replaceAll(/(\d) (W|%)/g, '$1\u00A0$2');
    expect(spoken).toContain(`aria-label="${sentence}"`);
  });

  test.each([
    { hours: 23, at: '12:40' },
    { hours: 24, at: '11:40' },
    { hours: 25, at: '10:40' },
  ])('says the time of the station on a day of $hours hours', ({ hours, at }) => {
    const pvPowerWatts = [...steps(140, 0), ...steps(2, 4200)];
    const svg = drawn(dayOf({ pvPowerWatts, endsAtMs: STARTS_AT_MS + hours * HOUR_MS }));
    expect(svg).toContain(`at ${at}.`);
    const places = [...svg.matchAll(/<text x="(\d+)"[^>]*>\d+:00</g)].map(([, x]) => Number(x));
    expect(places).toEqual(
      [0, 6, 12, 18, 24].map((hour) => 56 + 18 * Math.max(0, hour === 0 ? 0 : hour + hours - 24)),
    );
  });

  test.each([
    { watts: 90, ticks: ['0', '0.05', '0.1'] },
    { watts: 950, ticks: ['0', '0.5', '1'] },
    { watts: 12_345, ticks: ['0', '5', '10', '15'] },
  ])('has round numbers of kilowatts beside it: up to $watts W', ({ watts, ticks }) => {
    const svg = drawn(dayOf({ pvPowerWatts: [watts, watts] }));
    const shown = [...svg.matchAll(/text-anchor="end">([\d.-]+)</g)].map(([, text]) => text);
    expect(shown).toEqual(ticks);
  });
});
