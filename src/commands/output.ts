import { escapedLines, printable } from '../base/shown.ts';
import { greatestOf } from '../model/units.ts';

/** Renders a table for people: columns as wide as their widest cell, two spaces apart. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) =>
    greatestOf(lines.map((line) => printable(line[column] ?? '').length)),
  );
  return lines
    .map((line) =>
      widths
        .map((width, column) => printable(line[column] ?? '').padEnd(width))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Renders a document for programs: fields without a value are left out. */
export function renderJson(document: object): string {
  return `${escapedLines(JSON.stringify(document, null, 2))}\n`;
}
