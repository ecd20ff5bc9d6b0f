import { quote, readFailure } from '../base/shown.ts';
import type { AssignedContent, Assignment } from './assignment.ts';
import type { ReadResult } from './option.ts';
import type { OptionDefinition } from './options.ts';

export interface ReadValues {
  /** By flag. */
  readonly values: ReadonlyMap<string, unknown>;
  /** A sentence for each option whose content could not be read. */
  readonly problems: readonly string[];
}

/** Reads the content assigned to each option by the kind of the option, files that it names included. */
export function readValues(
  options: readonly OptionDefinition[],
  assignments: ReadonlyMap<string, Assignment>,
  readFile: (path: string) => string,
): ReadValues {
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  for (const option of options) {
    const assignment = assignments.get(option.flag);
    if (assignment === undefined) continue;
    const result = readContent(option, assignment.content, readFile);
    if ('value' in result) values.set(option.flag, result.value);
    else problems.push(`${assignment.name}: ${result.fault}`);
  }
  return { values, problems };
}

function readContent(
  option: OptionDefinition,
  content: AssignedContent,
  readFile: (path: string) => string,
): ReadResult<unknown> {
  if ('fault' in content) return content;
  if ('text' in content && option.kind !== 'textFile')
    return named(showText(option, content.text), option.read(content.text));
  const path = 'text' in content ? content.text : content.path;
  const shown = option.secret === true ? showSecretPath(path) : quote(path);
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return {
      fault: `cannot read ${shown}: ${readFailure(error)}; accepted: the path of a readable file`,
    };
  }
  return named(`the content of ${shown}`, option.read(text, path));
}

/** Begins a fault with the text in which it was found. */
function named(shown: string, result: ReadResult<unknown>): ReadResult<unknown> {
  return 'fault' in result ? { fault: `${shown} ${result.fault}` } : result;
}

/** Shows the text that was assigned to an option, unless it may not be shown. */
function showText(option: OptionDefinition, text: string): string {
  if (option.secret === true || option.redacted === true) return 'its value';
  return quote(option.kind === 'url' ? withoutSecrets(text) : text);
}

/** Hides secrets in a mistyped URL: a password may stand before any @, and a token in the query. */
function withoutSecrets(url: string): string {
  const [, scheme = ''] = /^([a-z]+:\/\/)?/i.exec(url) ?? [];
  const hasUser = /@|%40/.test(url);
  // A password may hold a question mark, and a query an @, so the two cannot be told apart.
  if (hasUser && /[?#]/.test(url)) return `${scheme}[secret]`;
  return hasUser
    ? `${scheme}[secret]@${url.replace(/^.*(?:@|%40)/s, '')}`
    : url.replace(/[?#].*$/s, '?[secret]');
}

/** Shows the path of a secret file, unless it may be the secret itself, given in place of the path. */
function showSecretPath(path: string): string {
  return /^(?:\.{0,2}\/|[a-z]:[\\/])/i.test(path) ? quote(path) : 'the file that it names';
}
