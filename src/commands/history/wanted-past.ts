import { ConfigError } from '../../base/errors.ts';
import { FALLBACK_TIME_ZONE, ZonedCalendar } from '../../base/time-zone.ts';
import type { ServiceApi } from '../../client/client.ts';
import type { Config } from '../../config/config.ts';
import { checkRange, monthParts, type PastRange, spanOf } from '../../history/run/month-parts.ts';
import type { PlannedPart } from '../../history/run/run-history.ts';
import { findDevice } from '../find-device.ts';
import { type DeviceSubject, listAllDevices, type ListContext } from '../inventory.ts';

/**
 * Returns the range that the options ask for.
 *
 * @throws ConfigError when there is none, or it is wrong wherever the stations are.
 */
export function pastRange({ from, to }: Config['history'], nowMs: number): PastRange {
  if (from === undefined)
    throw new ConfigError(['--from: is missing; accepted: a date such as 2026-08-01']);
  const range = { from, to };
  checkRange(range, nowMs);
  return range;
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
  range: PastRange,
): Promise<readonly PlannedPart[]> {
  const { device } = context.config.history;
  const targets =
    device === undefined
      ? await listAllDevices(api, context)
      : [await findDevice(api, context, device)];
  const nowMs = context.runtime.clock.nowMs();
  const ids = new Set(targets.map(({ station }) => station.stationId));
  return [...ids].flatMap((stationId) => {
    const ofStation = targets.filter(({ station }) => station.stationId === stationId);
    return partsOf(ofStation, range, nowMs);
  });
}

function partsOf(
  targets: readonly DeviceSubject[],
  range: PastRange,
  nowMs: number,
): readonly PlannedPart[] {
  const devices = targets.map(({ device }) => device);
  return targets.slice(0, 1).flatMap(({ station }) => {
    const calendar = new ZonedCalendar(station.timeZone ?? FALLBACK_TIME_ZONE);
    const span = spanOf(range, calendar, nowMs);
    return monthParts(station, span, calendar, nowMs).map((part) => ({ part, devices }));
  });
}
