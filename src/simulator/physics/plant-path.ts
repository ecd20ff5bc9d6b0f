import { NO_ENERGY, type EnergyTotals } from './energy.ts';
import {
  advancePlant,
  plantState,
  type PlantInputs,
  type PlantProgress,
  type PlantState,
} from './plant.ts';

// One kept step in thirty: a month of minutes stays small, and at most 29 steps are walked again.
const STEPS_PER_CHECKPOINT = 30;

const START: PlantProgress = { socRatio: 0.5, ...NO_ENERGY };

/** The sun and the house at an instant. */
export type PlantInputsAt = (atMs: number) => PlantInputs;

/**
 * Walks a plant from a start, half charged, in equal steps. The SOC depends on all that came before,
 * so the path is walked only as far as it is asked for and remembered at checkpoints.
 */
export class PlantPath {
  readonly #inputsAt: PlantInputsAt;
  readonly #startMs: number;
  readonly #stepMs: number;
  readonly #checkpoints: PlantProgress[] = [START];

  constructor(inputsAt: PlantInputsAt, startMs: number, stepMs: number) {
    this.#inputsAt = inputsAt;
    this.#startMs = startMs;
    this.#stepMs = stepMs;
  }

  /** Computes the flows of the step that holds the instant. */
  stateAt(atMs: number): PlantState {
    const step = this.#stepHolding(atMs);
    const { socRatio } = this.#progressAt(step);
    return plantState(this.#inputsAt(this.#stepStartMs(step)), socRatio, this.#stepMs);
  }

  /** Sums the energy from the start to the beginning of the step that holds the instant. */
  totalsAt(atMs: number): EnergyTotals {
    return this.#progressAt(this.#stepHolding(atMs));
  }

  #progressAt(step: number): PlantProgress {
    const checkpoint = Math.floor(step / STEPS_PER_CHECKPOINT);
    for (let last = this.#checkpoints.length - 1; last < checkpoint; last += 1) {
      this.#checkpoints.push(this.#walk(last * STEPS_PER_CHECKPOINT, STEPS_PER_CHECKPOINT));
    }
    const from = checkpoint * STEPS_PER_CHECKPOINT;
    return this.#walk(from, step - from);
  }

  /** Walks `count` steps from a step that has a checkpoint. */
  #walk(fromStep: number, count: number): PlantProgress {
    let progress = this.#checkpoints[fromStep / STEPS_PER_CHECKPOINT] ?? START;
    for (let step = fromStep; step < fromStep + count; step += 1) {
      progress = advancePlant(progress, this.#inputsAt(this.#stepStartMs(step)), this.#stepMs);
    }
    return progress;
  }

  #stepHolding(atMs: number): number {
    return Math.floor((atMs - this.#startMs) / this.#stepMs);
  }

  #stepStartMs(step: number): number {
    return this.#startMs + step * this.#stepMs;
  }
}
