import type { ExplainedDialect } from '../client/client.ts';
import type { Field } from '../client/dialects/interpret.ts';
import { printable } from '../base/shown.ts';
import { WORKING_MODES } from '../model/readings.ts';
import type { Device } from '../model/station.ts';
import { renderTable } from './output.ts';

/** Explains how each key of a device is read, and lists the keys that have no rule. */
export function explainDialect(device: Device, explained: ExplainedDialect): string {
  const { profile, answers, evidence, serviceNowMs } = explained;
  const looked = Object.entries(evidence).map(([name, { outcome }]) => `${name} ${outcome}`);
  const [chosen, ...others] = answers;
  const known = chosen.fields.filter(({ rule }) => rule !== undefined && rule.reads !== 'nothing');
  const isRead = new Set(
    chosen.fields.filter(({ verdict }) => verdict === 'read').map(({ sample }) => sample.key),
  );
  const seen = [...chosen.fields, ...others.flatMap(({ fields }) => fields)];
  const unread = unreadFields(seen.filter(({ sample }) => !isRead.has(sample.key)));
  const facts = [
    `device ${shortened(device.deviceId)}, model ${device.model ?? 'unknown'}: family ${profile.family ?? 'unknown'}, read from ${profile.source}`,
    `  looked at: ${looked.join(', ')}`,
    `  missing: ${profile.missing.length === 0 ? 'nothing' : profile.missing.join(', ')}`,
    ...chosen.incomplete.map(({ quantity, keys, why }) =>
      why === 'implausible'
        ? `  unknown for now: ${quantity}, because ${keys.join(', ')} add up to more than the device can carry`
        : `  unknown for now: ${quantity}, because ${keys.join(', ')} has no value while others have one; if the inverter does not use it, leave it out by a rule with "quantity: nothing" in --dialect.file`,
    ),
  ];
  return [
    ...facts.map(printable),
    '',
    indented(
      renderTable(
        ['quantity', 'key', 'unit', 'rule', 'value', 'age'],
        known.map((field) => knownRow(field, serviceNowMs)),
      ),
    ),
    unread.length === 0
      ? '  every key it sends is known\n'
      : `  keys that no rule reads, to paste into an issue or to use in --dialect.file:\n${indented(
          renderTable(['key', 'unit', 'value', 'why'], unread.map(unreadRow)),
        )}`,
  ].join('\n');
}

function knownRow(field: Field, serviceNowMs: number): readonly string[] {
  const { sample, rule, value, verdict } = field;
  const part = rule?.part === undefined ? '' : ` ${rule.part}`;
  const families = rule?.families.join(' ') ?? '';
  const isUsers = rule?.confidence === 'user';
  const assumed = rule?.unit === undefined ? '' : `${rule.unit} (assumed)`;
  const unit = isUsers ? (rule.unit ?? '') : (sample.tag ?? assumed);
  return [
    `${rule?.reads ?? ''}${part}`,
    sample.key,
    unit,
    `${families === '' ? 'any family' : families}, ${rule?.confidence ?? ''}`,
    value === undefined ? verdict : shownValue(value.value, sample.key),
    ageOf(value?.measuredAtMs, serviceNowMs),
  ];
}

function shownValue(value: number | string, key: string): string {
  const isNamed = (WORKING_MODES as readonly unknown[]).includes(value);
  return typeof value === 'number' || isNamed ? String(value) : anonymous(value, key);
}

function unreadRow({ sample, verdict }: Field): readonly string[] {
  return [sample.key, sample.tag ?? '', anonymous(sample.text?.value ?? '', sample.key), verdict];
}

/** Returns each unread key once, even when several answers have it. */
function unreadFields(fields: readonly Field[]): readonly Field[] {
  const isUnread = ({ verdict }: Field): boolean =>
    verdict === 'unknown' ||
    verdict === 'ambiguous' ||
    verdict === 'unit unconfirmed' ||
    verdict === 'sign unconfirmed';
  const unread = new Map<string, Field>();
  for (const field of fields.filter(isUnread)) {
    const { key } = field.sample;
    // Of several answers, the first with a value is shown.
    if (unread.get(key)?.sample.text === undefined) unread.set(key, field);
  }
  return [...unread.values()];
}

function ageOf(measuredAtMs: number | undefined, serviceNowMs: number): string {
  if (measuredAtMs === undefined) return 'unknown';
  return `${Math.round((serviceNowMs - measuredAtMs) / 1000)} s`;
}

/** Shortens an id to its end, which tells devices apart and does not identify one. */
function shortened(id: string): string {
  return id.length <= 4 ? id : `…${id.slice(-4)}`;
}

/** Numbers and short codes, which are needed to write a rule. */
const HARMLESS = /^(?:[+-]?\d{1,5}(?:\.\d{1,3})?|[\w+-]{1,4}|)$/;
/** Keys of coordinates, whose numbers would reveal where the device is. */
const COORDINATES = /lat|lon|lng/i;

/** Hides a longer text, which may name a person, a place, a network or a device: issues are public. */
function anonymous(sample: string, key: string): string {
  const isHarmless = HARMLESS.test(sample) && !COORDINATES.test(key);
  return isHarmless ? sample : `text of ${sample.length} characters`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
