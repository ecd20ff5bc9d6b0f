import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Labels, MetricDefinition, Sample } from '../collectors/metric.ts';

const compress = promisify(gzip);

/** 21 MB of 10,000 devices take 28 ms of CPU and become 1.17 MB; level 6 takes 99 ms for 1.11 MB. */
const GZIP_LEVEL = 1;

/**
 * How many times smaller than the page a piece of the compressed page is. With the default of 16 KiB, a large
 * page waits a hundred times for the event loop, and a small one keeps more memory than it needs.
 */
const PIECE_RATIO = 16;
const MIN_PIECE_BYTES = 1024;

/** A rendered page; it is compressed at most once, and only when a client accepts that. */
export class Page {
  readonly body: Buffer;
  readonly #free: () => void;
  #compressed: Promise<Buffer> | undefined;
  #holders = 0;
  #isLetGo = false;

  /** @param free - gives the memory of the body back. */
  constructor(content: string | Buffer, free = (): void => undefined) {
    this.body = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
    this.#free = free;
  }

  /** Compresses outside of the event loop. */
  gzipped(): Promise<Buffer> {
    return (this.#compressed ??= this.#compress().finally(this.hold()));
  }

  #compress(): Promise<Buffer> {
    const chunkSize = Math.max(MIN_PIECE_BYTES, Math.ceil(this.body.length / PIECE_RATIO));
    return compress(this.body, { level: GZIP_LEVEL, chunkSize });
  }

  /** Keeps the body until the returned function is called, for whoever goes on reading it after this turn. */
  hold(): () => void {
    this.#holders += 1;
    return () => {
      this.#holders -= 1;
      this.#freeIfUnused();
    };
  }

  /** Gives the memory of the body back as soon as nobody holds it; whoever gets the page later gets no body. */
  letGo(): void {
    this.#isLetGo = true;
    this.#freeIfUnused();
  }

  #freeIfUnused(): void {
    if (this.#isLetGo && this.#holders === 0) this.#free();
  }
}

/**
 * Renders a few samples in the Prometheus text format 0.0.4, grouped by metric in the order of
 * `definitions`. A metric without samples is left out altogether: unknown is absent.
 */
export function renderSamples(
  definitions: readonly MetricDefinition[],
  samples: Iterable<Sample>,
): string {
  const metrics = definitions.map((definition) => ({ ...definition, lines: [] as string[] }));
  const linesByName = new Map<string, string[]>(metrics.map(({ name, lines }) => [name, lines]));
  // The samples of a device share one labels object: its text is rendered once and not per metric.
  const textByLabels = new Map<Labels, string>();
  for (const { name, labels, value } of samples) {
    let labelsText = textByLabels.get(labels);
    if (labelsText === undefined) {
      labelsText = renderLabels(labels);
      textByLabels.set(labels, labelsText);
    }
    linesByName.get(name)?.push(renderLine(name, labelsText, value));
  }
  return metrics
    .map(({ lines, ...definition }) =>
      lines.length === 0 ? '' : renderHeader(definition) + lines.join(''),
    )
    .join('');
}

/** Renders the lines that describe a metric. */
export function renderHeader({
  name,
  type,
  help,
}: {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}): string {
  const escapedHelp = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escapedHelp}\n# TYPE ${name} ${type}\n`;
}

/** Renders the labels of a series, with their braces; nothing without labels. */
export function renderLabels(labels: Labels): string {
  let pairs = '';
  for (const name in labels) {
    const value = labels[name];
    if (value === undefined) continue;
    pairs += `${pairs === '' ? '' : ','}${name}="${escapeLabelValue(value)}"`;
  }
  return pairs === '' ? '' : `{${pairs}}`;
}

function escapeLabelValue(value: string): string {
  if (!/["\\\n]/.test(value)) return value; // true of nearly all values
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** Renders one series. */
export function renderLine(name: string, labelsText: string, value: number): string {
  return `${name}${labelsText} ${renderValue(value)}\n`;
}

function renderValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
