import { contentOf, type Given, type Level } from './given.ts';
import { nearest } from './nearest.ts';
import { OPTIONS, type OptionDefinition } from './options.ts';
import { nameOf } from './sentence.ts';
import { quote } from '../shown.ts';
import { readYaml, type YamlContent } from '../yaml-content.ts';

/** Is what a key of the file stands for: an option, or the path of the file that holds a secret. */
interface FileKey {
  readonly option: OptionDefinition;
  readonly holdsPath: boolean;
}

const KEYS: ReadonlyMap<string, FileKey> = new Map(
  OPTIONS.filter(({ fileKey }) => fileKey !== false).flatMap((option): [string, FileKey][] => [
    [option.flag, { option, holdsPath: false }],
    ...(option.secret === true
      ? ([[`${option.flag}-file`, { option, holdsPath: true }]] as [string, FileKey][])
      : []),
  ]),
);

const SECTIONS: ReadonlySet<string> = new Set(
  [...KEYS.keys()].filter((key) => key.includes('.')).map((key) => key.replace(/\..*$/, '')),
);

/** Collects what the text of a configuration file gives; keys are flat with dots, or nested. */
export async function fromConfigFile(path: string, text: string): Promise<Level> {
  const file = quote(path).slice(1, -1);
  const mapping = mappingOf(await readYaml(text));
  if ('fault' in mapping) return { given: new Map(), problems: [`${file}: ${mapping.fault}`] };

  const problems: string[] = [];
  const given = new Map<string, Given>();
  const seen = new Set<string>();
  for (const [key, raw] of flatten(mapping.entries)) {
    // Without a blank after its colon, a value is part of the key.
    const name = `${nameOf(key.replace(/:.*$/s, ':…'))} in ${file}`;
    const known = KEYS.get(key);
    if (known === undefined) problems.push(`${name}: ${whyUnknown(key)}`);
    else if (seen.has(key)) problems.push(`${name}: is given twice`);
    else put(given, { known, name, raw, file });
    seen.add(key);
  }
  return { given, problems };
}

function mappingOf(
  read: YamlContent,
): { readonly entries: readonly (readonly [string, unknown])[] } | { readonly fault: string } {
  if ('fault' in read) return read;
  const { content } = read;
  if (content === null) return { entries: [] };
  return typeof content === 'object' && !Array.isArray(content)
    ? { entries: Object.entries(content) }
    : { fault: 'not a mapping; accepted: lines such as cache.readings-ttl: 60s' };
}

/** Brings `cache: {readings-ttl: …}` into the flat form, `cache.readings-ttl: …`. */
function flatten(entries: readonly (readonly [string, unknown])[]): [string, unknown][] {
  return entries.flatMap(([key, raw]): [string, unknown][] => {
    if (!SECTIONS.has(key) || typeof raw !== 'object' || raw === null || Array.isArray(raw))
      return [[key, raw]];
    return Object.entries(raw).map(([name, value]) => [`${key}.${name}`, value]);
  });
}

function whyUnknown(key: string): string {
  if (SECTIONS.has(key)) return 'takes a mapping of keys';
  const guess = nearest(key, [...KEYS.keys()]);
  return guess === undefined ? 'unknown key' : `unknown key; did you mean ${guess}?`;
}

interface Entry {
  readonly known: FileKey;
  readonly name: string;
  readonly raw: unknown;
  readonly file: string;
}

function put(given: Map<string, Given>, { known, name, raw, file }: Entry): void {
  const { flag } = known.option;
  if (given.has(flag)) {
    const content = { fault: 'give only one of the two' };
    given.set(flag, { origin: 'file', name: `${flag} and ${flag}-file in ${file}`, content });
    return;
  }
  const content = contentOf(known.option, raw);
  const isPath = known.holdsPath && 'text' in content;
  given.set(flag, { origin: 'file', name, content: isPath ? { path: content.text } : content });
}
