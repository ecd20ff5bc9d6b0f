import type { Learnt } from '../client/client.ts';
import type { Field } from '../client/dialects/interpret.ts';
import type { FieldRule } from '../client/dialects/rules.ts';
import { printable } from '../base/shown.ts';
import { WORKING_MODES } from '../model/readings.ts';
import type { DeviceSubject } from './inventory.ts';
import { renderTable } from './output.ts';

/** What an explanation shows. */
export interface ExplainOptions {
  readonly serviceNowMs: number;
  /** Whether it has the keys, too, that rules leave out. */
  readonly isWhole: boolean;
  /** What the device is called where everybody may read it; absent where only its owner does. */
  readonly sharedAs: string | undefined;
}

/** Replaces in a text of the service what identifies somebody. */
type Hide = (text: string) => string;

/** Explains how each key of a device is read, and lists the keys that have no rule. */
export function explainDialect(
  subject: DeviceSubject,
  learnt: Learnt,
  { serviceNowMs, isWhole, sharedAs }: ExplainOptions,
): string {
  const { deviceId, model = 'unknown' } = subject.device;
  const hide = sharedAs === undefined ? String : identityHider(subject);
  const { profile, answers, decoded } = learnt;
  const looked = Object.entries(answers).map(([name, { outcome }]) => `${name} ${outcome}`);
  const [{ fields, measurements, incomplete, misread = [] }] = decoded;
  const measured = new Set(measurements.map(({ quantity }) => quantity));
  const known = fields.filter(({ rule }) => rule !== undefined && rule.reads !== 'nothing');
  const unread = unreadFields(learnt, isWhole);
  const facts = [
    `device ${sharedAs ?? shortened(deviceId)}, model ${hide(model)}: family ${profile.familyName}, read from ${profile.source}`,
    `  looked at: ${looked.join(', ')}`,
    `  missing: ${profile.missing.length === 0 ? 'nothing' : profile.missing.join(', ')}`,
    ...misread.map(({ key, quantities, why }) => {
      const unknown = quantities.filter((name) => !measured.has(name)).join(', ');
      return `  ${unknown === '' ? 'left out:' : `unknown for now: ${unknown}, because`} ${hide(key)} ${why}`;
    }),
    ...incomplete
      .filter(({ why }) => why === 'no value')
      .map(
        ({ quantity, keys }) =>
          `  unknown for now: ${quantity}, because ${hide(keys.join(', '))} has no value while others have one; if the inverter does not use it, leave it out by a rule with "quantity: nothing" in --dialect.file`,
      ),
  ];
  const knownTable = renderTable(
    ['quantity', 'key', 'sent', 'rule', 'value', 'age'],
    known.map((field) => knownRow(field, serviceNowMs, hide)),
  );
  const unreadTable = renderTable(
    ['key', 'unit', 'value', 'why'],
    unread.map(({ sample: { key, tag = '', text }, verdict }) => [
      hide(key),
      hide(tag),
      anonymous(text?.value ?? '', key, hide),
      verdict,
    ]),
  );
  const rest =
    unread.length === 0
      ? '  every key it sends is known\n'
      : `  keys that no ${isWhole ? 'metric shows' : 'rule reads'}, to paste into an issue or to use in --dialect.file:\n${indented(unreadTable)}`;
  return [...facts.map(printable), '', indented(knownTable), rest].join('\n');
}

/** Our own units, by dimension: a ratio and a text have none. */
const UNITS: Readonly<Partial<Record<string, string>>> = {
  power: 'W',
  voltage: 'V',
  current: 'A',
  frequency: 'Hz',
  temperature: '°C',
};

function knownRow(
  { sample: { key, tag, text }, rule, value, verdict }: Field,
  serviceNowMs: number,
  hide: Hide,
): readonly string[] {
  const { reads = '', part = '', families = [], confidence = '', unit, dimension } = rule ?? {};
  const assumed = unit === undefined ? '' : `${unit} (assumed)`;
  const ageMs = value?.measuredAtMs === undefined ? undefined : serviceNowMs - value.measuredAtMs;
  return [
    `${reads} ${part}`.trim(),
    hide(key),
    `${anonymous(text?.value ?? '', key, hide)} ${confidence === 'user' ? (unit ?? '') : (tag ?? assumed)}`.trim(),
    `${families.length === 0 ? 'any family' : families.join(' ')}, ${confidence}`,
    value === undefined
      ? verdict
      : `${shownValue(value.value, key, hide)} ${UNITS[dimension ?? ''] ?? ''}`.trim(),
    ageMs === undefined ? 'unknown' : `${Math.round(ageMs / 1000)} s`,
  ];
}

