import type { Labels, Sample } from '../collectors/metric.ts';
import { renderLabels, renderLine } from './render.ts';
import { type NewTexts, type PlaceInStore, SPAN, type TextStore } from './text-store.ts';

/**
 * The lines about one device, or about a station itself, that come of one target. They stay the same; where they
 * are changes: once they are on a page, they are kept there alone.
 */
export class UnitText {
  /** Absent for the station itself. */
  readonly deviceId: string | undefined;
  readonly series: number;
  /** In bytes. */
  readonly length: number;
  /** How many metrics have lines in it. */
  readonly metrics: number;
  #store: TextStore;
  #at: number;

  constructor({ deviceId, ends, series }: RenderedUnit, { store, at }: PlaceInStore) {
    this.deviceId = deviceId;
    this.series = series;
    this.length = ends.at(-1) ?? 0;
    this.metrics = ends.length / 2;
    this.#store = store;
    this.#at = at;
  }

  /** Visits the lines of each metric, in the order of the columns: the column, and where in which bytes they are. */
  eachMetric(visit: (column: number, bytes: Buffer, from: number, to: number) => void): void {
    const { bytes, spans } = this.#store;
    const end = this.#at + this.metrics * SPAN;
    for (let index = this.#at; index < end; index += SPAN)
      visit(spans[index] ?? 0, bytes, spans[index + 1] ?? 0, spans[index + 2] ?? 0);
  }

  /** Whether the lines are there still; whoever let go of the page that they are on has let go of them. */
  get isKept(): boolean {
    return this.#store.bytes.length > 0;
  }

  /** Takes note that the same lines are elsewhere as well, and lets go of where they were. */
  moveTo({ store, at }: PlaceInStore): void {
    this.#store = store;
    this.#at = at;
  }

  /** Lets go of where the lines are, and keeps a copy of them. */
  moveInto(texts: NewTexts): void {
    this.moveTo(texts.copy({ store: this.#store, at: this.#at }, this.metrics, this.length));
  }
}

/** What is rendered of a unit. */
interface RenderedUnit {
  readonly deviceId: string | undefined;
  /** In pairs: the column of a metric, and where its lines end. */
  readonly ends: readonly number[];
  readonly series: number;
}

/** Collects the samples of one target, metric after metric, and renders them for each device. */
export class UnitTextWriter {
  readonly #columns: ReadonlyMap<string, number>;
  readonly #units = new Map<string | undefined, { text: string; ends: number[]; series: number }>();
  #labels: Labels | undefined;
  #labelsText = '';
  #labelsBytes = 0;

  /** @param columns - the places of the metrics on the page; a metric without one is left out. */
  constructor(columns: ReadonlyMap<string, number>) {
    this.#columns = columns;
  }

  add({ name, labels, value }: Sample): void {
    const column = this.#columns.get(name);
    if (column === undefined) return;
    // The samples of a device share one labels object: its text is rendered once and not per metric.
    if (labels !== this.#labels) {
      this.#labels = labels;
      this.#labelsText = renderLabels(labels);
      this.#labelsBytes = Buffer.byteLength(this.#labelsText);
    }
    const deviceId = labels['device_id'];
    let unit = this.#units.get(deviceId);
    if (unit === undefined) {
      unit = { text: '', ends: [], series: 0 };
      this.#units.set(deviceId, unit);
    }
    const line = renderLine(name, this.#labelsText, value);
    const { ends } = unit;
    const startsAt = ends.at(-1) ?? 0;
    if (ends.at(-2) !== column) ends.push(column, startsAt);
    ends[ends.length - 1] = startsAt + line.length - this.#labelsText.length + this.#labelsBytes;
    unit.text += line;
    unit.series += 1;
  }

  /** Puts the lines of each device among the new texts, in the order in which they came. */
  *written(texts: NewTexts): Generator<UnitText> {
    for (const [deviceId, { text, ends, series }] of this.#units)
      yield new UnitText({ deviceId, ends, series }, texts.add(text, ends));
  }
}
