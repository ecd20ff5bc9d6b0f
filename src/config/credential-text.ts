/** Where the text of a credential goes: into a header, which takes visible ASCII only, or into a body. */
export type CredentialUse = 'header' | 'body';

/** What people paste with a credential: the name of its header, and the scheme before a token. */
const PASTED_PREFIX =
  /^(?:(?:authorization|iot-token|iot-open-appid)\s*[:=]\s*)?(?:bearer(?:\s+|$))?/i;
/** The ways in which documents and forms leave a place to be filled in. */
const PLACEHOLDER =
  /^(?:<.*>|\[.*\]|\{\{.*\}\}|\$\{.*\}|\$SOLAR_\w+|[*•●x.…]{3,}|…|change[-_ ]?(?:me|it)|(?:to-?do|placeholder|example|replace[-_ ]?(?:me|this))|(?:your|my)[-_ ](?:app|account|access|refresh|token|password|secret|e-?mail|user).*)$/i;
const QUOTES = /^["'`]|["'`]$/;
const CURLY_QUOTES = /[\u2018-\u201F\u00AB\u00BB]/u;
const CONTROL = /\p{Cc}/u;
/** They take no room on a screen, so that nobody sees them. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/u;

/** Removes what is harmless: a byte order mark, line ends, and of what goes into a header the blanks and the prefix as well. */
export function cleanCredential(text: string, use: CredentialUse): string {
  const bare = text.replace(/^\uFEFF/, '').replace(/(?<![\r\n])[\r\n]+$/, '');
  return use === 'body' ? bare : bare.trim().replace(PASTED_PREFIX, '');
}

/** Says what stands in a cleaned credential that cannot be, without the credential; undefined where nothing does. */
export function faultOfCredential(text: string, use: CredentialUse): string | undefined {
  if (text.trim() === '') return 'is not a text';
  const [control] = CONTROL.exec(text) ?? [];
  if (control === '\n' || control === '\r') return 'is not a text';
  if (control !== undefined) return `has a control character (${codeOf(control)}) in it`;
  if (PLACEHOLDER.test(text.trim())) return 'is a placeholder';
  const [found] = INVISIBLE.exec(text) ?? [];
  if (found !== undefined) return `has an invisible character (${codeOf(found)}) in it`;
  if (text.includes('…')) return 'has "…" in it: only a part was copied';
  const [curly] =
    CURLY_QUOTES.exec(use === 'header' ? text : text.slice(0, 1) + text.slice(-1)) ?? [];
  if (curly !== undefined) return `has the curly quote ${curly} (${codeOf(curly)}) in it`;
  if (text.length > 1 && QUOTES.test(use === 'header' ? text : quotesAround(text)))
    return 'has quotes around it';
  if (use === 'body') return undefined;
  if (/\s/.test(text)) return 'has a blank in it';
  if (/\.{3}$|^\.{3}/.test(text)) return 'has "..." at an end: only a part was copied';
  const [foreign] = /[^\x21-\x7E]/u.exec(text) ?? [];
  return foreign && `has the character ${foreign} (${codeOf(foreign)}) in it`;
}

/** Returns the quotes of a text that has the same one at both ends; a password may have one of them. */
function quotesAround(text: string): string {
  return text.at(0) === text.at(-1) ? text.slice(0, 1) : '';
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
