import type { OptionDefinition } from './option.ts';

const LONGEST_SHOWN = 60;

/** Shows a text inside a sentence: escaped, and cut to 60 characters. */
export function quote(text: string): string {
  const isLong = text.length > LONGEST_SHOWN;
  return JSON.stringify(isLong ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}

/** Shows a name: as it is, unless it could be anything but a name. */
export function nameOf(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : quote(text);
}

/** Shows what an option was given, or that it may not be shown. */
export function quoteValue(option: OptionDefinition, text: string): string {
  if (option.secret === true || option.redacted === true) return 'its value';
  return quote(option.kind === 'url' ? withoutSecrets(text) : text);
}

/** A mistyped URL may carry a password wherever an @ follows, and a token in its query. */
function withoutSecrets(url: string): string {
  const [, scheme = ''] = /^([a-z]+:\/\/)?/i.exec(url) ?? [];
  const hasUser = /@|%40/.test(url);
  // A password may hold a question mark, and a query an @: nobody can say where which begins.
  if (hasUser && /[?#]/.test(url)) return `${scheme}[secret]`;
  return hasUser
    ? `${scheme}[secret]@${url.replace(/^.*(?:@|%40)/s, '')}`
    : url.replace(/[?#].*$/s, '?[secret]');
}

/** Shows the path of a file that holds a secret; whoever gave the secret in its place does not see it printed. */
export function quoteSecretPath(path: string): string {
  return /^(?:\.{0,2}\/|[a-z]:[\\/])/i.test(path) ? quote(path) : 'the file that it names';
}

/** Says where a secret may come from. */
export function secretSources({ env }: OptionDefinition): string {
  return `${env} or ${env}_FILE`;
}

/** Says why a file could not be read: the system's code where there is one, never its content. */
export function readFailure(error: unknown): string {
  const hasCode = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return hasCode ? String(error.code) : 'not readable';
}
