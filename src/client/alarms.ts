import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { isRefusal, ServiceError } from '../base/errors.ts';
import { isPlausibleTime } from '../base/instant.ts';
import type { Logger } from '../base/log.ts';
import type { Alarm, Device, FiringAlarm } from '../model/station.ts';
import type { Call } from './call.ts';
import {
  type AnswerContext,
  anyList,
  readerOf,
  firstOf,
  id,
  instant,
  parse,
  quantity,
  text,
  timestamp,
} from './exchange/decode.ts';
import { isFinalRefusal } from './exchange/retry.ts';

/** The levels of alarms, by number and by word (service.md#alarms); level 1 is an assumption. */
const LEVELS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ...[1, 'notice', 'low', 'info'].map((level) => [level, 'notice'] as const),
  ...[2, 'warning', 'medium'].map((level) => [level, 'warning'] as const),
  ...[3, 'critical', 'high'].map((level) => [level, 'critical'] as const),
]);

/** The `status` of an alarm that has disappeared. */
const GONE = 1;
/** An alarm that disappeared before this has not: some write the year 1 or 1970 for no time. */
const EARLIEST_END_MS = Date.UTC(2000, 0);

const levelSchema = z.union([z.number().transform(String), text]);
const pageSchema = z.object({ list: anyList.nullish() });

function alarmOf(record: unknown): Alarm | undefined {
  const first = readerOf(record);
  const [key, level = 'unknown'] = [first(text, 'key', 'name'), first(levelSchema, 'level')];
  const known = LEVELS.get(Number(level)) ?? LEVELS.get(level.toLowerCase());
  return key === undefined ? undefined : { key, level: known ?? level };
}

/** An alarm of the list. */
interface ListedAlarm extends Alarm {
  /** The id of its device, or the serial number where the record has no id. */
  readonly owner: string;
}

/** A page of the list of alarms. */
interface AlarmPage {
  readonly active: readonly ListedAlarm[];
  /** How many records the service sent, past alarms included. */
  readonly length: number;
  /** Whether the page is in the order that was asked for; false where it does not say. */
  readonly isNewestFirst: boolean;
}

/** Decodes `firingAlarms` of a latest state; each key once, with its first level. */
export function decodeFiringAlarms(
  list: unknown,
  answer: Pick<AnswerContext, 'noteDropped'>,
): readonly Alarm[] {
  const sent = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const alarms = new Map<string, Alarm>();
  for (const candidate of firstOf(sent, answer)) {
    const alarm = alarmOf(candidate);
    if (alarm !== undefined && !alarms.has(alarm.key)) alarms.set(alarm.key, alarm);
  }
  return [...alarms.values()];
}

/**
 * Decodes a page of the alarm list, which contains past alarms, too. An alarm is active until its status or a
 * time shows that it has disappeared (service.md#alarms). The list may repeat a key of a device.
 */
export function decodeAlarmPage(data: unknown, answer: AnswerContext): AlarmPage {
  const list = parse(pageSchema, data, answer).list ?? [];
  const active = firstOf(list, answer).flatMap((record): readonly ListedAlarm[] => {
    const first = readerOf(record);
    const alarm = alarmOf(record);
    const owner = first(id, 'deviceId') ?? first(id, 'deviceSerialNumber');
    const isActive = !hasDisappeared(record) && first(quantity, 'status') !== GONE;
    return isActive && alarm !== undefined && owner !== undefined ? [{ ...alarm, owner }] : [];
  });
  const [newestMs = NaN, oldestMs = NaN] = [list[0], list.at(-1)].map((record) =>
    readerOf(record)(timestamp, 'createdAt'),
  );
  return { active, length: list.length, isNewestFirst: newestMs >= oldestMs };
}

/** Matches what some send for no time: nothing, zeros, or `null` as a text. */
const NO_TIME = /^(?:[\s0:.TZ/-]*|null)$/i;

/** Whether a record says when its alarm disappeared. */
function hasDisappeared(record: unknown): boolean {
  const first = readerOf(record);
  const atMs = first(instant, 'disappearedAt');
  if (atMs === undefined) return !NO_TIME.test(first(text, 'disappearedAt') ?? '');
  return atMs >= EARLIEST_END_MS && isPlausibleTime(atMs);
}

const PAGE_SIZE = 500;
/** More pages are not worth their requests. */
const MOST_PAGES = 40;
/** How often the list is searched to its end for alarms that began long ago. */
const SEARCH_EVERY_MS = 24 * 3_600_000;

/** The problem of a list that does not end: later pages are unknown. */
const TOO_LONG = new ServiceError(
  'SERVICE_PAYLOAD_INVALID',
  `the list of alarms goes on after ${MOST_PAGES} pages: older alarms that still fire are not shown`,
  { remedy: 'look for old alarms in the app of the portal; --collect.alarms=false does without' },
);

/** The active alarms of all devices of the account. */
interface ActiveAlarms {
  /** Returns those of a device, each key once. */
  readonly alarmsOf: (device: Pick<Device, 'deviceId' | 'serial'>) => readonly FiringAlarm[];
  /** Why more may be active. */
  readonly problem?: ServiceError | undefined;
}

