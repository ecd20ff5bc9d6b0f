import { quote, readFailure } from '../base/shown.ts';
import { loadYamlReader } from '../base/yaml-content.ts';
import { OPTIONS, type OptionDefinition, type OptionValues, VALUES } from './options.ts';

/** Where a value came from; the first of them that has one wins. */
export type Origin = 'flag' | 'environment' | 'file' | 'default';

/** What a name in a source stands for: an option, or the file that has a secret. */
export interface Target {
  readonly option: OptionDefinition;
  readonly isPath: boolean;
}

/** What a person gives to an option in one place. */
export interface Given extends Target {
  readonly origin: Origin;
  /** The option as the person wrote it: `--x`, `SOLAR_X`, or `x in FILE`. */
  readonly name: string;
  /** What the flag parser, the environment or YAML delivers. */
  readonly raw: unknown;
}

/** What an option reads, from the strongest source that gives something to it. */
interface Assignment {
  readonly origin: Origin;
  /** The option as the person wrote it. */
  readonly name: string;
  readonly content: Content;
}

/** What the tree reads, and how a fault begins that it finds there; or what completes "name: …" at once. */
export type Content =
  { readonly input: unknown; readonly shown: string } | { readonly fault: string };

/** By flag. */
export type Assignments = ReadonlyMap<string, Assignment>;

export type ReadFile = (path: string) => string;

/**
 * Chooses what each option reads, and reads the files that are named there.
 *
 * @param given - from the strongest source to the weakest
 */
export async function assign(given: readonly Given[], readFile: ReadFile): Promise<Assignments> {
  const assignments = new Map<string, Assignment>();
  for (const one of given) {
    const { option, origin, name } = one;
    const { flag } = option;
    const other = assignments.get(flag);
    if (other === undefined)
      assignments.set(flag, { origin, name, content: await contentOf(one, readFile) });
    else if (other.origin === origin) {
      const fault = other.name === name ? 'is given twice' : 'give only one of the two';
      const names = other.name === name ? name : `${other.name} and ${name}`;
      assignments.set(flag, { origin, name: names, content: { fault } });
    }
  }
  return assignments;
}

async function contentOf({ option, raw, isPath }: Given, readFile: ReadFile): Promise<Content> {
  const typed = textOf(option, raw);
  if (typeof typed === 'object') return typed;
  if (!isPath && option.kind !== 'textFile')
    return { input: typed, shown: showText(option, typed) };
  const shown = option.secret === true ? showSecretPath(typed) : quote(typed);
  let text: string;
  try {
    text = readFile(typed);
  } catch (error) {
    const wanted = option.secret === true ? 'file' : 'YAML file';
    return {
      fault: `cannot read ${shown}: ${readFailure(error)}; accepted: the path of a readable ${wanted}`,
    };
  }
  // What editors and shells add to a file is no part of the secret.
  if (option.secret === true)
    return { input: text.replace(/^\uFEFF/, '').trim(), shown: `the content of ${shown}` };
  const readYaml = await loadYamlReader();
  const yaml = readYaml(text);
  if ('fault' in yaml) return { fault: `${shown}: ${yaml.fault}` };
  return { input: { file: { path: typed, text }, ...yaml }, shown: `${shown}:` };
}

/** Finds the text in what a flag parser or YAML delivers: a scalar, or a list of them where several are taken. */
function textOf({ kind, several }: OptionDefinition, raw: unknown): string | { fault: string } {
  const isText = (value: unknown): boolean =>
    ['string', 'number', 'bigint'].includes(typeof value) ||
    // A flag without a value means yes for a yes or no; for anything else the value was forgotten.
    (typeof value === 'boolean' && kind === 'boolean');
  if (!Array.isArray(raw)) return isText(raw) ? String(raw) : { fault: 'takes a value' };
  if (several === undefined) return { fault: 'takes one value, not several' };
  return raw.every(isText) ? raw.join(',') : { fault: `takes a list of ${several}` };
}

/** What the tree reads: texts, and files that are loaded, where their options stand. */
type Input = Record<string, unknown>;

/** Reads all values at once by the tree of options: those that can be read, and what is wrong with others, by flag. */
export function readValues(assignments: Assignments): {
  readonly values: OptionValues;
  readonly problems: ReadonlyMap<string, string>;
} {
  const input: Input = {};
  const problems = new Map<string, string>();
  for (const { flag, path } of OPTIONS) {
    const given = assignments.get(flag);
    const groups = path.slice(0, -1);
    const group = groups.reduce((node: Input, key) => (node[key] ??= {}) as Input, input);
    group[path.at(-1) ?? ''] = given && 'input' in given.content ? given.content.input : undefined;
    if (given && 'fault' in given.content)
      problems.set(flag, `${given.name}: ${given.content.fault}`);
  }
  const { data, error } = VALUES.safeParse(input, { error: ({ path }) => optionAt(path)?.refusal });
  for (const { path, message } of error?.issues ?? []) {
    const { flag = '' } = optionAt(path) ?? {};
    const given = assignments.get(flag);
    if (given === undefined || 'fault' in given.content)
      throw new TypeError(`the default of --${flag} ${message}`);
    if (!problems.has(flag)) problems.set(flag, `${given.name}: ${given.content.shown} ${message}`);
  }
  const accessTokenName = assignments.get('access-token')?.name;
  if (data !== undefined) return { values: Object.freeze({ ...data, accessTokenName }), problems };
  // The others are still compared with each other.
  const readable = new Map([...assignments].filter(([flag]) => !problems.has(flag)));
  return { values: readValues(readable).values, problems };
}

/** Finds the option that reads the value at a path, or a part of it. */
function optionAt(path: readonly PropertyKey[] = []): OptionDefinition | undefined {
  return OPTIONS.find((option) => option.path.every((key, depth) => key === path[depth]));
}

/** Shows the text that was given to an option, unless it may not be shown. */
function showText(option: OptionDefinition, text: string): string {
  if (option.secret === true || option.redacted === true || option.isCredential === true)
    return 'its value';
  return quote(option.kind === 'url' ? withoutSecrets(text) : text);
}

/** Hides secrets in a mistyped URL: a password may stand before any @, and a token in the query. */
function withoutSecrets(url: string): string {
  const [scheme = ''] = /^(?:[a-z]+:\/\/)?/i.exec(url) ?? [];
  if (!/@|%40/.test(url)) return url.replace(/[?#].*$/s, '?[secret]');
  // A password may hold a question mark, and a query an @, so the two cannot be told apart.
  if (/[?#]/.test(url)) return `${scheme}[secret]`;
  return `${scheme}[secret]@${url.replace(/^.*(?:@|%40)/s, '')}`;
}

/** Shows the path of a secret file, unless it may be the secret itself, given in place of the path. */
function showSecretPath(path: string): string {
  return /^(?:\.{0,2}\/|[a-z]:[\\/])/i.test(path) ? quote(path) : 'the file that it names';
}
