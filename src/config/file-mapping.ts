import { z } from 'zod';
import { type Assignment, contentOf, showName } from './assignment.ts';
import { nearest } from './nearest.ts';
import type { OptionDefinition } from './options.ts';

/** What a key stands for: an option, or the path of the file that holds a secret. */
interface FileKey {
  readonly option: OptionDefinition;
  readonly holdsPath: boolean;
}

/** What a mapping assigns, by flag, and what is wrong with it. */
export interface MappingContent {
  readonly assignments: Map<string, Assignment>;
  readonly problems: string[];
}

/** Where a mapping stands: `accounts[0].` within the file, or nothing for the file itself. */
export interface MappingPlace {
  readonly prefix: string;
  /** The path of the file, as it may be shown. */
  readonly file: string;
}

/** Reads mappings of some options, as a configuration file and each of its accounts are. */
export class FileMapping {
  readonly #keys: ReadonlyMap<string, FileKey>;
  /** The keys up to their first dot, under which the others may be nested. */
  readonly #sections: ReadonlySet<string>;
  /** Keys that somebody else reads. */
  readonly #others: readonly string[];
  readonly #schema: z.ZodType<object | null>;

  /** @param others - keys that are allowed, and left to the caller. */
  constructor(options: readonly OptionDefinition[], others: readonly string[] = []) {
    this.#keys = keysOf(options);
    const keys = [...this.#keys.keys()];
    this.#others = others;
    this.#sections = new Set(
      keys.filter((key) => key.includes('.')).map((key) => key.replace(/\..*$/, '')),
    );
    // Accepts each key flat, `cache.readings-ttl`, or nested in its section. The values are read later.
    const sections = Array.from(this.#sections, (section) => [
      section,
      sectionSchema(keys, section),
    ]);
    this.#schema = z
      .strictObject(
        { ...withAnyValue([...keys, ...others]), ...Object.fromEntries(sections) },
        'not a mapping; accepted: lines such as cache.readings-ttl: 60s',
      )
      .nullable();
  }

  /** Collects what a mapping assigns; returns a fault where the content is no mapping. */
  read(content: unknown, { prefix, file }: MappingPlace): MappingContent | { fault: string } {
    const issues = this.#schema.safeParse(content).error?.issues ?? [];
    const notMapping = issues.find((issue) => issue.path.length === 0 && !hasUnknownKeys(issue));
    if (notMapping !== undefined) return { fault: notMapping.message };

    const faults = new Map(issues.flatMap((issue) => this.#faultsByKey(issue)));
    const assignments = new Map<string, Assignment>();
    const problems: string[] = [];
    const seen = new Set<string>();
    for (const [key, raw] of this.#flatten(content ?? {})) {
      // A value without a blank before it is part of the key in YAML, and may be a secret.
      const name = `${prefix}${showName(key.replace(/:.*$/s, ':…'))} in ${file}`;
      const fault = faults.get(key) ?? (seen.has(key) ? 'is given twice' : undefined);
      const known = this.#keys.get(key);
      if (fault !== undefined) problems.push(`${name}: ${fault}`);
      else if (known !== undefined) assign(assignments, known, { name, raw, prefix, file });
      seen.add(key);
    }
    return { assignments, problems };
  }

  /** Says for each key of an issue, in its flat form, what is wrong with it. */
  #faultsByKey(issue: z.core.$ZodIssue): readonly (readonly [string, string])[] {
    if (!hasUnknownKeys(issue)) return [[issue.path.join('.'), issue.message]];
    return issue.keys.map((name) => {
      const key = [...issue.path, name].join('.');
      const guess = nearest(key, [...this.#keys.keys(), ...this.#others]);
      return [key, guess === undefined ? 'unknown key' : `unknown key; did you mean ${guess}?`];
    });
  }

  /** Brings `cache: {readings-ttl: …}` into the flat form, `cache.readings-ttl: …`. */
  #flatten(content: object): readonly (readonly [key: string, raw: unknown])[] {
    return Object.entries(content).flatMap(([key, raw]: [string, unknown]) => {
      if (!this.#sections.has(key) || typeof raw !== 'object' || raw === null || Array.isArray(raw))
        return [[key, raw] as const];
      return Object.entries(raw).map(([name, value]) => [`${key}.${name}`, value] as const);
    });
  }
}

function keysOf(options: readonly OptionDefinition[]): ReadonlyMap<string, FileKey> {
  return new Map(
    options
      .filter(({ fileKey }) => fileKey !== false)
      .flatMap((option): [string, FileKey][] => {
        const key: [string, FileKey] = [option.flag, { option, holdsPath: false }];
        if (option.secret !== true) return [key];
        return [key, [`${option.flag}-file`, { option, holdsPath: true }]];
      }),
  );
}

function sectionSchema(keys: readonly string[], section: string) {
  const names = keys
    .filter((key) => key.startsWith(`${section}.`))
    .map((key) => key.slice(section.length + 1));
  return z.strictObject(withAnyValue(names), 'takes a mapping of keys').optional();
}

function withAnyValue(keys: readonly string[]) {
  return Object.fromEntries(keys.map((key) => [key, z.unknown().optional()]));
}

function hasUnknownKeys(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === 'unrecognized_keys';
}

interface Entry extends MappingPlace {
  readonly name: string;
  readonly raw: unknown;
}

function assign(
  assignments: Map<string, Assignment>,
  { option, holdsPath }: FileKey,
  { name, raw, prefix, file }: Entry,
): void {
  const { flag } = option;
  const origin = 'file';
  if (assignments.has(flag)) {
    const content = { fault: 'give only one of the two' };
    const both = `${prefix}${flag} and ${prefix}${flag}-file in ${file}`;
    assignments.set(flag, { origin, name: both, content });
    return;
  }
  const content = contentOf(option, raw);
  const isPath = holdsPath && 'text' in content;
  assignments.set(flag, { origin, name, content: isPath ? { path: content.text } : content });
}
