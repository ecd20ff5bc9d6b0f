import { CODES, Refusal } from '../reply.ts';

/** How long a device takes to report its settings. */
export const BATCH_READ_MS = 10_000;

/** One reading of settings from a device, which takes some seconds. */
export interface BatchRead {
  readonly batchReadId: string;
  readonly deviceId: string;
  /** Undefined: all. */
  readonly keys: readonly string[] | undefined;
  readonly startedAtMs: number;
}

/** Remembers the newest batch read of each device. */
export class BatchReads {
  readonly #byDevice = new Map<string, BatchRead>();
  readonly #taken = new WeakSet<BatchRead>();
  #started = 0;

  /** Starts one; throws code 70021 while the device is still busy with another. */
  start(deviceId: string, keys: readonly string[] | undefined, nowMs: number): BatchRead {
    const previous = this.#byDevice.get(deviceId);
    if (previous !== undefined && !isFinished(previous, nowMs))
      throw new Refusal(CODES.tooManyReads, 'read too frequently');
    this.#started += 1;
    const batchReadId = `7${String(this.#started).padStart(17, '0')}`;
    const read = { batchReadId, deviceId, keys, startedAtMs: nowMs };
    this.#byDevice.set(deviceId, read);
    return read;
  }

  /** Takes out a device's read once it has finished: it is taken out once. */
  takeFinished(deviceId: string, nowMs: number): BatchRead | undefined {
    const read = this.#byDevice.get(deviceId);
    if (read === undefined || this.#taken.has(read) || !isFinished(read, nowMs)) return undefined;
    this.#taken.add(read);
    return read;
  }

  find(batchReadId: string): BatchRead | undefined {
    return [...this.#byDevice.values()].find((read) => read.batchReadId === batchReadId);
  }
}

/** Whether a device has reported everything by then. */
export function isFinished({ startedAtMs }: BatchRead, nowMs: number): boolean {
  return nowMs >= startedAtMs + BATCH_READ_MS;
}
