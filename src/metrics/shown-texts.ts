import { nextTurn } from '../base/clock.ts';
import type { Slices } from '../base/turns.ts';
import type { MetricDefinition } from '../collectors/metric.ts';
import type { Shown } from '../collectors/target.ts';
import type { NewTexts } from './text-store.ts';
import { type UnitText, UnitTextWriter } from './unit-text.ts';

/** A line takes so long to render. */
const LINE_MICROSECONDS = 2;

/** Renders what is shown of targets, and keeps the text of each until something else is shown of it. */
export class ShownTexts {
  readonly definitions: readonly MetricDefinition[];
  readonly #columns: ReadonlyMap<string, number>;
  readonly #texts = new WeakMap<Shown, readonly UnitText[]>();

  /** @param definitions - the metrics of the page in their order. */
  constructor(definitions: readonly MetricDefinition[]) {
    this.definitions = definitions;
    this.#columns = new Map(definitions.map(({ name }, column) => [name, column]));
  }

  /** Returns the lines of what is shown, where they have been rendered and are kept. */
  known(shown: Shown): readonly UnitText[] | undefined {
    const texts = this.#texts.get(shown);
    return texts?.every(({ isKept }) => isKept) === true ? texts : undefined;
  }

  /** Renders the lines of what is shown, and puts them among the new texts. */
  async render(
    shown: Shown,
    newTexts: NewTexts,
    slices: Slices,
  ): Promise<readonly UnitText[]> {
    const writer = new UnitTextWriter(this.#columns);
    for (const sample of shown.samples()) {
      writer.add(sample);
      if (slices.isOver(LINE_MICROSECONDS)) await nextTurn();
    }
    const texts: UnitText[] = [];
    for (const text of writer.written(newTexts)) {
      texts.push(text);
      if (slices.isOver(LINE_MICROSECONDS)) await nextTurn();
    }
    // A list that has grown has room to spare.
    this.#texts.set(shown, [...texts]);
    return texts;
  }

  /** Counts the series of what is shown, without rendering them, and keeps no lines of it. */
  async count(shown: Shown, slices: Slices): Promise<number> {
    this.#texts.delete(shown);
    let series = 0;
    for (const { name } of shown.samples()) {
      if (this.#columns.has(name)) series += 1;
      if (slices.isOver(LINE_MICROSECONDS)) await nextTurn();
    }
    return series;
  }
}
