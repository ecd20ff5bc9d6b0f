import type { DeviceReport } from '../../src/model/readings.ts';
import { reportOf } from './device-report.ts';

/** How a logger and the service behave, by the true time. */
export interface LoggerBehaviour {
  readonly intervalMs: number;
  /** How long a reading takes until the service answers with it; by its number, where that differs. */
  readonly lagMs: number | ((reading: number) => number);
  /** How far the clock that dates the readings is ahead of the true time. */
  readonly stampsAheadMs?: number;
  /** When the first reading is measured. */
  readonly startsAtMs: number;
  /** When the logger stops to measure. */
  readonly diesAtMs?: number;
  /** Numbers of readings that never arrive. */
  readonly lost?: ReadonlySet<number>;
}

/** A logger that measures at fixed intervals and reports late. */
export class VirtualLogger {
  readonly #behaviour: LoggerBehaviour;

  constructor(behaviour: LoggerBehaviour) {
    this.#behaviour = behaviour;
  }

  /** Returns when the readings that are known at an instant were measured, by their own clock, ascending. */
  stampsAtMs(nowMs: number, newest: number): readonly number[] {
    const { diesAtMs = Infinity, stampsAheadMs = 0, lost } = this.#behaviour;
    const stampsAtMs: number[] = [];
    let number = this.#numberAt(Math.min(nowMs, diesAtMs));
    for (; number >= 0 && stampsAtMs.length < newest; number -= 1)
      if (this.#arrivalAtMs(number) <= nowMs && lost?.has(number) !== true)
        stampsAtMs.unshift(this.#measuredAtMs(number) + stampsAheadMs);
    return stampsAtMs;
  }

  /** Returns when, from an instant on, readings arrive. */
  *arrivalsAtMs(fromMs: number, untilMs: number): Generator<number> {
    const lastNumber = this.#numberAt(untilMs);
    for (let number = 0; number <= lastNumber; number += 1) {
      const atMs = this.#arrivalAtMs(number);
      if (atMs >= fromMs && atMs < untilMs) yield atMs;
    }
  }

  /** Returns the report of what is known at an instant: of the latest state, or of a time series. */
  reportAt(nowMs: number, serviceAheadMs: number, isSeries = false): DeviceReport {
    const stampsAtMs = this.stampsAtMs(nowMs, isSeries ? 6 : 1);
    const measuredAtMs = stampsAtMs.at(-1);
    const readings = measuredAtMs === undefined ? {} : { pvPowerWatts: 1500, measuredAtMs };
    return reportOf(readings, { serviceAheadMs, ...(isSeries && { timesAtMs: stampsAtMs }) });
  }

  #numberAt(nowMs: number): number {
    const { intervalMs, startsAtMs } = this.#behaviour;
    return Math.floor((nowMs - startsAtMs) / intervalMs);
  }

  #measuredAtMs(number: number): number {
    const { intervalMs, startsAtMs } = this.#behaviour;
    return startsAtMs + number * intervalMs;
  }

  #arrivalAtMs(number: number): number {
    const { lagMs } = this.#behaviour;
    return this.#measuredAtMs(number) + (typeof lagMs === 'number' ? lagMs : lagMs(number));
  }
}
