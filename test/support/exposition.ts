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

const NAME = '([a-zA-Z_:][a-zA-Z0-9_:]*)';
const PAIR = `${NAME}="((?:[^"\\\\]|\\\\[\\\\n"])*)"`;
const HELP = new RegExp(`^# HELP ${NAME} ((?:[^\\\\]|\\\\[\\\\n])*)$`);
const TYPE = new RegExp(`^# TYPE ${NAME} (\\w+)$`);
const SAMPLE = new RegExp(`^${NAME}(?:\\{(${PAIR}(?:,${PAIR})*)\\})? (\\S+)$`);
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/;

/**
 * Reads the Prometheus text format 0.0.4, written from its specification and knowing nothing of the
 * code under test. Stricter than Prometheus: HELP, TYPE and samples in this order and all together.
 */
export function parseExposition(text: string): ParsedFamily[] {
  const families: ParsedFamily[] = [];
  const seen = new Set<string>();
  const takeOnce = (name: string): void => {
    if (seen.has(name)) throw new Error(`${name}: twice`);
    seen.add(name);
  };
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  for (const [index, line] of lines.entries()) {
    const [, name, help = ''] = HELP.exec(line) ?? [];
    if (name !== undefined) {
      const [, typed, type = ''] = TYPE.exec(lines[index + 1] ?? '') ?? [];
      if (typed !== name) throw new Error(`${name}: no type`);
      takeOnce(name);
      families.push({ name, help: unescaped(help), type, samples: [] });
    } else if (line !== '' && !(TYPE.test(line) && HELP.test(lines[index - 1] ?? ''))) {
      const sample = sampleOf(line);
      const family = families.at(-1);
      if (family === undefined || !belongs(sample.name, family))
        throw new Error(`${sample.name}: not under its own header`);
      takeOnce(JSON.stringify([sample.name, sample.labels]));
      family.samples.push(sample);
    }
  }
  return families;
}

/** All series of all families. */
export function samplesOf(text: string): ParsedSample[] {
  return parseExposition(text).flatMap(({ samples }) => samples);
}

function belongs(name: string, family: ParsedFamily): boolean {
  if (family.type !== 'histogram') return name === family.name;
  return ['_bucket', '_sum', '_count'].some((suffix) => name === family.name + suffix);
}

/** Takes the line of a series apart. */
export function sampleOf(line: string): ParsedSample {
  const [, name, pairs = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a sample: ${line.slice(0, 80)}`);
  const found = [...pairs.matchAll(new RegExp(PAIR, 'g'))];
  const labels = Object.fromEntries(
    found.map(([, label = '', value = '']) => [label, unescaped(value)]),
  );
  if (Object.keys(labels).length < found.length) throw new Error(`${line}: a label twice`);
  return { name, labels, value: valueOf(line.slice(line.lastIndexOf(' ') + 1)) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

function valueOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  if (text === '-Inf') return Number.NEGATIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN; // Prometheus reads any case; prom-client writes 'Nan'
  if (!NUMBER.test(text)) throw new Error(`not a number: ${text}`);
  return Number(text);
}
