import { nextTurn } from '../../base/clock.ts';
import { Slices } from '../../base/turns.ts';
import type { Device, Station } from '../../model/station.ts';
import type { DeviceTarget } from '../collector.ts';
import type { FollowedTarget } from './followed.ts';

/** To follow one more device takes a run so long, and the collection of the garbage of that as well. */
const FOLLOW_MICROSECONDS = 3;

/** A run of which one target after the other is followed. */
export interface GrowingRun {
  forgetAllBut(ids: ReadonlySet<string>): void;
  followOne(id: string, followed: FollowedTarget<DeviceTarget>): void;
}

/**
 * Lets several runs follow the devices of a station, of which there may be thousands: those that have left are
 * forgotten at once, and the others are taken up in slices.
 */
export class Following {
  readonly #runs: readonly GrowingRun[];
  #running: Promise<void> | undefined;
  /** The devices of the last call; another list ends what is still going on for the one before. */
  #devices: readonly Device[] | undefined;

  constructor(runs: readonly GrowingRun[]) {
    this.#runs = runs;
  }

  /** Replaces the devices: known ones keep their caches, and missing ones are forgotten. */
  follow(station: Station, devices: readonly Device[]): void {
    const ids = new Set(devices.map(({ deviceId }) => deviceId));
    for (const run of this.#runs) run.forgetAllBut(ids);
    // An array of its own, because the same list may be taken up again.
    const own = [...devices];
    this.#devices = own;
    this.#running = this.#takeUp(station, own).finally(() => {
      if (this.#devices === own) this.#running = undefined;
    });
  }

  /** Resolves when all devices of the last call are followed; absent when they are. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  async #takeUp(station: Station, devices: readonly Device[]): Promise<void> {
    const slices = new Slices();
    for (const device of devices) {
      const { deviceId } = device;
      const followed = { target: { device, station }, labels: { device_id: deviceId } };
      for (const run of this.#runs) run.followOne(deviceId, followed);
      if (!slices.isOver(this.#runs.length * FOLLOW_MICROSECONDS)) continue;
      await nextTurn();
      if (this.#devices !== devices) return;
    }
  }
}
