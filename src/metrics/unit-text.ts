import type { Labels, Sample } from '../collectors/metric.ts';
import { renderLabels, renderLine } from './render.ts';

/** The lines about one device, or about a station itself, that come of one target. Nobody changes them. */
export interface UnitText {
  /** Absent for the station itself. */
  readonly deviceId: string | undefined;
  /** The lines, metric after metric. */
  readonly bytes: Buffer;
  /** In pairs: the column of a metric, and where its lines end in `bytes`. Metrics without lines are left out. */
  readonly ends: Uint32Array;
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

  /** Returns the lines of each device, in the order in which they came. */
  *written(): Generator<UnitText> {
    for (const [deviceId, { text, ends, series }] of this.#units) {
      const bytes = Buffer.allocUnsafeSlow(ends.at(-1) ?? 0);
      bytes.write(text);
      yield { deviceId, bytes, ends: Uint32Array.from(ends), series };
    }
  }
}
