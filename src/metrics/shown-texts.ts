import { nextTurn } from '../base/clock.ts';
import type { MetricDefinition } from '../collectors/metric.ts';
import type { ShownSamples } from '../collectors/run/shown-target.ts';
import type { Slices } from './slices.ts';
import { type UnitText, UnitTextWriter } from './unit-text.ts';

/** Renders what is shown of targets, and keeps the text of each until something else is shown of it. */
export class ShownTexts {
  readonly definitions: readonly MetricDefinition[];
  readonly #columns: ReadonlyMap<string, number>;
  readonly #texts = new WeakMap<ShownSamples, readonly UnitText[]>();

  /** @param definitions - the metrics of the page in their order. */
  constructor(definitions: readonly MetricDefinition[]) {
    this.definitions = definitions;
    this.#columns = new Map(definitions.map(({ name }, column) => [name, column]));
  }

  /** Returns the lines of what is shown, where they have been rendered. */
  known(shown: ShownSamples): readonly UnitText[] | undefined {
    return this.#texts.get(shown);
  }

  /** Renders the lines of what is shown. */
  async render(shown: ShownSamples, slices: Slices): Promise<readonly UnitText[]> {
    const writer = new UnitTextWriter(this.#columns);
    for (const sample of shown.samples()) {
      writer.add(sample);
      if (slices.isOver(1)) await nextTurn();
    }
    const texts: UnitText[] = [];
    for (const text of writer.written()) {
      texts.push(text);
      if (slices.isOver(1)) await nextTurn();
    }
    this.#texts.set(shown, texts);
    return texts;
  }

  /** Counts the series of what is shown, without rendering them. */
  async count(shown: ShownSamples, slices: Slices): Promise<number> {
    let series = 0;
    for (const { name } of shown.samples()) {
      if (this.#columns.has(name)) series += 1;
      if (slices.isOver(1)) await nextTurn();
    }
    return series;
  }
}
