import { escapedLines, printable } from '../base/shown.ts';
import { nearest } from '../config/nearest.ts';
import { greatestOf } from '../model/units.ts';

/**
 * Renders a table for people: columns as wide as their widest cell, two spaces apart.
 *
 * @param optional - the columns that are left out where no row has a value.
 */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  optional: readonly string[] = [],
): string {
  const isEmpty = (column: number): boolean => rows.every((row) => (row[column] ?? '') === '');
  const isShown = header.map((name, column) => !optional.includes(name) || !isEmpty(column));
  const lines = [header, ...rows].map((line) =>
    line.filter((_, column) => isShown[column]).map(printable),
  );
  const widths = header.map((_, column) =>
    greatestOf(lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** Names what a person meant who typed a word, by the words that would do: `did you mean check? `, or nothing. */
export function didYouMean(typed: string, meant: ReadonlyMap<string, string>): string {
  const one = meant.get(nearest(typed, [...meant.keys()]) ?? '');
  return one === undefined ? '' : `did you mean ${one}? `;
}

/** Renders a document for programs: fields without a value are left out. */
export function renderJson(document: object): string {
  return `${escapedLines(JSON.stringify(document, null, 2))}\n`;
}
