import { describe, expect, test } from 'vitest';
import {
  believeList,
  type Believed,
  entriesToAsk,
  lackOf,
  type NewList,
  type OwnAnswer,
} from '../../../src/collectors/inventory/believed-list.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const HOUR_AGO_MS = NOW_MS - 60 * MINUTE_MS;

type Entry = Believed & { readonly id: string };

const idOf = ({ id }: { readonly id: string }): string => id;
const entry = (id: string, unlistedSinceMs?: number): Entry =>
  unlistedSinceMs === undefined ? { id } : { id, unlistedSinceMs };

interface Case {
  readonly when: string;
  readonly known: readonly Entry[];
  readonly listed: readonly string[];
  readonly answers?: Readonly<Record<string, OwnAnswer>>;
  readonly moved?: readonly string[];
  readonly entries: readonly Entry[];
  readonly gone?: readonly string[];
  readonly toAsk?: readonly string[];
}

function listOf({ known, listed, moved = [] }: Case): NewList<{ readonly id: string }> {
  const hasMoved = ({ id }: { readonly id: string }): boolean => moved.includes(id);
  return { known, listed: listed.map((id) => ({ id })), idOf, hasMoved, nowMs: NOW_MS };
}

const CASES: readonly Case[] = [
  {
    when: 'nothing was known: the list is believed',
    known: [],
    listed: ['a', 'b'],
    entries: [entry('a'), entry('b')],
  },
  { when: 'nothing was known and the list is empty', known: [], listed: [], entries: [] },
  {
    when: 'the list is as before',
    known: [entry('a'), entry('b')],
    listed: ['b', 'a'],
    entries: [entry('b'), entry('a')],
  },
  {
    when: 'one is new',
    known: [entry('a')],
    listed: ['a', 'b'],
    entries: [entry('a'), entry('b')],
  },
  {
    when: 'one vanishes: it is kept from now on',
    known: [entry('a'), entry('b')],
    listed: ['b'],
    entries: [entry('b'), entry('a', NOW_MS)],
  },
  {
    when: 'all vanish: all are kept',
    known: [entry('a'), entry('b')],
    listed: [],
    entries: [entry('a', NOW_MS), entry('b', NOW_MS)],
  },
  {
    when: 'it vanishes and answers nothing at once: one list is not enough',
    known: [entry('a')],
    listed: [],
    answers: { a: 'nothing' },
    entries: [entry('a', NOW_MS)],
  },
  {
    when: 'it is missing for less than an hour',
    known: [entry('a', HOUR_AGO_MS + 1)],
    listed: [],
    answers: { a: 'nothing' },
    entries: [entry('a', HOUR_AGO_MS + 1)],
  },
  {
    when: 'it is missing for an hour and answers nothing: it is let go',
    known: [entry('a', HOUR_AGO_MS), entry('b')],
    listed: ['b'],
    answers: { a: 'nothing' },
    entries: [entry('b')],
    gone: ['a'],
    toAsk: ['a'],
  },
  {
    when: 'it is missing for an hour and answers: it is kept',
    known: [entry('a', HOUR_AGO_MS)],
    listed: [],
    answers: { a: 'there' },
    entries: [entry('a', HOUR_AGO_MS)],
    toAsk: ['a'],
  },
  {
    when: 'it is missing for an hour and cannot be asked: it is kept',
    known: [entry('a', HOUR_AGO_MS), entry('b', HOUR_AGO_MS)],
    listed: [],
    answers: { a: 'unknown' },
    entries: [entry('a', HOUR_AGO_MS), entry('b', HOUR_AGO_MS)],
    toAsk: ['a', 'b'],
  },
  {
    when: 'it is back on the list: nothing is left of it',
    known: [entry('a', HOUR_AGO_MS)],
    listed: ['a'],
    entries: [entry('a')],
  },
  {
    when: 'it is listed elsewhere: it is let go at once, unasked',
    known: [entry('a'), entry('b', HOUR_AGO_MS)],
    listed: [],
    moved: ['a', 'b'],
    entries: [],
  },
  {
    when: 'the clock was set back: its hour begins again',
    known: [entry('a', NOW_MS + MINUTE_MS)],
    listed: [],
    entries: [entry('a', NOW_MS)],
  },
];

describe('a list is believed so:', () => {
  test.each(CASES)('$when', (row) => {
    const list = listOf(row);
    const belief = believeList(list, new Map(Object.entries(row.answers ?? {})));
    expect(belief.entries).toEqual(row.entries);
    expect(belief.gone.map(idOf)).toEqual(row.gone ?? []);
    expect(belief.moved.map(idOf)).toEqual(row.moved ?? []);
    expect(entriesToAsk(list).map(idOf)).toEqual(row.toAsk ?? []);
  });
});

describe('what a list lacks', () => {
  const lack = (...entries: readonly Entry[]) => lackOf('devices', entries, idOf);

  test('is nothing while all are listed', () => {
    expect(lack()).toBeUndefined();
    expect(lack(entry('a'), entry('b'))).toBeUndefined();
  });

  test('is a failure that names it and says what comes of it', () => {
    expect(lack(entry('a'), entry('b', NOW_MS))).toMatchObject({
      code: 'SERVICE_PAYLOAD_INVALID',
      message:
        'the list of devices lacks 1 of the 2 known ones: b; they are kept until lists an hour apart lack them and they answer nothing themselves',
    });
  });

  test('is named up to five', () => {
    const many = Array.from({ length: 7 }, (_, index) => entry(`d${index}`, NOW_MS));
    expect(lack(...many)?.message).toContain('7 of the 7 known ones: d0, d1, d2, d3, d4, …;');
  });
});