export interface AlarmList extends ActiveAlarms {
  /** How long ago it was asked for. */
  readonly ageMs: number;
}

/**
 * Makes a function that fetches the list of alarms of the account (service.md#paging). It returns the last list while
 * that is younger than `ttlMs`, and an empty list where the service has no list.
 *
 * The function rejects when the list fails or is refused, because an empty list would make alarms look cleared. The
 * refusal of a list that never answered is kept as long as a list. Any other failure is not kept: the next call asks
 * again.
 */
export function alarmList(
  call: Call<{ alarms: AlarmPage }>,
  clock: Clock,
  log: Logger,
): (ttlMs: number) => Promise<AlarmList> {
  let last:
    { readonly askedAtMonotonicMs: number; readonly list: Promise<ActiveAlarms> } | undefined;
  let [hasAnswered, hasWarned] = [false, false];
  let searchedAtMonotonicMs = -Infinity;
  /** The last page that had an active alarm; 0 before the first. */
  let lastActivePage = 0;
  let problem: ServiceError | undefined;

  return async (ttlMs) => {
    const nowMs = clock.monotonicMs();
    if (last === undefined || nowMs - last.askedAtMonotonicMs >= ttlMs)
      last = { askedAtMonotonicMs: nowMs, list: read(nowMs).catch(failed) };
    const { askedAtMonotonicMs, list } = last;
    return { ...(await list), ageMs: clock.monotonicMs() - askedAtMonotonicMs };
  };

  function failed(error: unknown): ActiveAlarms {
    if (hasAnswered || !isFinalRefusal(error)) {
      last = undefined;
      throw error;
    }
    const { code, message, serviceCode } = error;
    if (code !== 'SERVICE_REQUEST_REJECTED') {
      const hint = `${message}; --collect.alarms=false does without the list of alarms`;
      throw new ServiceError(code, hint, { cause: error, serviceCode });
    }
    if (!hasWarned)
      log.warn({ err: error }, 'the service has no list of alarms for us: none are shown');
    hasWarned = true;
    return { alarmsOf: () => [] };
  }

  /**
   * Reads pages, newest alarms first, up to the first one without an active alarm: the past is long. Once a day, and
   * where the order is another, it reads to the end. The pages up to the last active alarm are then read each time.
   */
  async function read(nowMs: number): Promise<ActiveAlarms> {
    const isSearch = nowMs - searchedAtMonotonicMs >= SEARCH_EVERY_MS;
    const alarms = new Map<string, ListedAlarm[]>();
    let [isAtEnd, isEnough, activePage] = [false, false, 0];
    let failure: ServiceError | undefined;
    for (let page = 1; !isAtEnd && !isEnough && page <= MOST_PAGES; page += 1) {
      const answer = await askPage(page);
      const { active, length, isNewestFirst } = answer;
      for (const alarm of active) {
        const ofOwner = alarms.get(alarm.owner) ?? [];
        alarms.set(alarm.owner, ofOwner);
        ofOwner.push(alarm);
      }
      if (active.length > 0) activePage = page;
      isAtEnd = length < PAGE_SIZE;
      ({ failure } = answer);
      // New alarms may have moved the last active one to the page after.
      const isPast = isNewestFirst && active.length === 0 && page > lastActivePage;
      isEnough = isPast && !isSearch && failure === undefined;
    }
    lastActivePage = activePage;
    if (isSearch || failure !== undefined)
      searchedAtMonotonicMs = failure === undefined ? nowMs : -Infinity;
    if (!isEnough) problem = failure ?? (isAtEnd ? undefined : TOO_LONG);
    hasAnswered = true;
    return { problem, alarmsOf: (device) => alarmsOf(device, alarms) };
  }

  function askPage(page: number): Promise<AlarmPage & { readonly failure?: ServiceError }> {
    const body = { page, count: PAGE_SIZE, orderByCreatedTimeDesc: true };
    const end = { active: [], length: 0, isNewestFirst: true };
    return call('alarms', () => ({ body })).catch((error: unknown) => {
      // Some services refuse the page after the last (service.md#paging).
      if (page > 1 && isRefusal(error)) return end;
      // The pages before are worth showing, unless an alarm would look cleared.
      const isNeeded = page === 1 || page <= lastActivePage;
      if (!isNeeded && error instanceof ServiceError) return { ...end, failure: error };
      throw error;
    });
  }
}

/** Returns the active alarms of a device, each key once, with its first level. */
function alarmsOf(
  { deviceId, serial = '' }: Pick<Device, 'deviceId' | 'serial'>,
  alarms: ReadonlyMap<string, readonly ListedAlarm[]>,
): readonly FiringAlarm[] {
  const firing = new Map<string, FiringAlarm>();
  for (const owner of [deviceId, serial])
    for (const { key, level } of alarms.get(owner) ?? [])
      if (!firing.has(key)) firing.set(key, { deviceId, key, level });
  return [...firing.values()];
}
