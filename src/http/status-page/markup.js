/** A piece of HTML that may become part of other HTML without escaping. */
export class Markup {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

/** @typedef {string | number | Markup | undefined | false | readonly (Markup | undefined | false)[]} Piece */

/**
 * Builds HTML. It escapes every piece that is not {@link Markup}, so that the name of a device is always
 * text, and leaves out pieces that are undefined or false.
 *
 * @param {TemplateStringsArray} literals
 * @param {readonly Piece[]} pieces
 * @returns {Markup}
 */
export function html(literals, ...pieces) {
  let text = literals[0] ?? '';
  pieces.forEach((piece, index) => {
    text += textOf(piece) + (literals[index + 1] ?? '');
  });
  return new Markup(text);
}

/** @param {Piece} piece */
function textOf(piece) {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.filter((part) => part instanceof Markup).join('');
  return escape(String(piece));
}

/** @param {string} text */
function escape(text) {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
