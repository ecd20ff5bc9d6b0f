import type { DeviceReadings, Span } from '../reading-gaps.ts';

/** What the service does not have of a device, oldest first. */
export interface DeviceGaps {
  readonly deviceId: string;
  readonly gaps: readonly Span[];
}

/** Collects the gaps of devices part by part; a gap that goes on in the next part is one. */
export class GapsByDevice {
  readonly #gaps = new Map<string, Span[]>();

  /** Adds what was found of devices in a part; the parts of a device come in ascending order of time. */
  add(readings: readonly DeviceReadings[]): void {
    for (const { deviceId, gaps } of readings) {
      const known = this.#gaps.get(deviceId) ?? [];
      for (const gap of gaps) {
        const before = known.at(-1);
        if (before?.toMs === gap.fromMs)
          known[known.length - 1] = { fromMs: before.fromMs, toMs: gap.toMs };
        else known.push(gap);
      }
      this.#gaps.set(deviceId, known);
    }
  }

  /** Returns the devices that have any. */
  all(): readonly DeviceGaps[] {
    return Array.from(this.#gaps, ([deviceId, gaps]) => ({ deviceId, gaps })).filter(
      ({ gaps }) => gaps.length > 0,
    );
  }
}
