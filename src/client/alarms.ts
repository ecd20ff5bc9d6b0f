import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { NoteDropped } from '../base/limits.ts';
import { ServiceError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Alarm, FiringAlarm } from '../model/station.ts';
import type { Call } from './call.ts';
import {
  type AnswerContext,
  anyList,
  readerOf,
  firstOf,
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
  const first = readerOf(record);
  const [key, level = 'unknown'] = [first(text, 'key'), first(levelSchema, 'level')];
  const known = LEVELS.get(Number(level)) ?? LEVELS.get(level.toLowerCase());
  return key === undefined ? undefined : { key, level: known ?? level };
}

/** A page of the list of alarms. */
interface AlarmPage {
  readonly active: readonly FiringAlarm[];
  /** How many records the service sent, past alarms included. */
  readonly length: number;
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
  const active = firstOf(list, answer).flatMap((record): readonly FiringAlarm[] => {
    const first = readerOf(record);
    const [alarm, deviceId] = [alarmOf(record), first(id, 'deviceId')];
    // An empty text or 0 is not a time.
    const hasDisappeared = Boolean(first(z.unknown(), 'disappearedAt'));
    const isActive = !hasDisappeared && first(quantity, 'status') !== GONE;
    return isActive && alarm !== undefined && deviceId !== undefined
      ? [{ ...alarm, deviceId }]
      : [];
  });
  return { active, length: list.length };
}

const PAGE_SIZE = 500;
/** Active alarms after so many pages are not worth more requests. */
const MOST_PAGES = 10;

/** The active alarms of all devices of the account, each key of a device once. */
export interface AlarmList {
  readonly alarmsOf: (deviceId: string) => readonly FiringAlarm[];
  /** How long ago the list was requested. */
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
  noteDropped: NoteDropped,
  clock: Clock,
  log: Logger,
): (ttlMs: number) => Promise<AlarmList> {
  let last:
    | { readonly askedAtMonotonicMs: number; readonly list: Promise<AlarmList['alarmsOf']> }
    | undefined;
  let [hasAnswered, hasWarned] = [false, false];

  return async (ttlMs) => {
    const nowMs = clock.monotonicMs();
    if (last === undefined || nowMs - last.askedAtMonotonicMs >= ttlMs)
      last = { askedAtMonotonicMs: nowMs, list: read().catch(failed) };
    const { askedAtMonotonicMs, list } = last;
    return { alarmsOf: await list, ageMs: clock.monotonicMs() - askedAtMonotonicMs };
  };

  function failed(error: unknown): AlarmList['alarmsOf'] {
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
    return () => [];
  }

  /** Reads pages, newest alarms first, up to the first page without an active alarm, because the past is long. */
  async function read(): Promise<AlarmList['alarmsOf']> {
    const alarms = new Map<string, Map<string, FiringAlarm>>();
    let isWhole = false;
    for (let page = 1; !isWhole && page <= MOST_PAGES; page += 1) {
      const { active, length } = await call('alarms', () => ({
        body: { page, count: PAGE_SIZE, orderByCreatedTimeDesc: true },
      }));
      for (const alarm of active) {
        const ofDevice = alarms.get(alarm.deviceId) ?? new Map<string, FiringAlarm>();
        alarms.set(alarm.deviceId, ofDevice);
        if (!ofDevice.has(alarm.key)) ofDevice.set(alarm.key, alarm);
      }
      isWhole = length < PAGE_SIZE || active.length === 0;
    }
    if (!isWhole) noteDropped('points', 1, `the list of alarms after ${MOST_PAGES} pages`);
    hasAnswered = true;
    return (deviceId) => [...(alarms.get(deviceId)?.values() ?? [])];
  }
}
