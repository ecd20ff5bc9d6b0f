import { nextTurn } from '../base/clock.ts';
import { Slices } from '../base/turns.ts';
import type { Shown } from '../collectors/target.ts';
import { Page, renderHeader } from './render.ts';
import type { ShownTexts } from './shown-texts.ts';
import { letGoOf, NewTexts, SPAN, storeOf } from './text-store.ts';
import type { UnitText } from './unit-text.ts';

/** How much a page may hold. */
export interface PageLimits {
  readonly series: number;
  readonly bytes: number;
}

/** A device, or a station itself: its lines are on the page together, or not at all. */
interface Unit {
  readonly texts: UnitText[];
  series: number;
  bytes: number;
}

/** To look at the lines that a target has of a metric takes so long, and to copy them. */
const METRIC_MICROSECONDS = 0.2;
/** To put a device on the page takes so long, beside its metrics. */
const UNIT_MICROSECONDS = 1;

/**
 * Puts a page together from the lines of targets, in slices between which others have their turn, up to the
 * limits of a page. What comes first stays: station after station, each with its own lines and then those of
 * its devices. From the first device, or station, that does not fit, everything is left out.
 *
 * A page is metric after metric, and the lines of a target are on it in many places. So how many bytes each
 * metric has is added up first, and then every line is copied to its place. From then on, the page is where the
 * lines are kept for the next one.
 */
export class PageWriter {
  readonly #texts: ShownTexts;
  readonly #headers: readonly string[];
  readonly #slices = new Slices();
  readonly #newTexts = new NewTexts();
  /** The lines that are on the page, and their bytes by column. */
  readonly #kept: UnitText[] = [];
  #keptMetrics = 0;
  readonly #bytesOf: number[];
  #seriesLeft: number;
  #bytesLeft: number;
  #fullBy: 'series' | 'page_bytes' | undefined;
  #dropped = 0;
  #untilMs = Number.POSITIVE_INFINITY;

  constructor(texts: ShownTexts, { series, bytes }: PageLimits) {
    this.#texts = texts;
    this.#headers = texts.definitions.map(renderHeader);
    this.#bytesOf = this.#headers.map(() => 0);
    this.#seriesLeft = series;
    this.#bytesLeft = bytes;
    for (const header of this.#headers) this.#bytesLeft -= Buffer.byteLength(header);
  }

  /** Puts what is shown of one station on the page, as far as it fits. */
  async add(station: Iterable<Shown>): Promise<void> {
    const units = new Map<string | undefined, Unit>();
    for (const shown of station) {
      this.#untilMs = Math.min(this.#untilMs, shown.untilMs);
      if (this.#fullBy !== undefined) {
        this.#dropped += await this.#texts.count(shown, this.#slices);
        continue;
      }
      const texts =
        this.#texts.known(shown) ?? (await this.#texts.render(shown, this.#newTexts, this.#slices));
      for (const text of texts) {
        const unit = units.get(text.deviceId) ?? { texts: [], series: 0, bytes: 0 };
        unit.texts.push(text);
        unit.series += text.series;
        unit.bytes += text.length;
        units.set(text.deviceId, unit);
      }
      if (this.#slices.isOver(texts.length * UNIT_MICROSECONDS)) await nextTurn();
    }
    for (const unit of units.values()) {
      this.#take(unit);
      if (this.#slices.isOver(UNIT_MICROSECONDS + metricsOf(unit) * METRIC_MICROSECONDS))
        await nextTurn();
    }
  }

  #take({ texts, series, bytes }: Unit): void {
    if (this.#fullBy === undefined && series > this.#seriesLeft) this.#fullBy = 'series';
    if (this.#fullBy === undefined && bytes > this.#bytesLeft) this.#fullBy = 'page_bytes';
    if (this.#fullBy !== undefined) {
      this.#dropped += series;
      // What is left out must not keep the whole page that it was on.
      for (const text of texts) text.moveInto(this.#newTexts);
      return;
    }
    this.#seriesLeft -= series;
    this.#bytesLeft -= bytes;
    for (const text of texts) {
      this.#kept.push(text);
      this.#keptMetrics += text.metrics;
      text.eachMetric((column, _bytes, from, to) => {
        this.#bytesOf[column] = (this.#bytesOf[column] ?? 0) + to - from;
      });
    }
  }

  /** The limit that leaves something out; absent while everything fits. */
  get fullBy(): 'series' | 'page_bytes' | undefined {
    return this.#fullBy;
  }

  /** How many series are left out. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Until when the page is right, if nothing is fetched. */
  get untilMs(): number {
    return this.#untilMs;
  }

  /**
   * Returns the page.
   *
   * @param rest - what comes after the lines of the stations.
   */
  async written(rest: string): Promise<Page> {
    const headers = this.#headers.map((header, column) => (this.#bytesOf[column] ? header : ''));
    let length = Buffer.byteLength(rest);
    headers.forEach((header, column) => {
      length += Buffer.byteLength(header) + (this.#bytesOf[column] ?? 0);
    });
    const store = storeOf(length, this.#keptMetrics);
    const { bytes: page, spans } = store;
    let writtenTo = 0;
    /** Where the next line of each column belongs. */
    const places = headers.map((header, column) => {
      const place = writtenTo + page.write(header, writtenTo);
      writtenTo = place + (this.#bytesOf[column] ?? 0);
      return place;
    });
    page.write(rest, writtenTo);
    let entries = 0;
    for (const text of this.#kept) {
      const at = entries;
      text.eachMetric((column, bytes, from, to) => {
        const place = places[column] ?? 0;
        bytes.copy(page, place, from, to);
        places[column] = place + to - from;
        spans[entries] = column;
        spans[entries + 1] = place;
        spans[entries + 2] = place + to - from;
        entries += SPAN;
      });
      text.moveTo({ store, at });
      if (this.#slices.isOver(text.metrics * METRIC_MICROSECONDS)) await nextTurn();
    }
    // What is left out has its lines there still.
    if (this.#fullBy === undefined) this.#newTexts.letGo();
    return new Page(page, () => letGoOf(store));
  }
}

function metricsOf({ texts }: Unit): number {
  return texts.reduce((metrics, text) => metrics + text.metrics, 0);
}
