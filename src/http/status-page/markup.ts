/** A piece of HTML that may become part of other HTML without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = string | number | Markup | undefined | false | readonly Piece[];

/**
 * Builds HTML. It escapes every piece that is not {@link Markup}, so that the name of a device is always text, and
 * leaves out pieces that are undefined or false.
 */
export function html(literals: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(literals.map((literal, index) => literal + textOf(pieces[index])).join(''));
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return String(piece).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Puts a separator between the pieces that are not left out. */
export function joined(pieces: readonly Piece[], separator: string): Piece {
  const shown = pieces.filter((piece) => piece !== undefined && piece !== false);
  return shown.map((piece, index) => [index > 0 && separator, piece]);
}

/** Renders a span; the style has the classes. */
export function span(className: string, ...content: readonly Piece[]): Markup {
  return html`<span class="${className}">${content}</span>`;
}

/**
 * Renders a table, if it has rows; the first cell of each is its heading. On a phone, every other cell names its column.
 *
 * @param count - how many rows there are, where those given are only what a phone shows soon.
 */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Piece[])[],
  count = rows.length,
): Markup {
  if (rows.length === 0) return html`<p><strong>${caption}:</strong> none</p>`;
  const row = ([heading, ...cells]: readonly Piece[]): Markup =>
    html`<tr><th scope="row">${heading}</th>${cells.map((cell, index) => html`<td data-label="${columns[index + 1]}">${cell}</td>`)}</tr>\n`;
  return html`<table class="${/\w+/.exec(caption)?.[0].toLowerCase()}">
<caption>${caption}${count > rows.length && `: the first ${rows.length} of ${count}, the JSON has all`}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map(row)}</tbody>
</table>`;
}
