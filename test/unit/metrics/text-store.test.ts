import { expect, test } from 'vitest';
import { NewTexts } from '../../../src/metrics/text-store.ts';
import { UnitText } from '../../../src/metrics/unit-text.ts';

/** A text of two metrics, the second of which has so many bytes. */
function addTo(texts: NewTexts, deviceId: string, length: number): UnitText {
  const lines = [`a ${deviceId}\n`, `${'☀'.repeat(length / 3)}\n`];
  const first = Buffer.byteLength(lines.join('')) - (length + 1);
  const ends = [3, first, 7, first + length + 1];
  return new UnitText({ deviceId, ends, series: 2 }, texts.add(lines.join(''), ends));
}

function linesOf(text: UnitText): readonly (readonly [number, string])[] {
  const lines: [number, string][] = [];
  text.eachMetric((column, bytes, from, to) => {
    lines.push([column, bytes.toString('utf8', from, to)]);
  });
  return lines;
}

function buffersOf(texts: readonly UnitText[]): ReadonlySet<Buffer> {
  const buffers = new Set<Buffer>();
  for (const text of texts) text.eachMetric((_, bytes) => buffers.add(bytes));
  return buffers;
}

test('keeps every text as it is, many of them in one store, and one that is longer than that', () => {
  const kept = new NewTexts();
  const texts = Array.from({ length: 3000 }, (_, index) => addTo(kept, `d${index}`, 900));
  expect(buffersOf(texts).size).toBeLessThan(20);
  for (const [index, text] of texts.entries())
    expect(linesOf(text).flat()).toEqual([3, `a d${index}\n`, 7, `${'☀'.repeat(300)}\n`]);
  const long = addTo(kept, 'long', 3_000_000);
  const next = addTo(kept, 'next', 3);
  expect(linesOf(long)[1]?.[1]).toHaveLength(1_000_001);
  expect(linesOf(next)[0]).toEqual([3, 'a next\n']);
});

test('a copy has the same lines, and lets go of the store that they were in', () => {
  const text = addTo(new NewTexts(), 'd', 30);
  const [lines, [before]] = [linesOf(text), buffersOf([text])];
  const others = new NewTexts();
  const other = addTo(others, 'other', 30);
  text.moveInto(others);
  expect(linesOf(text)).toEqual(lines);
  expect(buffersOf([text, other])).not.toContain(before);
  expect(buffersOf([text, other]).size).toBe(1);
});

test('gives the memory of all texts back, and has room for others then', () => {
  const kept = new NewTexts();
  const texts = Array.from({ length: 100 }, (_, index) => addTo(kept, `d${index}`, 900));
  const buffers = buffersOf(texts);
  expect(buffers.size).toBeGreaterThan(1);
  kept.letGo();
  for (const { length } of buffers) expect(length).toBe(0);
  expect(linesOf(addTo(kept, 'next', 3)).flat()).toEqual([3, 'a next\n', 7, '☀\n']);
});
