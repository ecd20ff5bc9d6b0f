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
import { isOver, NO_WAIT, waitFor } from '../base/wait.ts';
import type { Alarm, FiringAlarm } from '../model/station.ts';
import type { Call } from './endpoints.ts';
import { type AnswerContext, anyList, labelText, optional, parse } from './exchange/decode.ts';
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
  answer: AnswerContext,
): { readonly active: readonly FiringAlarm[]; readonly length: number } {
  const list = parse(pageSchema, data, answer).list ?? [];
  const active = firstOf(list, ANSWER_LIMITS.alarmsPerPage, 'alarms', answer.noteDropped).flatMap(
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
/** How long the list of the account serves stations that have not had it, and how long a refused list is left alone. */
const RECENT_MS = 10 * 60_000;
/** How long the list of the account is not asked for when it is longer than those of the stations together. */
const TOO_LONG_MS = 24 * 3_600_000;

/** The active alarms of devices, as far as they are known. */
export interface StationAlarms {
  readonly alarms: readonly FiringAlarm[];
  /** When the list that answered was asked for; absent where none was needed, and where it was refused. */
  readonly askedAtMs?: number;
  /** How old that list was already. */
  readonly ageMs?: number;
  /** When the list was refused, or the service had none; it is not asked for again for ten minutes. */
  readonly refusedAtMs?: number;
  /** Why the list of alarms is not known; absent where it is, and where the service has no such list. */
  readonly refusal?: ServiceError | undefined;
}

/** Active alarms by device and key. */
type AlarmsOfDevices = ReadonlyMap<string, ReadonlyMap<string, FiringAlarm>>;

/** The list of the account; absent when it was refused, and when it is too long. */
interface AccountList {
  readonly askedAtMs: number;
  readonly answer: Promise<AlarmsOfDevices | undefined>;
}

/**
 * Fetches the active alarms of these devices of a station.
 *
 * @param previous - the result before this one.
 */
export type FetchFiring = (
  stationId: string,
  deviceIds: readonly string[],
  previous?: StationAlarms,
) => Promise<StationAlarms>;

/**
 * Makes a function that fetches the active alarms of devices of a station (field notes 1.6), each key of a device
 * once; none from a service that has no such list. A list that is there and refused is not empty: the refusal comes
 * with the result.
 *
 * One list of the account serves all its stations (field notes 9), and a station that has had it gets a newer one. A
 * station has a list of its own where it is alone, where the service refuses the list of the account, and where that
 * takes more pages than there are stations: of an account of thousands, a few may be configured.
 *
 * The function rejects when a list fails for the moment, and when it is refused after one has answered: without it,
 * its alarms would look cleared.
 */
export function alarmLists({
  call,
  drops,
  clock,
  log,
  limits = LIST_LIMITS,
}: {
  readonly call: Call;
  readonly drops: Pick<DropLog, 'note'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: ListLimits;
}): FetchFiring {
  /** The stations that have asked. */
  const stations = new Set<string>();
  let account: AccountList | undefined;
  let pause = NO_WAIT;
  let hasWarned = false;

  return async (stationId, deviceIds, previous) => {
    const nowMs = clock.nowMs();
    stations.add(stationId);
    const shared = stations.size > 1 ? accountList(nowMs, previous) : undefined;
    const whole = await shared?.answer;
    const askedAtMs = whole === undefined ? nowMs : (shared?.askedAtMs ?? nowMs);
    if (whole === undefined && previous !== undefined && isRecent(previous.refusedAtMs, nowMs))
      return { ...previous, alarms: [] };
    try {
      const found = whole ?? (await listOf(stationId)).alarms;
      const alarms = deviceIds.flatMap((deviceId) => [...(found.get(deviceId)?.values() ?? [])]);
      return { alarms, askedAtMs, ageMs: nowMs - askedAtMs };
    } catch (error) {
      if (!isFinalRefusal(error) || previous?.askedAtMs !== undefined) throw error;
      return { alarms: [], refusedAtMs: nowMs, refusal: refusalOf(error) };
    }
  };

  /** Returns the list of the account, a newer one than the station has had; nothing while there is no use in it. */
  function accountList(nowMs: number, previous?: StationAlarms): AccountList | undefined {
    const isNew = account?.askedAtMs !== previous?.askedAtMs;
    if (isNew && isRecent(account?.askedAtMs, nowMs)) return account;
    if (!isOver(pause, clock)) return undefined;
    const asked = { askedAtMs: nowMs, answer: listOfAccount() };
    asked.answer.catch(() => {
      if (account === asked) account = undefined;
    });
    return (account = asked);
  }

  async function listOfAccount(): Promise<AlarmsOfDevices | undefined> {
    try {
      const { alarms, isCut } = await listOf();
      if (!isCut) return alarms;
      pause = waitFor(TOO_LONG_MS, clock);
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
      pause = waitFor(RECENT_MS, clock);
    }
    return undefined;
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

  /**
   * Reads the list of a station, or of the account: pages, newest alarms first, up to the first one without an
   * active alarm, or some more of them where they are of many stations: the past is long.
   */
  async function listOf(
    stationId?: string,
  ): Promise<{ readonly alarms: AlarmsOfDevices; readonly isCut: boolean }> {
    const isOfStation = stationId !== undefined;
    const count = isOfStation ? 1 : stations.size;
    const most = isOfStation ? limits.alarms : limits.alarmsInAll;
    const alarms = new Map<string, Map<string, FiringAlarm>>();
    let [held, dropped, isCut] = [0, 0, true];
    let quietPages = Math.ceil(count / STATIONS_PER_PAGE);
    for (let page = 1; isCut && page <= Math.max(MOST_PAGES, count); page += 1) {
      const { active, length } = await call('alarms', () => ({
        body: { page, count: PAGE_SIZE, stationId, orderByCreatedTimeDesc: true },
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
    if (isCut && isOfStation) dropped = Math.max(1, dropped);
    drops.note(
      isOfStation ? `active alarms, station ${stationId}` : 'active alarms',
      'alarms',
      dropped,
    );
    return { alarms, isCut };
  }
}

function isRecent(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && atMs <= nowMs && nowMs - atMs < RECENT_MS;
}
