import { type EnergyTotals, mapEnergy, sumEnergy } from '../../physics/energy.ts';
import { INSTALLED_YEAR } from '../../physics/station-plant.ts';
import { illegalArgument } from '../reply.ts';
import type { World } from '../world.ts';
import { daysInMonth, daysSoFar, monthsSoFar, yearsSoFar } from './energy-of-spans.ts';
import type { Share } from './scopes.ts';

/** A span of time in a summary; undefined totals are those of a span that has not begun. */
export interface Bucket {
  readonly time: string;
  readonly timeDisplay: string;
  readonly totals: EnergyTotals | undefined;
}

/** Divides the time that a body names into buckets, and measures each. */
export type Bucketing = (
  time: unknown,
  shares: readonly Share[],
  world: World,
) => readonly Bucket[];

/** The months of a year, `2026`. */
export const monthsOfYear: Bucketing = (time, shares, world) => {
  const year = Number(matched(time, /^\d{4}$/)[0]);
  const measured = added(shares, (share) => monthsSoFar(year, share.station, world));
  return Array.from({ length: 12 }, (_, index) => ({
    time: `${year}-${twoDigits(index + 1)}`,
    timeDisplay: twoDigits(index + 1),
    totals: measured[index],
  }));
};

/** The days of a month, `2026-08`. */
export const daysOfMonth: Bucketing = (time, shares, world) => {
  const [, year, month] = matched(time, /^(\d{4})-(0[1-9]|1[0-2])$/).map(Number);
  if (year === undefined || month === undefined) throw illegalArgument('time');
  const measured = added(shares, ({ station }) => daysSoFar(year, month, station, world));
  return Array.from({ length: daysInMonth(year, month) }, (_, index) => ({
    time: `${year}-${twoDigits(month)}-${twoDigits(index + 1)}`,
    timeDisplay: twoDigits(index + 1),
    totals: measured[index],
  }));
};

/** The years since the installation, whatever the body names. */
export const yearsOfLifetime: Bucketing = (_time, shares, world) =>
  added(shares, ({ station }) => yearsSoFar(station, world)).map((totals, index) => {
    const year = String(INSTALLED_YEAR + index);
    return { time: year, timeDisplay: year, totals };
  });

/** Takes a text apart, or throws code 20101. */
export function matched(time: unknown, form: RegExp): readonly string[] {
  const parts = typeof time === 'string' ? form.exec(time) : null;
  if (parts === null) throw illegalArgument('time');
  return parts;
}

/** Writes a month, a day or an hour. */
export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** Adds up the shares, span by span. */
function added(
  shares: readonly Share[],
  spansOf: (share: Share) => readonly EnergyTotals[],
): readonly EnergyTotals[] {
  const weighted = shares.map((share) =>
    spansOf(share).map((totals) => mapEnergy(totals, (wattHours) => wattHours * share.weight)),
  );
  const [longest = []] = [...weighted].sort((one, other) => other.length - one.length);
  return longest.map((_, index) =>
    sumEnergy(weighted.flatMap((spans) => spans.slice(index, index + 1))),
  );
}