function shownValue(value: number | string, key: string, hide: Hide): string {
  const isNamed = (WORKING_MODES as readonly unknown[]).includes(value);
  return typeof value === 'number' || isNamed ? String(value) : anonymous(value, key, hide);
}

/** Says which keys of the dialect file no device sends that the rule is for; empty where each is sent. */
export function explainUnsent(
  rules: readonly Pick<FieldRule, 'key' | 'model'>[],
  explained: readonly (readonly [DeviceSubject, Learnt])[],
): string {
  const sent = explained.map(
    ([
      {
        device: { model },
      },
      { answers },
    ]) => {
      const { history, allKeys, ...lists } = answers;
      const asked = [history, allKeys].flatMap((one) => one?.samples ?? []);
      const valued = asked.filter(({ text }) => text !== undefined);
      const listed = Object.values(lists).flatMap(({ samples }) => samples);
      return { model, keys: new Set([...valued, ...listed].map(({ key }) => key.toLowerCase())) };
    },
  );
  const unsent = rules.filter(
    (rule) =>
      !sent.some(
        ({ model, keys }) => (rule.model ?? model) === model && keys.has(rule.key.toLowerCase()),
      ),
  );
  if (unsent.length === 0) return '';
  const names = [...new Set(unsent.map(({ key }) => printable(key)))];
  return `\nkeys of --dialect.file that no device sends: ${names.join(', ')}\n`;
}

/** The verdicts of keys that may be worth a rule. */
const UNREAD = new Set(['unknown', 'ambiguous', 'unit unconfirmed', 'sign unconfirmed']);

/** Returns each unread key once, even when several answers have it; the first with a value is shown. */
function unreadFields({ decoded }: Learnt, isWhole: boolean): readonly Field[] {
  const read = decoded[0].fields.filter(({ verdict }) => verdict === 'read');
  const isRead = new Set(read.map(({ sample }) => sample.key));
  const unread = new Map<string, Field>();
  for (const field of decoded.flatMap(({ fields }) => fields)) {
    const { key } = field.sample;
    const isUnread = UNREAD.has(field.verdict) || (isWhole && field.verdict === 'not exported');
    if (isUnread && !isRead.has(key))
      if (unread.get(key)?.sample.text === undefined) unread.set(key, field);
  }
  return [...unread.values()];
}

/** Shortens an id to its end, which tells devices apart and does not identify one. */
function shortened(id: string): string {
  return id.length <= 4 ? id : `…${id.slice(-4)}`;
}

/** Returns a function that replaces in a text whatever identifies a device, its logger and its station. */
function identityHider({ station, device }: DeviceSubject): Hide {
  const { deviceId, dataloggerId, dataloggerNumber, stationName, name, serial, model } = device;
  const kinds = new Map<string, string>();
  const normal = (text: string | undefined): string => text?.trim().toLowerCase() ?? '';
  for (const id of [station.stationId, deviceId, dataloggerId]) kinds.set(normal(id), '[id]');
  for (const one of [station.name, stationName, name]) kinds.set(normal(one), '[name]');
  for (const one of [serial, dataloggerNumber]) kinds.set(normal(one), '[serial number]');
  kinds.delete('');
  // The name of a device that is called like its model says nothing.
  kinds.delete(normal(model));
  const longestFirst = [...kinds.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(patternOf).join('|'), 'giu');
  return (text) => text.replace(pattern, (found) => kinds.get(found.toLowerCase()) ?? '[name]');
}

/** Finds an identity in a text: a long number anywhere, but what may be a word or a value only as a whole one. */
function patternOf(identity: string): string {
  const literal = identity.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const isUnmistakable = identity.length >= 6 && /\d/.test(identity);
  return isUnmistakable ? literal : `(?<![\\p{L}\\d]\\.?)${literal}(?!\\.?[\\p{L}\\d])`;
}

/** Numbers and short codes, which are needed to write a rule. */
const HARMLESS = /^(?:[+-]?\d{1,5}(?:\.\d{1,3})?|[\w+-]{1,4}|)$/;
/** Keys of coordinates, whose numbers would reveal where the device is. */
const COORDINATES = /lat|lon|lng/i;
/** Keys of what identifies a device, which may be as short as a code. */
const IDENTITIES = /(?:^|_)(?:sn|id|SN|ID)$|[a-z](?:S[nN]|I[dD])$|[sS]erial|[nN]ame$/;

/** Hides a longer text, which may name a person, a place, a network or a device: issues are public. */
function anonymous(sample: string, key: string, hide: Hide): string {
  const isHarmless = HARMLESS.test(sample) && !COORDINATES.test(key) && !IDENTITIES.test(key);
  return isHarmless ? hide(sample) : `text of ${sample.length} characters`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
