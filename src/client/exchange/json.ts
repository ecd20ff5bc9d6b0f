/** The most values of one answer, which take about 0.1 s to parse. A correct answer has some 30,000. */
export const MAX_VALUES = 100_000;
/** A double may not hold an integer of so many digits. */
const LONG_INTEGER = 16;
const [QUOTE, COMMA, ZERO, NINE, BRACKET, BACKSLASH, BRACE] = [34, 44, 48, 57, 91, 92, 123];

/** Says why an answer cannot be read. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/**
 * Parses JSON without losing digits: an integer that is too long for a double, such as a station id, becomes the
 * string of its digits, and counts as two values. Reads each character once, whatever the text is.
 *
 * @throws UnreadableError when the text has more than {@link MAX_VALUES}, or is not JSON.
 */
export function parseJson(text: string): unknown {
  let [exact, copiedTo, digits, values] = ['', 0, 0, 0];
  // One step more than there are characters, because the text may end with a number.
  for (let at = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      digits += 1;
      continue;
    }
    if (digits >= LONG_INTEGER) {
      const sign = text[at - digits - 1] === '-' ? 1 : 0;
      const from = at - digits - sign;
      // Digits of a decimal number or an exponent are left alone.
      if (!'.eE+-'.includes(text[from - 1] ?? ' ') && !'.eE'.includes(text[at] ?? ' ')) {
        values += 1;
        exact += `${text.slice(copiedTo, from)}"${text.slice(from, at)}"`;
        copiedTo = at;
      }
    }
    digits = 0;
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA || code === BRACKET || code === BRACE) values += 1;
    if (values > MAX_VALUES) throw new UnreadableError(`more than ${MAX_VALUES} values`);
  }
  try {
    return JSON.parse(exact + text.slice(copiedTo));
  } catch (error) {
    throw new UnreadableError('the answer is not JSON', { cause: error });
  }
}

/** Returns where the JSON string that begins here ends: at its closing quote, or behind the text. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  for (let code = 0; at < text.length; at += code === BACKSLASH ? 2 : 1) {
    code = text.charCodeAt(at);
    if (code === QUOTE) break;
  }
  return at;
}
