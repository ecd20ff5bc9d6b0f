import { parse } from 'lossless-json';

const SAFE_DIGITS = 15;

/**
 * Parses JSON without losing digits: an integer too long for a double, such as a station id, comes
 * out as the string of its digits.
 *
 * @throws SyntaxError when the text is not JSON.
 */
export function parseJson(text: string): unknown {
  return parse(text, undefined, (digits) =>
    digits.length > SAFE_DIGITS && /^-?\d+$/.test(digits) ? digits : Number(digits),
  );
}
