import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { DropLog } from '../base/drop-log.ts';
import { ServiceError } from '../base/errors.ts';
import {
  ANSWER_LIMITS,
  firstOf,
  LIST_LIMITS,
  type ListLimits,
  type NoteDropped,
} from '../base/limits.ts';
import type { Logger } from '../base/log.ts';
import { isOver, type Wait, waitFor } from '../base/wait.ts';
import { MOST_REMEMBERED, RecentMap } from '../base/recent-map.ts';
import type { Alarm, FiringAlarm } from '../model/station.ts';
import type { Call } from './endpoints.ts';
import { type RequestTime, anyList, labelText, optional, parse } from './exchange/decode.ts';
import { isFinalRefusal } from './exchange/retry.ts';

const text = z.string().trim().min(1).transform(labelText);
const alarmSchema = z.object({
  key: text,
  level: optional(z.union([z.number(), text]).transform(String)),
});
const listedSchema = alarmSchema.extend({
  deviceId: z.union([text, z.number()]).transform(String),
  disappearedAt: z.unknown().optional(),
});
const pageSchema = z.object({ list: anyList.nullish() });

/** The levels of field notes 2.7, where level 1 is an assumption. */
const LEVELS: ReadonlyMap<string, string> = new Map([
  ['1', 'notice'],
  ['2', 'warning'],
  ['3', 'critical'],
]);

/** Decodes `firingAlarms` of a latest state; each key once, with its first level. */
export function decodeFiringAlarms(list: unknown, noteDropped: NoteDropped): readonly Alarm[] {
  const sent = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const alarms = new Map<string, Alarm>();
  for (const candidate of firstOf(sent, ANSWER_LIMITS.alarmsPerDevice, 'alarms', noteDropped)) {
    const { key, level } = alarmSchema.safeParse(candidate).data ?? {};
    if (key !== undefined && !alarms.has(key)) alarms.set(key, { key, level: levelName(level) });
  }
  return [...alarms.values()];
}

/**
 * Decodes a page of the alarm list, which contains past alarms, too. An alarm is active until it has
 * disappeared (field notes 2.7). The list may repeat a key of a device.
 */
export function decodeAlarmPage(
  data: unknown,
  path: string,
  _time?: RequestTime,
  noteDropped: NoteDropped = () => undefined,
): { readonly active: readonly FiringAlarm[]; readonly length: number } {
  const list = parse(pageSchema, data, path).list ?? [];
  const active = firstOf(list, ANSWER_LIMITS.alarmsPerPage, 'alarms', noteDropped).flatMap(
    (candidate): FiringAlarm[] => {
      const alarm = listedSchema.safeParse(candidate).data;
      if (alarm === undefined || alarm.disappearedAt != null) return [];
      const { deviceId, key, level } = alarm;
      return [{ deviceId, key, level: levelName(level) }];
    },
  );
  return { active, length: list.length };
}

function levelName(level: string | undefined): string {
  return level === undefined ? 'unknown' : (LEVELS.get(level) ?? level);
}

const PAGE_SIZE = 500;
/** Alarms of one station that are still active after so many pages are not worth more requests. */
const MOST_PAGES = 5;
/** A page of an account's list without an active alarm says enough of so many stations. */
const STATIONS_PER_PAGE = 10;
/** How long a list that was refused is not requested again. */
const PAUSE_MS = 10 * 60_000;
/** How long the list of the account serves stations that have not had it. */
const SHARED_MS = 10 * 60_000;

/** The active alarms of devices, as far as they are known. */
export interface StationAlarms {
  readonly alarms: readonly FiringAlarm[];
  /** How long ago the list was asked for; absent where no list was needed. */
  readonly ageMs?: number;
  /** Why the list of alarms is not known; absent where it is, and where the service has no such list. */
  readonly refusal?: ServiceError | undefined;
}

/** What came of a list, of a station or of the account. */
interface AlarmAnswer {
  /** By device and key. */
  readonly alarms: ReadonlyMap<string, ReadonlyMap<string, FiringAlarm>>;
  /** Whether it was not refused, and ended with the last page that was asked for. */
  readonly isWhole: boolean;
  /** Why it was refused, where the service has such a list. */
  readonly refusal?: ServiceError | undefined;
}

/** A list of the account, and the stations that have had it. */
interface SharedAnswer {
  readonly askedAtMs: number;
  readonly answer: Promise<AlarmAnswer>;
  readonly given: Set<string>;
}

/** Stands for the account among stations. */
const ACCOUNT = '';

/** Fetches the active alarms of these devices of a station. */
export type FetchFiring = (
  stationId: string,
  deviceIds: readonly string[],
) => Promise<StationAlarms>;

/** What the lists need. */
export interface AlarmListOptions {
  readonly call: Call;
  readonly drops: Pick<DropLog, 'note'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: ListLimits;
}

