import type { NoteDropped } from '../base/limits.ts';
import { turn } from '../base/turns.ts';
import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { Shown } from '../collectors/target.ts';
import type { StationStatus } from '../collectors/station-targets.ts';
import type { Labels, MetricDefinition, Sample } from '../collectors/metric.ts';
import { COLLECTION_METRICS, statusSamples } from './definitions.ts';
import type { RenderedMetrics } from './self.ts';
import { renderHeader, renderLabels, renderValue } from './text-format.ts';
import type { Made } from './versioned-cache.ts';

/** What the pages of one exporter have in common. */
export interface PageOptions {
  /** `--limit.series`. */
  readonly maxSeries: number;
  /** Is called with the number of series that do not fit on a page. */
  readonly noteDropped: NoteDropped;
  /** Renders the end of a page, which always has room, however much the service lists; no end when left out. */
  readonly renderRest?: () => Promise<RenderedMetrics>;
}

/** The content of a page: the status of stations, the problems, and for each station what is known of it. */
export interface PageContent {
  /** Names the page in the log. */
  readonly name: string;
  readonly statuses: readonly StationStatus[];
  readonly problems: Iterable<Shown>;
  readonly stations: Iterable<Iterable<Shown>>;
}

/** The problems, as the lines of a page; they are made in `status`, which has their words. */
export interface ProblemLines {
  readonly ofAccount: () => Shown;
  /** First for the station, then for each device; nothing for an unknown station. */
  readonly ofStation: (stationId: string) => Iterable<Shown>;
}

/** The lines of one target, or of one status. */
interface TargetText {
  /** The lines of each metric, with its place on the page. */
  readonly families: readonly { readonly column: number; readonly lines: string }[];
  readonly series: number;
  readonly bytes: number;
}

const noRest = (): Promise<RenderedMetrics> => Promise.resolve({ text: '', series: 0 });

/** A page is sent and kept as a whole, plain and compressed. The remaining 1 MB up to 64 MB is for process metrics. */
const MAX_PAGE_BYTES = 63_000_000;

/**
 * Makes pages of stations. The lines of a target are rendered once, for as long as the same is shown of it. A page
 * joins them metric by metric, as the format requires.
 */
export class StationPages {
  readonly #options: PageOptions;
  readonly #headers: readonly string[];
  readonly #columns: ReadonlyMap<string, number>;
  /** The lines by what they show: an object that stays the same until something else is shown. */
  readonly #texts = new WeakMap<Shown | StationStatus, TargetText>();

  /** @param definitions - the metrics in the order of the page; a sample of any other is left out. */
  constructor(
    options: PageOptions,
    definitions: readonly MetricDefinition[] = [...COLLECTION_METRICS, ...COLLECTOR_METRICS],
  ) {
    this.#options = options;
    this.#headers = definitions.map(renderHeader);
    this.#columns = new Map(definitions.map(({ name }, column) => [name, column]));
  }

  /** Makes a page. The first target that does not fit is left out, and so is everything after it. */
  async make(content: PageContent): Promise<Made<Buffer>> {
    const { maxSeries, noteDropped, renderRest = noRest } = this.#options;
    const families = this.#headers.map((header) => [header]);
    let rest = await renderRest();
    let bytes = Buffer.byteLength(this.#headers.join('') + rest.text);
    let { series } = rest;
    let isFull = false;
    let dropped = 0;
    let untilMs = Number.POSITIVE_INFINITY;
    for (const shown of shownOn(content)) {
      const text = this.#texts.get(shown.source) ?? this.#render(shown.samples());
      untilMs = Math.min(untilMs, shown.untilMs);
      isFull ||= series + text.series > maxSeries || bytes + text.bytes > MAX_PAGE_BYTES;
      if (!isFull) {
        series += text.series;
        bytes += text.bytes;
        for (const { column, lines } of text.families) families[column]?.push(lines);
        // Only text on the page is kept: the rest has no size limit.
        this.#texts.set(shown.source, text);
      } else dropped += text.series;
      if (turn.isOver()) await turn.next();
    }
    if (dropped > 0) {
      noteDropped('series', dropped, content.name);
      // Rendered again, because it shows how many series were left out.
      rest = await renderRest();
    }
    const body = Buffer.allocUnsafeSlow(bytes + Buffer.byteLength(rest.text));
    let length = 0;
    for (const texts of families)
      if (texts.length > 1) length += body.write(texts.join(''), length);
    length += body.write(rest.text, length);
    return { value: body.subarray(0, length), untilMs };
  }

  #render(samples: Iterable<Sample>): TargetText {
    const pieces = new Map<number, string[]>();
    let series = 0;
    let labelsText = '';
    let last: Labels | undefined;
    for (const { name, labels, value } of samples) {
      const column = this.#columns.get(name);
      if (column === undefined) continue;
      // The samples of a device share one labels object: its text is rendered once and not per metric.
      if (labels !== last) labelsText = renderLabels(labels);
      last = labels;
      let family = pieces.get(column);
      if (family === undefined) pieces.set(column, (family = []));
      family.push(name, labelsText, ' ', renderValue(value), '\n');
      series += 1;
    }
    let bytes = 0;
    // Joined, because V8 keeps all the pieces of a concatenated string.
    const families = Array.from(pieces, ([column, family]) => {
      const lines = family.join('');
      bytes += Buffer.byteLength(lines);
      return { column, lines };
    });
    return { families, series, bytes };
  }
}

/** Yields what a page shows, in its order: status and problems come first. */
function* shownOn({
  statuses,
  problems,
  stations,
}: PageContent): Generator<
  Pick<Shown, 'untilMs' | 'samples'> & { readonly source: Shown | StationStatus }
> {
  for (const status of statuses)
    yield { source: status, untilMs: Infinity, samples: () => statusSamples(status) };
  for (const station of [problems, ...stations])
    for (const shown of station)
      yield { source: shown, untilMs: shown.untilMs, samples: () => shown.samples() };
}
