import { ConfigError } from '../../base/errors.ts';
import { earliestOf, instantOf, type Moment } from '../../base/instant.ts';
import { quote } from '../../base/shown.ts';
import { calendarOf, FALLBACK_TIME_ZONE, type ZonedCalendar } from '../../base/time-zone.ts';
import type { ServiceApi } from '../../client/client.ts';
import type { Config } from '../../config/config.ts';
import { type MonthPart, monthParts, type Span } from '../../history/months.ts';
import { findDevice } from '../find-device.ts';
import { listAllDevices, type ListContext } from '../inventory.ts';

type Range = Pick<Config['history'], 'from' | 'to'>;

/**
 * Returns the span that the options ask for, by the calendar of a station; until now where there is no end. Without a
 * calendar, only what is wrong wherever the station is gets refused.
 *
 * @throws ConfigError when it has no beginning, is in the future, or ends before it begins.
 */
export function spanOf({ from, to }: Range, nowMs: number, calendar?: ZonedCalendar): Span {
  if (from === undefined)
    throw new ConfigError(['--from: is missing; accepted: a date such as 2026-08-01']);
  const at = (moment: Moment): number =>
    calendar === undefined ? earliestOf(moment) : instantOf(moment, calendar);
  const inFuture = (flag: string, { text }: Moment): ConfigError =>
    new ConfigError([`${flag}: ${quote(text)} is in the future; accepted: a time of the past`]);
  const fromMs = at(from);
  if (fromMs >= nowMs) throw inFuture('--from', from);
  if (to === undefined) return { fromMs, toMs: nowMs };
  const toMs = at(to);
  if (toMs > nowMs) throw inFuture('--to', to);
  const isLikeTo = (from.offsetMs === undefined) === (to.offsetMs === undefined);
  if (fromMs >= toMs && (isLikeTo || calendar !== undefined))
    throw new ConfigError([
      `--from: ${quote(from.text)} is not before --to ${quote(to.text)}; accepted: a beginning before the end`,
    ]);
  return { fromMs, toMs };
}

/**
 * Lists what is wanted: station by station, month by month, oldest first. Asks for the lists of stations and
 * devices alone.
 *
 * @throws ConfigError when there is no such device, or the range is wrong at a station; ServiceError.
 */
export async function wantedParts(
  api: ServiceApi,
  context: ListContext & { readonly config: Pick<Config, 'history'> },
): Promise<readonly MonthPart[]> {
  const { device, ...range } = context.config.history;
  const isOneDevice = device !== undefined;
  const targets = isOneDevice
    ? [await findDevice(api, context, device)]
    : await listAllDevices(api, context);
  const nowMs = context.runtime.clock.nowMs();
  const stations = new Map(targets.map(({ station }) => [station.stationId, station]));
  return [...stations.values()].flatMap((listed) => {
    const station = { ...listed, timeZone: listed.timeZone ?? FALLBACK_TIME_ZONE };
    const ofStation = targets.filter((target) => target.station.stationId === listed.stationId);
    const devices = ofStation.map((target) => target.device);
    const span = spanOf(range, nowMs, calendarOf(station.timeZone));
    const isParallel = ofStation.some((target) => target.isParallel === true);
    return monthParts({ station, devices, isParallel, isOneDevice }, span, nowMs);
  });
}
