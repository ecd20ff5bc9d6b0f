import type { Clock } from '../../base/clock.ts';
import { printable } from '../../base/shown.ts';
import type { PastPage } from '../../history/collect-month.ts';
import type { PlannedPart, RunObserver } from '../../history/run/run-history.ts';

/** Shows how far a run has come. */
export interface ProgressView {
  /** @param doneMs - of the time of all devices together. */
  readonly show: (doneMs: number, what: string) => void;
  /** Shows a line that stays. */
  readonly say: (line: string) => void;
  readonly end: () => void;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Returns how much time all devices of a plan have together. */
export function lengthOf(plan: readonly PlannedPart[]): number {
  let totalMs = 0;
  for (const { part, devices } of plan) totalMs += (part.toMs - part.fromMs) * devices.length;
  return totalMs;
}

/** Follows a run, and shows its progress with every page that comes. */
export function observerFor(view: ProgressView): RunObserver {
  let beforeMs = 0;
  const what = ({ part: { station, month } }: PlannedPart): string =>
    `${printable(station.name ?? station.stationId)} ${month}`;
  const lengthOfOne = ({ part }: PlannedPart): number => part.toMs - part.fromMs;
  return {
    partBegan: (planned) => view.show(beforeMs, what(planned)),
    pageRead: (planned, { deviceId, lastAtMs }: PastPage) => {
      const devicesBefore = planned.devices.findIndex((device) => device.deviceId === deviceId);
      const ofDeviceMs = Math.max(
        0,
        Math.min(lastAtMs - planned.part.fromMs, lengthOfOne(planned)),
      );
      view.show(beforeMs + devicesBefore * lengthOfOne(planned) + ofDeviceMs, what(planned));
    },
    partEnded: (planned) => {
      beforeMs += lengthOf([planned]);
      view.show(beforeMs, what(planned));
    },
  };
}

/** Shows progress as a line a minute, where no terminal is. */
export function progressLines(
  totalMs: number,
  clock: Pick<Clock, 'nowMs'>,
  complain: (text: string) => void,
): ProgressView {
  let saidAtMs = clock.nowMs();
  return {
    show: (doneMs, what) => {
      if (clock.nowMs() - saidAtMs < MINUTE_MS) return;
      saidAtMs = clock.nowMs();
      complain(`solar-exporter: ${percent(doneMs, totalMs)}, at ${what}\n`);
    },
    say: (line) => complain(`${line}\n`),
    end: () => undefined,
  };
}

function percent(doneMs: number, totalMs: number): string {
  return `${Math.floor((100 * doneMs) / totalMs)} % of ${days(totalMs)} days`;
}

/** Returns a length in days, rounded up. */
export function days(lengthMs: number): number {
  return Math.ceil(lengthMs / DAY_MS);
}
