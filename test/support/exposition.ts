/** One series as a scraper would read it. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: ParsedSample[];
}

/**
 * Reads the Prometheus text format 0.0.4, written from its specification and knowing nothing of the
 * code under test. Stricter than Prometheus: HELP, TYPE and samples in this order and all together.
 */
export function parseExposition(text: string): ParsedFamily[] {
  const families: ParsedFamily[] = [];
  const reader = new Reader(text);
  while (!reader.atEnd) {
    if (reader.takes('\n')) continue;
    if (reader.takes('# HELP ')) {
      const name = reader.name();
      reader.expects(' ');
      const help = reader.help();
      reader.expects(`# TYPE ${name} `);
      const type = reader.untilLineEnd();
      if (families.some((family) => family.name === name)) throw new Error(`${name}: twice`);
      families.push({ name, help, type, samples: [] });
      continue;
    }
    const sample = reader.sample();
    const family = families.at(-1);
    if (family === undefined || !belongs(sample.name, family))
      throw new Error(`${sample.name}: not under its own header`);
    const series = JSON.stringify([sample.name, sample.labels]);
    if (family.samples.some(({ name, labels }) => JSON.stringify([name, labels]) === series))
      throw new Error(`${series}: twice`);
    family.samples.push(sample);
  }
  return families;
}

function belongs(name: string, family: ParsedFamily): boolean {
  if (family.type !== 'histogram') return name === family.name;
  return ['_bucket', '_sum', '_count'].some((suffix) => name === family.name + suffix);
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  takes(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  expects(expected: string): void {
    if (this.takes(expected)) return;
    const found = this.#text.slice(this.#at, this.#at + 40);
    throw new Error(`expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`);
  }

  name(): string {
    const [name] = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(this.#text.slice(this.#at)) ?? [];
    if (name === undefined) throw new Error(`no name at ${this.#at}`);
    this.#at += name.length;
    return name;
  }

  untilLineEnd(): string {
    const end = this.#text.indexOf('\n', this.#at);
    if (end < 0) throw new Error('the last line does not end');
    const line = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return line;
  }

  help(): string {
    return this.#unescaped({ end: '\n', escapes: { '\\': '\\', n: '\n' } });
  }

  sample(): ParsedSample {
    const name = this.name();
    const labels: Record<string, string> = {};
    if (this.takes('{')) {
      do {
        const label = this.name();
        if (label in labels) throw new Error(`${label}: twice`);
        this.expects('="');
        labels[label] = this.#unescaped({ end: '"', escapes: { '\\': '\\', n: '\n', '"': '"' } });
      } while (this.takes(','));
      this.expects('}');
    }
    this.expects(' ');
    return { name, labels, value: valueOf(this.untilLineEnd()) };
  }

  #unescaped({ end, escapes }: { end: string; escapes: Record<string, string> }): string {
    let value = '';
    for (;;) {
      const character = this.#next();
      if (character === end) return value;
      if (character === '\n') throw new Error('a line break inside a label value');
      if (character !== '\\') {
        value += character;
        continue;
      }
      const escaped = escapes[this.#next()];
      if (escaped === undefined) throw new Error(`an unknown escape at ${this.#at}`);
      value += escaped;
    }
  }

  #next(): string {
    const character = this.#text[this.#at];
    if (character === undefined) throw new Error('the text ends too early');
    this.#at += 1;
    return character;
  }
}

function valueOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN; // Prometheus reads any case; prom-client writes 'Nan'
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}

/** All series of all families. */
export function samplesOf(text: string): ParsedSample[] {
  return parseExposition(text).flatMap(({ samples }) => samples);
}
