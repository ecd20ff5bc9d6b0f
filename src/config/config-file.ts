import { z } from 'zod';
import { quote } from '../base/shown.ts';
import { readYaml } from '../base/yaml-content.ts';
import { type Assignment, contentOf, showName, type SourceContent } from './assignment.ts';
import { nearest } from './nearest.ts';
import { type OptionDefinition, OPTIONS } from './options.ts';

/** What a key of the file stands for: an option, or the path of the file that holds a secret. */
interface FileKey {
  readonly option: OptionDefinition;
  readonly holdsPath: boolean;
}

const KEYS: ReadonlyMap<string, FileKey> = new Map(
  OPTIONS.filter(({ fileKey }) => fileKey !== false).flatMap((option): [string, FileKey][] => {
    const key: [string, FileKey] = [option.flag, { option, holdsPath: false }];
    if (option.secret !== true) return [key];
    return [key, [`${option.flag}-file`, { option, holdsPath: true }]];
  }),
);

/** The keys up to their first dot, under which the others may be nested. */
const SECTIONS: ReadonlySet<string> = new Set(
  [...KEYS.keys()].filter((key) => key.includes('.')).map((key) => key.replace(/\..*$/, '')),
);

/** Accepts each key flat, `cache.readings-ttl`, or nested in its section. The values are read later. */
const FILE_SCHEMA = z
  .strictObject(
    {
      ...withAnyValue([...KEYS.keys()]),
      ...Object.fromEntries([...SECTIONS].map((section) => [section, sectionSchema(section)])),
    },
    'not a mapping; accepted: lines such as cache.readings-ttl: 60s',
  )
  .nullable();

function sectionSchema(section: string) {
  const keys = [...KEYS.keys()].filter((key) => key.startsWith(`${section}.`));
  const names = keys.map((key) => key.slice(section.length + 1));
  return z.strictObject(withAnyValue(names), 'takes a mapping of keys').optional();
}

function withAnyValue(keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, z.unknown().optional()]));
}

/** Collects what the text of a configuration file assigns. */
export async function fromConfigFile(path: string, text: string): Promise<SourceContent> {
  const file = quote(path).slice(1, -1);
  const assignments = new Map<string, Assignment>();
  const read = await readYaml(text);
  if ('fault' in read) return { assignments, problems: [`${file}: ${read.fault}`] };
  const issues = FILE_SCHEMA.safeParse(read.content).error?.issues ?? [];
  const notMapping = issues.find((issue) => issue.path.length === 0 && !hasUnknownKeys(issue));
  if (notMapping !== undefined)
    return { assignments, problems: [`${file}: ${notMapping.message}`] };

  const faults = new Map(issues.flatMap(faultsByKey));
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [key, raw] of flatten(read.content ?? {})) {
    // A value without a blank before it is part of the key in YAML, and may be a secret.
    const name = `${showName(key.replace(/:.*$/s, ':…'))} in ${file}`;
    const fault = faults.get(key) ?? (seen.has(key) ? 'is given twice' : undefined);
    const known = KEYS.get(key);
    if (fault !== undefined) problems.push(`${name}: ${fault}`);
    else if (known !== undefined) assign(assignments, known, { name, raw, file });
    seen.add(key);
  }
  return { assignments, problems };
}

function hasUnknownKeys(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === 'unrecognized_keys';
}

/** Says for each key of an issue, in its flat form, what is wrong with it. */
function faultsByKey(issue: z.core.$ZodIssue): readonly (readonly [string, string])[] {
  if (!hasUnknownKeys(issue)) return [[issue.path.join('.'), issue.message]];
  return issue.keys.map((name) => {
    const key = [...issue.path, name].join('.');
    const guess = nearest(key, [...KEYS.keys()]);
    return [key, guess === undefined ? 'unknown key' : `unknown key; did you mean ${guess}?`];
  });
}

/** Brings `cache: {readings-ttl: …}` into the flat form, `cache.readings-ttl: …`. */
function flatten(content: object): readonly (readonly [key: string, raw: unknown])[] {
  return Object.entries(content).flatMap(([key, raw]: [string, unknown]) => {
    if (!SECTIONS.has(key) || typeof raw !== 'object' || raw === null || Array.isArray(raw))
      return [[key, raw] as const];
    return Object.entries(raw).map(([name, value]) => [`${key}.${name}`, value] as const);
  });
}

interface Entry {
  readonly name: string;
  readonly raw: unknown;
  readonly file: string;
}

function assign(
  assignments: Map<string, Assignment>,
  { option, holdsPath }: FileKey,
  { name, raw, file }: Entry,
): void {
  const { flag } = option;
  const origin = 'file';
  if (assignments.has(flag)) {
    const content = { fault: 'give only one of the two' };
    assignments.set(flag, { origin, name: `${flag} and ${flag}-file in ${file}`, content });
    return;
  }
  const content = contentOf(option, raw);
  const isPath = holdsPath && 'text' in content;
  assignments.set(flag, { origin, name, content: isPath ? { path: content.text } : content });
}
