import { ZonedCalendar } from '../../src/base/time-zone.ts';
import type { PortalAnswer, Script } from './scripted-service.ts';

/**
 * A service of a station in a zone. It generated as many kWh on a day as the day has in its number, in a month
 * likewise, and in a year its last two digits, beginning with 2024.
 *
 * @param isQuiet - whether it has nothing of the running day, month and year yet.
 */
export function summaries(zone: string, isQuiet = false) {
  const calendar = new ZonedCalendar(zone);
  const answer = (times: readonly string[], running: string): PortalAnswer => {
    const isReal = (time: string) => time < running || (time === running && !isQuiet);
    const valueOf = (time: string) => (isReal(time) ? Number(time.slice(-2)) : undefined);
    return pvSummary(Object.fromEntries(times.map((time) => [time, valueOf(time)])));
  };
  const numbered = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1).padStart(2, '0')}`);
  return {
    summary: ({ atMs }) => answer(numbered(`${calendar.year(atMs)}-`, 12), calendar.month(atMs)),
    summaryDays: ({ atMs, body }) =>
      answer(numbered(`${String(body['time'])}-`, 31), calendar.day(atMs)),
    summaryYears: ({ atMs }) =>
      answer(
        Array.from({ length: 6 }, (_, index) => String(2024 + index)),
        calendar.year(atMs),
      ),
  } satisfies Script;
}

/** A summary of PV, in kWh: a point for each of these times, which is none where it is unknown. */
export function pvSummary(points: Readonly<Record<string, number | undefined>>): PortalAnswer {
  const property = { key: 'pvGeneratedEnergy', unit: 'kWh' };
  const timePoints = Object.entries(points).map(([time, value = 0]) => {
    return { time, value, isRealValue: points[time] !== undefined };
  });
  return { data: { hasRealTimePoints: true, properties: [{ property, timePoints }] } };
}
