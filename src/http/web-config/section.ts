import { shown, shownKey } from './shown.ts';

/** Is what a mapping of the file may hold. */
export interface SectionKeys {
  readonly accepted: readonly string[];
  /** Known to other exporters, but not to this one. */
  readonly unsupported?: readonly string[];
}

/** One mapping of the file: hands out what its keys hold, and notes everything that is wrong with them. */
export class Section {
  readonly #name: string;
  readonly #problems: string[];
  readonly #entries: ReadonlyMap<string, unknown>;

  /** Without `keys`, any key is taken. */
  constructor(name: string, content: unknown, problems: string[], keys?: SectionKeys) {
    this.#name = name;
    this.#problems = problems;
    const isMapping = typeof content === 'object' && content !== null && !Array.isArray(content);
    if (!isMapping && !isBlank(content))
      problems.push(
        name === ''
          ? `not a mapping; accepted: ${listed(keys?.accepted)}`
          : `${name}: is not a mapping; accepted: ${listed(keys?.accepted)}`,
      );
    const entries = new Map<string, unknown>(isMapping ? Object.entries(content) : []);
    this.#entries = entries;
    if (keys !== undefined) this.#refuseOthers(keys);
  }

  get keys(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Whether any key holds something. */
  get isBlank(): boolean {
    return [...this.#entries.values()].every(isBlank);
  }

  has(key: string): boolean {
    return !isBlank(this.#entries.get(key));
  }

  /** Notes what is wrong with a key of this mapping. */
  refuse(key: string, sentence: string): void {
    this.#problems.push(`${this.#path(key)}: ${sentence}`);
  }

  section(key: string, keys?: SectionKeys): Section {
    return new Section(this.#path(key), this.#entries.get(key), this.#problems, keys);
  }

  /** A text; undefined when there is none, as blanks are none. */
  text(key: string): string | undefined {
    const content = this.#entries.get(key);
    if (isBlank(content)) return undefined;
    if (typeof content === 'string') return content;
    this.refuse(key, 'is not a text');
    return undefined;
  }

  boolean(key: string): boolean | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    if (text !== 'true' && text !== 'false')
      this.refuse(key, `${shown(text)} is not a boolean; accepted: true or false`);
    return text === 'true';
  }

  /** One name of a table, as it is there. */
  choice<T extends string>(key: string, noun: string, accepted: readonly T[]): T | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : this.#named(text, key, noun, accepted);
  }

  /** A list of texts; empty when there is none. */
  texts(key: string): readonly string[] {
    const content = this.#entries.get(key);
    if (isBlank(content)) return [];
    if (Array.isArray(content) && content.every((entry) => typeof entry === 'string'))
      return content;
    this.refuse(key, 'is not a list of texts');
    return [];
  }

  /** A list of names of a table. */
  choices<T extends string>(key: string, noun: string, accepted: readonly T[]): readonly T[] {
    return this.texts(key).flatMap((text) => this.#named(text, key, noun, accepted) ?? []);
  }

  #named<T extends string>(
    text: string,
    key: string,
    noun: string,
    accepted: readonly T[],
  ): T | undefined {
    const found = accepted.find((name) => name === text);
    if (found === undefined)
      this.refuse(key, `${shown(text)} is not a ${noun}; accepted: ${listed(accepted)}`);
    return found;
  }

  #refuseOthers({ accepted, unsupported = [] }: SectionKeys): void {
    for (const key of this.#entries.keys()) {
      if (accepted.includes(key)) continue;
      const why = unsupported.includes(key) ? 'is not supported' : 'unknown key';
      this.refuse(key, `${why}; accepted: ${listed(accepted)}`);
    }
  }

  #path(key: string): string {
    return this.#name === '' ? shownKey(key) : `${this.#name}.${shownKey(key)}`;
  }
}

/** In this schema, a key without a value holds the empty text. */
function isBlank(content: unknown): boolean {
  return content === undefined || content === null || content === '';
}

function listed(names: readonly string[] = ['lines such as name: value']): string {
  return names.join(', ');
}
