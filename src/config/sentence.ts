import { quote } from '../shown.ts';
import type { OptionDefinition } from './option.ts';

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
