import { quote } from '../base/shown.ts';

/** Where the text of a credential goes: into a header, which takes visible ASCII only, or into a body. */
export type CredentialUse = 'header' | 'body';

/** What people paste with a credential: the name of its header, and the scheme before a token. */
const PASTED_PREFIX =
  /^(?:(?:authorization|iot-token|iot-open-appid)\s*[:=]\s*)?(?:bearer(?:\s+|$))?/i;
/** The ways in which documents and forms leave a place to be filled in. */
const PLACEHOLDER =
  /^(?:<.*>|\[.*\]|\{\{.*\}\}|\$\{.*\}|\$SOLAR_\w+|[*•●x.…]{3,}|…|change[-_ ]?(?:me|it)|(?:to-?do|placeholder|example|replace[-_ ]?(?:me|this))|(?:your|my)[-_ ](?:app|account|access|refresh|token|password|secret|e-?mail|user).*)$/i;
/** What does not belong into a credential: what no header takes, or nobody sees, or an editor has put in its place. */
const FOREIGN = {
  header: /[^\x21-\x7E]|["'`]/u,
  body: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}…]|^[\u2018-\u201F\u00AB\u00BB]|[\u2018-\u201F\u00AB\u00BB]$/u,
};

/** Removes what is harmless: a byte order mark, line ends, and of what goes into a header the blanks and the prefix as well. */
export function cleanCredential(text: string, use: CredentialUse): string {
  const bare = text.replace(/^\uFEFF/, '').replace(/(?<![\r\n])[\r\n]+$/, '');
  return use === 'body' ? bare : bare.trim().replace(PASTED_PREFIX, '');
}

/** Says what stands in a cleaned credential that cannot be, without the credential; undefined where nothing does. */
export function faultOfCredential(text: string, use: CredentialUse): string | undefined {
  if (text.trim() === '' || /[\r\n]/.test(text)) return 'is not a text';
  if (PLACEHOLDER.test(text.trim())) return 'is a placeholder';
  if (/^(["'`]).*\1$/s.test(text)) return 'has quotes around it';
  const [found] = FOREIGN[use].exec(text) ?? [];
  if (found !== undefined) return `has the character ${quote(found)} (${codeOf(found)}) in it`;
  const isPart = use === 'header' && /\.{3}$|^\.{3}/.test(text);
  return isPart ? 'has "..." at an end: only a part was copied' : undefined;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
