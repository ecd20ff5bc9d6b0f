import { BATCH_READ_MS, type BatchRead, isFinished } from './batch-reads.ts';
import { onlineDevice } from '../device-lookup.ts';
import { settingObjects, takeUpFinishedRead } from './settings.ts';
import { illegalArgument, success, type Reply } from '../reply.ts';
import { jsonBody, optionalStrings, type ServiceRequest } from '../service-request.ts';
import type { World } from '../world.ts';

/** Starts a batch read (field notes 1.5); it ends ten seconds of the clock later. */
export function startBatchRead(request: ServiceRequest, world: World): Reply {
  const { deviceId } = onlineDevice(request, world);
  takeUpFinishedRead(deviceId, world);
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
    endAt: isOver ? new Date(startedAtMs + BATCH_READ_MS).toISOString() : null,
    error: null,
    isFinished: isOver,
    createdAt: startAt,
  };
}
