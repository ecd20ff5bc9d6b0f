import { nextTurn } from '../base/clock.ts';
import type { Labels, MetricDefinition, Sample } from '../collectors/metric.ts';
import { renderHeader, renderLabels, renderLine } from './render.ts';

/** How much a page may hold. */
export interface PageLimits {
  readonly series: number;
  readonly bytes: number;
}

/** So many lines take a few milliseconds; then others have their turn. */
const LINES_PER_TURN = 2000;

/** A metric, and its lines on the page so far. */
interface MetricLines {
  readonly name: string;
  readonly header: string;
  readonly lines: string[];
}

/** The lines of a device, or of a station itself: they are on the page together, or not at all. */
interface Unit {
  readonly lines: { readonly metric: MetricLines; readonly line: string }[];
  bytes: number;
}

/**
 * Renders the samples of stations as `renderSamples` does, in slices between which others have their turn,
 * up to the limits of a page. What comes first stays: station after station, each with its own metrics and
 * then its devices. From the first device, or station, that does not fit, everything is left out.
 */
export class PageWriter {
  #seriesLeft: number;
  #bytesLeft: number;
  #fullBy: 'series' | 'page_bytes' | undefined;
  #dropped = 0;
  #linesInTurn = 0;

  constructor({ series, bytes }: PageLimits) {
    this.#seriesLeft = series;
    this.#bytesLeft = bytes;
  }

  /** Renders samples, those of each station one after the other. */
  async render(
    definitions: readonly MetricDefinition[],
    samples: Iterable<Sample>,
  ): Promise<readonly Buffer[]> {
    const metrics = definitions.map((definition): MetricLines => {
      const header = renderHeader(definition);
      this.#bytesLeft -= Buffer.byteLength(header);
      return { name: definition.name, header, lines: [] };
    });
    await this.#readLines(new Map(metrics.map((metric) => [metric.name, metric])), samples);
    return this.#written(metrics);
  }

  /** The limit that leaves something out; absent while everything fits. */
  get fullBy(): 'series' | 'page_bytes' | undefined {
    return this.#fullBy;
  }

  /** How many series are left out. */
  get dropped(): number {
    return this.#dropped;
  }

  async #readLines(
    metrics: ReadonlyMap<string, MetricLines>,
    samples: Iterable<Sample>,
  ): Promise<void> {
    let stationId: string | undefined;
    let units = new Map<string | undefined, Unit>();
    // The samples of a device share one labels object: its text is rendered once and not per metric.
    let texts = new Map<Labels, { readonly text: string; readonly bytes: number }>();
    for (const { name, labels, value } of samples) {
      if (this.#isTurnOver(1)) await nextTurn();
      const metric = metrics.get(name);
      if (metric === undefined) continue;
      if (labels['station_id'] !== stationId) {
        this.#take(units.values());
        stationId = labels['station_id'];
        units = new Map();
        texts = new Map();
      }
      if (this.#fullBy !== undefined) {
        this.#dropped += 1;
        continue;
      }
      let rendered = texts.get(labels);
      if (rendered === undefined) {
        const text = renderLabels(labels);
        rendered = { text, bytes: Buffer.byteLength(text) };
        texts.set(labels, rendered);
      }
      const line = renderLine(name, rendered.text, value);
      const deviceId = labels['device_id'];
      let unit = units.get(deviceId);
      if (unit === undefined) {
        unit = { lines: [], bytes: 0 };
        units.set(deviceId, unit);
      }
      unit.lines.push({ metric, line });
      unit.bytes += line.length - rendered.text.length + rendered.bytes;
    }
    this.#take(units.values());
  }

  /** Puts the units of a station on the page, as far as they fit. */
  #take(units: Iterable<Unit>): void {
    for (const { lines, bytes } of units) {
      if (this.#fullBy === undefined && lines.length > this.#seriesLeft) this.#fullBy = 'series';
      if (this.#fullBy === undefined && bytes > this.#bytesLeft) this.#fullBy = 'page_bytes';
      if (this.#fullBy !== undefined) {
        this.#dropped += lines.length;
        continue;
      }
      this.#seriesLeft -= lines.length;
      this.#bytesLeft -= bytes;
      for (const { metric, line } of lines) metric.lines.push(line);
    }
  }

  async #written(metrics: readonly MetricLines[]): Promise<readonly Buffer[]> {
    const parts: Buffer[] = [];
    for (const { header, lines } of metrics)
      for (let from = 0; from < lines.length; from += LINES_PER_TURN) {
        const text = lines.slice(from, from + LINES_PER_TURN).join('');
        parts.push(Buffer.from(from === 0 ? header + text : text));
        if (this.#isTurnOver(Math.min(LINES_PER_TURN, lines.length - from))) await nextTurn();
      }
    return parts;
  }

  #isTurnOver(lines: number): boolean {
    this.#linesInTurn += lines;
    if (this.#linesInTurn < LINES_PER_TURN) return false;
    this.#linesInTurn = 0;
    return true;
  }
}
