import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import {
  ANSWER_LIMITS,
  type DropLog,
  firstOf,
  LIST_LIMITS,
  type NoteDropped,
} from '../base/limits.ts';
import { ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { elapsedMs, isOver, type Wait, waitFor } from '../base/wait.ts';
import type { Alarm, FiringAlarm } from '../model/station.ts';
import type { Call } from './endpoints.ts';
import {
  type AnswerContext,
  anyList,
  fieldsOf,
  id,
  parse,
  quantity,
  text,
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

const levelSchema = z.union([z.number().transform(String), text]);
const pageSchema = z.object({ list: anyList.nullish() });

function alarmOf(record: unknown): Alarm | undefined {
  const first = fieldsOf(record);
  const [key, level = 'unknown'] = [first(text, 'key'), first(levelSchema, 'level')];
  const known = LEVELS.get(Number(level)) ?? LEVELS.get(level.toLowerCase());
  return key === undefined ? undefined : { key, level: known ?? level };
}

/** Decodes `firingAlarms` of a latest state; each key once, with its first level. */
export function decodeFiringAlarms(list: unknown, noteDropped: NoteDropped): readonly Alarm[] {
  const sent = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const alarms = new Map<string, Alarm>();
  for (const candidate of firstOf(sent, ANSWER_LIMITS.alarmsPerDevice, 'alarms', noteDropped)) {
    const alarm = alarmOf(candidate);
    if (alarm !== undefined && !alarms.has(alarm.key)) alarms.set(alarm.key, alarm);
  }
  return [...alarms.values()];
}

/**
 * Decodes a page of the alarm list, which contains past alarms, too. An alarm is active until it has
 * disappeared (service.md#alarms), which its status or a time says. The list may repeat a key of a device.
 */
export function decodeAlarmPage(
  data: unknown,
  answer: AnswerContext,
): { readonly active: readonly FiringAlarm[]; readonly length: number } {
  const list = parse(pageSchema, data, answer).list ?? [];
  const active = firstOf(list, ANSWER_LIMITS.alarmsPerPage, 'alarms', answer.noteDropped).flatMap(
    (record): readonly FiringAlarm[] => {
      const first = fieldsOf(record);
      const [alarm, deviceId] = [alarmOf(record), first(id, 'deviceId')];
      // An empty text and 0 are no time.
      const hasDisappeared = Boolean(first(z.unknown(), 'disappearedAt'));
      const isActive = !hasDisappeared && first(quantity, 'status') !== GONE;
      return isActive && alarm !== undefined && deviceId !== undefined
        ? [{ ...alarm, deviceId }]
        : [];
    },
  );
  return { active, length: list.length };
}

const PAGE_SIZE = 500;
/** Alarms of one station that are still active after so many pages are not worth more requests. */
const MOST_PAGES = 5;
/** A page of an account's list without an active alarm says enough of so many stations. */
const STATIONS_PER_PAGE = 10;
/** How long a list serves stations that have not had it, and how long one that never answered is left alone. */
const KEPT_MS = 10 * 60_000;
/** How long the list of the account is not asked for when it is longer than those of the stations together. */
const TOO_LONG_MS = 24 * 3_600_000;

/** The active alarms of devices, as far as they are known. */
export interface StationAlarms {
  readonly alarms: readonly FiringAlarm[];
  /** How old the list that answered was; absent where none was needed, and where it was refused. */
  readonly ageMs?: number;
  /** Why the list of alarms is not known; absent where it is, and where the service has no such list. */
  readonly refusal?: ServiceError | undefined;
}

/** What a list says; neither where the list of the account is too long. */
interface Answer {
  /** Active alarms by device and key. */
  readonly alarms?: ReadonlyMap<string, ReadonlyMap<string, FiringAlarm>>;
  readonly refusal?: ServiceError;
}

/** A list that was asked for. */
interface AskedList {
  readonly answer: Promise<Answer>;
  kept: Wait;
  /** The stations that have had it: each of them gets a newer one. */
  readonly hadBy: Set<string>;
}

/**
 * Makes a function that fetches the active alarms of devices of a station (service.md#alarms), each key of a device
 * once; none from a service that has no such list. A list that is there and refused is not empty: the refusal comes
 * with the result.
 *
 * One list of the account serves all its stations (service.md#paging). A station has a list of its own where it is
 * alone, where the service refuses the list of the account, and where that takes more pages than there are stations:
 * of an account of thousands, a few may be configured.
 *
 * The function rejects when a list fails for the moment, and when it is refused after one has answered: without it,
 * its alarms would look cleared.
 */
export function alarmLists(
  call: Call,
  drops: Pick<DropLog, 'note'>,
  clock: Clock,
  log: Logger,
): (stationId: string, deviceIds: readonly string[]) => Promise<StationAlarms> {
  /** By station; that of the account by nothing. */
  const lists = new Map<string | undefined, AskedList>();
  const stations = new Set<string>();
  const answered = new Set<string>();
  let hasWarned = false;

  return async (stationId, deviceIds) => {
    stations.add(stationId);
    const shared = stations.size > 1 ? await listFor(stationId, undefined) : undefined;
    const list = shared?.alarms === undefined ? await listFor(stationId, stationId) : shared;
    if (list.refusal !== undefined) {
      if (!answered.has(stationId)) return { alarms: [], refusal: explained(list.refusal) };
      // A list that was there is missed, so that it is asked for again as soon as after any failure.
      lists.delete(stationId);
      throw list.refusal;
    }
    answered.add(stationId);
    const alarms = deviceIds.flatMap((deviceId) => [
      ...(list.alarms?.get(deviceId)?.values() ?? []),
    ]);
    return { alarms, ageMs: list.ageMs };
  };

  async function listFor(stationId: string, of?: string): Promise<Answer & { ageMs: number }> {
    let list = lists.get(of);
    if (list === undefined || isOver(list.kept, clock) || list.hadBy.has(stationId))
      lists.set(of, (list = ask(of)));
    const answer = await list.answer;
    // What has no alarms is left alone, whoever asks.
    if (answer.alarms !== undefined) list.hadBy.add(stationId);
    return { ...answer, ageMs: elapsedMs(list.kept.stopwatch, clock) };
  }

  function ask(of?: string): AskedList {
    const answer = readList(of).then(
      ({ alarms, isCut }) => {
        if (of !== undefined || !isCut) return { alarms };
        list.kept = waitFor(TOO_LONG_MS, clock);
        return {};
      },
      (error: unknown) => {
        if (isFinalRefusal(error)) return { refusal: error };
        lists.delete(of);
        throw error;
      },
    );
    const list: AskedList = { answer, kept: waitFor(KEPT_MS, clock), hadBy: new Set() };
    return list;
  }

  /** Returns the refusal of a list that is there; nothing where the path leads nowhere. */
  function explained(error: ServiceError): ServiceError | undefined {
    const { code, message, serviceCode } = error;
    if (code !== 'SERVICE_REQUEST_REJECTED') {
      const hint = `${message}; --collect.alarms=false does without the list of alarms`;
      return new ServiceError(code, hint, { cause: error, serviceCode });
    }
    if (!hasWarned)
      log.warn({ err: error }, 'the service has no list of alarms for us: none are shown');
    hasWarned = true;
    return undefined;
  }

  /**
   * Reads the list of a station, or of the account: pages, newest alarms first, up to the first one without an
   * active alarm, or some more of them where they are of many stations: the past is long.
   */
  async function readList(stationId?: string) {
    const count = stationId === undefined ? stations.size : 1;
    const alarms = new Map<string, Map<string, FiringAlarm>>();
    let [held, dropped, isCut, quietPages] = [0, 0, true, Math.ceil(count / STATIONS_PER_PAGE)];
    for (let page = 1; isCut && page <= Math.max(MOST_PAGES, count); page += 1) {
      const { active, length } = await call('alarms', () => ({
        body: { page, count: PAGE_SIZE, stationId, orderByCreatedTimeDesc: true },
      }));
      for (const alarm of active) {
        const ofDevice = alarms.get(alarm.deviceId) ?? new Map<string, FiringAlarm>();
        if (ofDevice.has(alarm.key)) continue;
        if (held < LIST_LIMITS.alarms && ofDevice.size < ANSWER_LIMITS.alarmsPerDevice) {
          alarms.set(alarm.deviceId, ofDevice.set(alarm.key, alarm));
          held += 1;
        } else dropped += 1;
      }
      if (active.length === 0) quietPages -= 1;
      isCut = length >= PAGE_SIZE && quietPages > 0;
    }
    if (isCut && stationId !== undefined) dropped = Math.max(1, dropped);
    drops.note(`active alarms, station ${stationId ?? 'any'}`, 'alarms', dropped);
    return { alarms, isCut };
  }
}
