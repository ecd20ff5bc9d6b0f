import { calendarOf } from '../base/time-zone.ts';
import { LONGEST_MAX_AGE_MS } from '../model/cadence.ts';
import type { Device, Station } from '../model/station.ts';

/** A span of time; its end is the first instant after it. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A station with the zone in which its days are counted. */
export type ZonedStation = Station & { readonly timeZone: string };

/** What is wanted of one station. */
export interface WantedStation {
  readonly station: ZonedStation;
  readonly devices: readonly Device[];
  /** Whether its devices may say the same of the whole house. */
  readonly isParallel?: boolean;
  /** Whether a person has chosen one device of the station. */
  readonly isOneDevice: boolean;
}

/** The unit of work: a station, and its calendar month or a part of it, which does not end in the future. */
export interface MonthPart extends WantedStation, Span {
  /** `2026-08`. */
  readonly month: string;
  /** Whether it is all of a month that has arrived at the service. */
  readonly isWhole: boolean;
  /** The end of what has arrived at the service: at most {@link toMs}. */
  readonly settledToMs: number;
}

/**
 * Cuts a span into the calendar months of a station, oldest first. What was measured last may still be on its way to
 * the service: a month that has ended only now is not yet whole.
 */
export function monthParts(wanted: WantedStation, span: Span, nowMs: number): readonly MonthPart[] {
  const calendar = calendarOf(wanted.station.timeZone);
  const arrivedMs = nowMs - LONGEST_MAX_AGE_MS;
  const parts: MonthPart[] = [];
  for (let { fromMs } = span; fromMs < span.toMs;) {
    const { startsAtMs, endsAtMs } = calendar.monthPeriod(fromMs);
    const toMs = Math.min(endsAtMs, span.toMs);
    const isWhole = fromMs === startsAtMs && toMs === endsAtMs && toMs <= arrivedMs;
    const settledToMs = Math.max(fromMs, Math.min(toMs, arrivedMs));
    const month = calendar.month(fromMs);
    parts.push({ ...wanted, month, fromMs, toMs, isWhole, settledToMs });
    fromMs = toMs;
  }
  return parts;
}

/** What a part has, as its name says. */
interface NamedPart {
  readonly name: string;
  /** The id of a station, with that of a device behind a `+` where it has that device alone. */
  readonly of: string;
  readonly month: string;
  /** Times of the same length, `20260831T160000Z`; before and after all of them for a whole month. */
  readonly from: string;
  readonly to: string;
}

const NAME = /^solar-(.+)-(\d{4}-\d\d)(?:-part-(\d{8}T\d{6}Z)-(\d{8}T\d{6}Z))?$/;
const [BEFORE_ALL, AFTER_ALL] = ['', '~'];

/** Remembers parts of months by names, which say what each of them has. */
export class MonthNames {
  #parts: readonly NamedPart[];

  /** @param names - those of other things do not count. */
  constructor(names: readonly string[]) {
    this.#parts = names.flatMap((name) => partNamed(name) ?? []);
  }

  /** Whether all of a part is there, with nothing that had still to arrive. */
  has(part: MonthPart): boolean {
    return this.#parts.some((there) => covers(there, namedUntil(part, part.toMs)));
  }

  /** Adds a part, and returns the names of those of which it has everything. */
  add(part: MonthPart): readonly string[] {
    const added = namedUntil(part, part.settledToMs);
    const covered = this.#parts.filter((there) => covers(added, there));
    this.#parts = [...this.#parts.filter((there) => !covered.includes(there)), added];
    return covered.map(({ name }) => name).filter((name) => name !== added.name);
  }
}

/** Names what is written of a part: it says what had surely arrived at the service. */
export function nameOf(part: MonthPart): string {
  return namedUntil(part, part.settledToMs).name;
}

function partNamed(name: string): NamedPart | undefined {
  const [, of, month, from = BEFORE_ALL, to = AFTER_ALL] = NAME.exec(name) ?? [];
  return of === undefined || month === undefined ? undefined : { name, of, month, from, to };
}

function namedUntil(part: MonthPart, toMs: number): NamedPart {
  const { station, devices, month, fromMs, isWhole, isOneDevice } = part;
  // Ids are the service's: whatever they hold, they lead to no other directory.
  const ids = [station.stationId, ...(isOneDevice ? devices.map(({ deviceId }) => deviceId) : [])];
  const of = ids.map((id) => encodeURIComponent(id)).join('+');
  const at = (atMs: number): string => new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '');
  const [from, to] = isWhole ? [BEFORE_ALL, AFTER_ALL] : [at(fromMs), at(toMs)];
  const span = isWhole ? '' : `-part-${from}-${to}`;
  return { name: `solar-${of}-${month}${span}`, of, month, from, to };
}

/** Whether a part has everything of another one. */
function covers(one: NamedPart, other: NamedPart): boolean {
  const isAbout = other.of === one.of || other.of.startsWith(`${one.of}+`);
  return isAbout && other.month === one.month && one.from <= other.from && one.to >= other.to;
}