/**
 * Makes a function that fetches the active alarms of devices of a station (field notes 1.6), each key of a device
 * once; none from a service that has no such list. A list that is there and refused is not empty: the refusal comes
 * with the result, and it is not asked for again for ten minutes.
 *
 * One list of the account serves all its stations (field notes 9), and who asks again gets a newer one. A station has
 * a list of its own where it is alone, where the service refuses the list of the account, and where that takes more
 * pages than there are stations: of an account of thousands, a few may be configured.
 *
 * The function rejects when a list fails for the moment, and when one that has answered before is refused: without
 * it, its alarms would look cleared.
 */
export function alarmLists({
  call,
  drops,
  clock,
  log,
  limits = LIST_LIMITS,
}: AlarmListOptions): FetchFiring {
  /** The stations that have asked, and how many of them it takes to ask for the list of the account. */
  const stations = new Set<string>();
  let sharedFrom = 2;
  let shared: SharedAnswer | undefined;
  /** By station: that its list has answered, or what came of it when it was refused before it ever did. */
  const known = new RecentMap<string, 'answered' | [AlarmAnswer, Wait]>(MOST_REMEMBERED);
  let hasWarned = false;

  return async (stationId, deviceIds) => {
    const nowMs = clock.nowMs();
    stations.add(stationId);
    const ofAccount = stations.size >= sharedFrom ? sharedFor(stationId, nowMs) : undefined;
    const answer = await ofAccount?.answer;
    const isShared = answer?.isWhole === true;
    const { alarms, refusal } = isShared ? answer : await list(stationId);
    const firing = deviceIds.flatMap((deviceId) => [...(alarms.get(deviceId)?.values() ?? [])]);
    const askedAtMs = isShared && ofAccount !== undefined ? ofAccount.askedAtMs : nowMs;
    return { alarms: firing, ageMs: nowMs - askedAtMs, refusal };
  };

  /** Returns the last list of the account while it is young and new to this station, or else asks for it. */
  function sharedFor(stationId: string, nowMs: number): SharedAnswer {
    const isNew = shared?.given.has(stationId) === false;
    const ageMs = nowMs - (shared?.askedAtMs ?? Infinity);
    const isYoung = ageMs >= 0 && ageMs < SHARED_MS;
    const current =
      shared !== undefined && isNew && isYoung
        ? shared
        : { askedAtMs: nowMs, answer: list(ACCOUNT), given: new Set<string>() };
    current.given.add(stationId);
    current.answer.catch(() => {
      if (shared === current) shared = undefined;
    });
    return (shared = current);
  }

  async function list(stationId: string): Promise<AlarmAnswer> {
    const before = known.get(stationId);
    if (Array.isArray(before) && !isOver(before[1], clock)) return before[0];
    try {
      const answer = await fetchActive(stationId);
      known.set(stationId, 'answered');
      return answer;
    } catch (error) {
      if (!isFinalRefusal(error) || before === 'answered') throw error;
      const refusal = stationId === ACCOUNT ? undefined : refusalOf(error);
      const answer = { alarms: new Map(), isWhole: false, refusal };
      known.set(stationId, [answer, waitFor(PAUSE_MS, clock)]);
      return answer;
    }
  }

  /** Returns the refusal of a list that is there; nothing where the path leads nowhere. */
  function refusalOf(error: ServiceError): ServiceError | undefined {
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

  /** Reads pages, newest alarms first, up to the first one without an active alarm: the past is long. */
  async function fetchActive(stationId: string): Promise<AlarmAnswer> {
    const isOfAccount = stationId === ACCOUNT;
    const count = isOfAccount ? stations.size : 1;
    const most = isOfAccount ? limits.alarmsInAll : limits.alarms;
    const alarms = new Map<string, Map<string, FiringAlarm>>();
    let [held, dropped, isCut] = [0, 0, true];
    let quietPages = Math.ceil(count / STATIONS_PER_PAGE);
    for (let page = 1; isCut && page <= Math.max(MOST_PAGES, count); page += 1) {
      const of = isOfAccount ? {} : { stationId };
      const { active, length } = await call('alarms', () => ({
        body: { page, count: PAGE_SIZE, ...of, orderByCreatedTimeDesc: true },
      }));
      for (const alarm of active) {
        const ofDevice = alarms.get(alarm.deviceId) ?? new Map<string, FiringAlarm>();
        if (ofDevice.has(alarm.key)) continue;
        if (held < most && ofDevice.size < ANSWER_LIMITS.alarmsPerDevice) {
          alarms.set(alarm.deviceId, ofDevice.set(alarm.key, alarm));
          held += 1;
        } else dropped += 1;
      }
      if (active.length === 0) quietPages -= 1;
      isCut = length >= PAGE_SIZE && quietPages > 0;
    }
    // Of twice as many stations, the same list may take fewer pages than there are stations.
    if (isCut && isOfAccount) sharedFrom = 2 * count;
    else if (isCut) dropped = Math.max(1, dropped);
    const name = isOfAccount ? 'active alarms' : `active alarms, station ${stationId}`;
    drops.note(name, 'alarms', dropped);
    return { alarms, isWhole: !isCut };
  }
}
