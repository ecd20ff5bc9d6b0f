import { z } from 'zod';
import { isBelievable } from '../../base/instant.ts';
import { LONGEST_MAX_AGE_MS } from '../../model/cadence.ts';
import type { MonthPart } from '../collect-month.ts';
import { isSettled } from './month-parts.ts';

const instant = z
  .string()
  .transform((text) => Date.parse(text))
  .refine(isBelievable);

/** How a part is remembered in a file: times in ISO 8601. */
export const writtenPartSchema = z.object({
  station: z.string(),
  /** `2026-08`. */
  month: z.string().regex(/^\d{4}-\d\d$/),
  from: instant,
  to: instant,
  devices: z.array(z.string()),
  /** Whether all of it had arrived at the service when it was written. */
  isSettled: z.boolean(),
  isWhole: z.boolean(),
});

/** A part that an earlier run, or this one, has written. */
export type WrittenPart = z.output<typeof writtenPartSchema>;

/** Describes a part that is written now. */
export function writtenPart(
  { station, month, fromMs, toMs, isWhole }: MonthPart,
  deviceIds: readonly string[],
  nowMs: number,
): WrittenPart {
  return {
    station: station.stationId,
    month,
    from: fromMs,
    to: toMs,
    devices: [...deviceIds].sort(),
    isSettled: isSettled(toMs, nowMs),
    isWhole,
  };
}

/** Returns a part as the file has it. */
export function encodePart({ from, to, ...part }: WrittenPart): object {
  return { ...part, from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** Whether a written part is about the month of another. */
export function isSameMonth(written: WrittenPart, { station, month }: MonthPart): boolean {
  return written.station === station.stationId && written.month === month;
}

/** Whether a written part has all of another, with nothing that was still to come. */
export function covers(
  written: WrittenPart,
  { fromMs, toMs, isWhole }: MonthPart,
  deviceIds: readonly string[],
): boolean {
  if (written.from > fromMs || written.to < toMs || (isWhole && !written.isWhole)) return false;
  const hadArrived = written.isSettled || written.to - toMs >= LONGEST_MAX_AGE_MS;
  return hadArrived && deviceIds.every((deviceId) => written.devices.includes(deviceId));
}

/** Whether a part has everything that a written one has, so that it may take its place. */
export function replaces(
  { fromMs, toMs }: MonthPart,
  deviceIds: readonly string[],
  written: WrittenPart,
): boolean {
  return (
    fromMs <= written.from &&
    toMs >= written.to &&
    written.devices.every((deviceId) => deviceIds.includes(deviceId))
  );
}
