import { onlineDevice } from './device-lookup.ts';
import { settingObjects } from './portal-settings.ts';
import { CODES, illegalArgument, Refusal, success, type Reply } from './reply.ts';
import { jsonBody, optionalStrings, type ServiceRequest } from './service-request.ts';
import type { World } from './world.ts';

const DURATION_MS = 10_000;

/** One reading of settings from a device, which takes its time. */
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

  find(batchReadId: string): BatchRead | undefined {
    return [...this.#byDevice.values()].find((read) => read.batchReadId === batchReadId);
  }
}

/** Starts a batch read (field notes 1.5); it ends ten seconds of the clock later. */
export function startBatchRead(request: ServiceRequest, world: World): Reply {
  const { deviceId } = onlineDevice(request, world);
  const keys = optionalStrings(jsonBody(request), 'keys');
  const nowMs = world.clock.nowMs();
  return success(batchRecord(world.batchReads.start(deviceId, keys, nowMs), nowMs));
}

/** Shows how far a batch read has come; the settings are there once it has finished. */
export function batchReadDetails({ query }: ServiceRequest, world: World): Reply {
  const read = world.batchReads.find(query.get('batchReadId') ?? '');
  if (read === undefined) throw illegalArgument('batchReadId');
  const nowMs = world.clock.nowMs();
  return success({
    ...batchRecord(read, nowMs),
    configAttributeStates: isFinished(read, nowMs)
      ? settingObjects(read.deviceId, read.keys, world)
      : {},
  });
}

function batchRecord(read: BatchRead, nowMs: number): Readonly<Record<string, unknown>> {
  const { batchReadId, deviceId, keys, startedAtMs } = read;
  const startAt = new Date(startedAtMs).toISOString();
  const isOver = isFinished(read, nowMs);
  return {
    id: batchReadId,
    deviceId,
    scene: 1,
    requestKeys: keys ?? null,
    targetConfig: null,
    startAt,
    endAt: isOver ? new Date(startedAtMs + DURATION_MS).toISOString() : null,
    error: null,
    isFinished: isOver,
    createdAt: startAt,
  };
}

function isFinished({ startedAtMs }: BatchRead, nowMs: number): boolean {
  return nowMs >= startedAtMs + DURATION_MS;
}
