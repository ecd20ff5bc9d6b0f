import { z } from 'zod';
import { ANSWER_LIMITS, firstOf, type NoteDropped } from '../../base/limits.ts';
import type { Alarm, FiringAlarm } from '../../model/station.ts';
import { type AnswerTime, anyList, labelText, optional, parse } from '../exchange/decode.ts';

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
  const candidates = Array.isArray(list) ? (list as readonly unknown[]) : [];
  const alarms = new Map<string, Alarm>();
  for (const candidate of firstOf(
    candidates,
    ANSWER_LIMITS.alarmsPerDevice,
    'alarms',
    noteDropped,
  )) {
    const alarm = alarmSchema.safeParse(candidate).data;
    if (alarm !== undefined && !alarms.has(alarm.key))
      alarms.set(alarm.key, { key: alarm.key, level: levelName(alarm.level) });
  }
  return [...alarms.values()];
}

/**
 * Decodes a page of the alarm list, which contains past alarms, too. An alarm is active until it has
 * disappeared (field notes 2.7). Returns each key of a device once, though the list may repeat it.
 */
export function decodeAlarmPage(
  data: unknown,
  path: string,
  _time?: AnswerTime,
  noteDropped: NoteDropped = () => undefined,
): { readonly active: readonly FiringAlarm[]; readonly length: number } {
  const list = parse(pageSchema, data, path).list ?? [];
  const active = new Map<string, FiringAlarm>();
  for (const candidate of firstOf(list, ANSWER_LIMITS.alarmsPerPage, 'alarms', noteDropped)) {
    const alarm = listedSchema.safeParse(candidate).data;
    if (alarm === undefined || alarm.disappearedAt != null) continue;
    const { deviceId, key } = alarm;
    const name = `${deviceId} ${key}`;
    if (!active.has(name)) active.set(name, { deviceId, key, level: levelName(alarm.level) });
  }
  return { active: [...active.values()], length: list.length };
}

function levelName(level: string | undefined): string {
  return level === undefined ? 'unknown' : (LEVELS.get(level) ?? level);
}
