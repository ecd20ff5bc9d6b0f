import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Moment, parseMoment } from '../../../src/base/instant.ts';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { spanOf } from '../../../src/commands/history.ts';
import { monthsOf } from '../../../src/history/months.ts';
import { problemsOf } from '../../support/refusals.ts';

const wantedIn = (timeZone: string) => ({
  station: { stationId: 'house', name: 'Casa', timeZone },
  devices: [],
  isOneDevice: false,
});
const NOW_MS = Date.parse('2026-11-22T12:00:00Z');

function moment(text: string): Moment {
  const parsed = parseMoment(text);
  if (parsed === undefined) throw new Error(`no moment: ${text}`);
  return parsed;
}

function range(from: string, to?: string) {
  return { from: moment(from), to: to === undefined ? undefined : moment(to) };
}

/** The months of a range: each as its name, from when, and to when. */
function monthsFrom(from: string, to: string | undefined, timeZone: string, nowMs = NOW_MS) {
  const span = spanOf(range(from, to), nowMs, new ZonedCalendar(timeZone));
  return monthsOf(wantedIn(timeZone), span).map(({ month, fromMs, toMs }) => {
    const times = [fromMs, toMs].map((atMs) => new Date(atMs).toISOString().slice(0, 16));
    return [month, ...times].join(' ');
  });
}

describe('the months of a range', () => {
  const MANILA = [
    '2026-07 2026-07-14T16:00 2026-07-31T16:00',
    '2026-08 2026-07-31T16:00 2026-08-31T16:00',
    '2026-09 2026-08-31T16:00 2026-09-01T16:00',
  ];
  const KOLKATA = ['2026-08 2026-07-31T18:30 2026-08-31T18:30'];
  // An hour longer or shorter when the clocks change.
  const AUTUMN = ['2026-10 2026-09-30T22:00 2026-10-31T23:00'];
  const SPRING = ['2026-03 2026-02-28T23:00 2026-03-31T22:00'];
  // The last full hour of which every reading has arrived.
  const PRESENT = ['2026-11 2026-11-01T00:00 2026-11-22T10:00'];

  test.each([
    ['2026-07-15', '2026-09-02', 'Asia/Manila', MANILA],
    ['2026-08-01', '2026-09-01', 'Asia/Kolkata', KOLKATA],
    ['2026-10-01', '2026-11-01', 'Europe/Berlin', AUTUMN],
    ['2026-03-01', '2026-04-01', 'Europe/Berlin', SPRING],
    ['2026-11-01', undefined, 'UTC', PRESENT],
  ])('from %s to %s in %s are those of the calendar', (from, to, zone, months) => {
    expect(monthsFrom(from, to, zone)).toEqual(months);
  });

  test('end before the readings that may still be on their way', () => {
    const at = (now: string) => monthsFrom('2026-10-01', '2026-11-01', 'UTC', Date.parse(now));
    expect(at('2026-11-01T00:14:59Z')).toEqual(['2026-10 2026-10-01T00:00 2026-10-31T22:00']);
    expect(at('2026-11-01T00:15:00Z')).toEqual(['2026-10 2026-10-01T00:00 2026-10-31T23:00']);
    expect(at('2026-11-01T01:15:00Z')).toEqual(['2026-10 2026-10-01T00:00 2026-11-01T00:00']);
  });

  test('cover any range without a hole or an overlap', () => {
    const zones = fc.constantFrom('Asia/Manila', 'Europe/Berlin', 'Asia/Kathmandu', 'America/Lima');
    const instant = fc.integer({ min: Date.UTC(2024, 0), max: NOW_MS - 1 });
    fc.assert(
      fc.property(instant, instant, zones, (one, other, timeZone) => {
        const span = { fromMs: Math.min(one, other), toMs: Math.max(one, other) + 1 };
        const calendar = new ZonedCalendar(timeZone);
        const parts = monthsOf(wantedIn(timeZone), span);
        expect(parts[0]?.fromMs).toBe(span.fromMs);
        expect(parts.at(-1)?.toMs).toBe(span.toMs);
        for (const [index, part] of parts.entries()) {
          expect(part.fromMs).toBeLessThan(part.toMs);
          expect(calendar.month(part.toMs - 1)).toBe(part.month);
          if (index > 0) expect(parts[index - 1]?.toMs).toBe(part.fromMs);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('a range', () => {
  test.each([
    [
      '2027-01-01',
      undefined,
      '--from: "2027-01-01" is in the future; accepted: a time of the past',
    ],
    ['2026-11-22T12:00Z', undefined, '--from: "2026-11-22T12:00Z" is in the future'],
    ['2026-01-01', '2026-12-01', '--to: "2026-12-01" is in the future'],
    ['2026-08-02', '2026-08-01', '--from: "2026-08-02" is not before --to "2026-08-01"; accepted'],
    ['2026-08-01', '2026-08-01', '--from: "2026-08-01" is not before --to'],
    [
      '2026-11-22T10:00Z',
      undefined,
      '--from: "2026-11-22T10:00Z" is too late: readings after 2026-11-22T10:00:00.000Z may still',
    ],
  ])('from %s to %s is refused before the station is known', async (from, to, problem) => {
    const problems = await problemsOf(() => spanOf(range(from, to), NOW_MS));
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });

  test('that is over in some zones is left to the calendar of the station', async () => {
    const today = range('2026-11-22T20:00');
    expect(await problemsOf(() => spanOf(today, NOW_MS))).toEqual([]);
    expect(await problemsOf(() => spanOf(today, NOW_MS, new ZonedCalendar('UTC')))).toEqual([
      '--from: "2026-11-22T20:00" is in the future; accepted: a time of the past',
    ]);
    expect(spanOf(range('2026-11-22T17:00'), NOW_MS, new ZonedCalendar('Asia/Manila'))).toEqual({
      fromMs: Date.parse('2026-11-22T09:00:00Z'),
      toMs: Date.parse('2026-11-22T10:00:00Z'),
    });
  });

  test('with an offset at one end is compared by the calendar of the station', async () => {
    const mixed = range('2026-08-01T00:00', '2026-08-01T00:00Z');
    expect(await problemsOf(() => spanOf(mixed, NOW_MS))).toEqual([]);
    expect(spanOf(mixed, NOW_MS, new ZonedCalendar('Asia/Manila')).fromMs).toBe(
      Date.parse('2026-07-31T16:00:00Z'),
    );
    expect(
      await problemsOf(() => spanOf(mixed, NOW_MS, new ZonedCalendar('America/Lima'))),
    ).toEqual([expect.stringContaining('is not before --to')]);
    const future = range('2026-08-01', '2026-11-22T13:00');
    expect(await problemsOf(() => spanOf(future, NOW_MS, new ZonedCalendar('UTC')))).toEqual([
      expect.stringContaining('--to: "2026-11-22T13:00" is in the future'),
    ]);
  });
});
