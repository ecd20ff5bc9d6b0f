import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { NoteDropped } from '../../base/limits.ts';
import { isOver, waitFor } from '../../base/not-before.ts';
import type { DeviceSettings } from '../../model/settings.ts';
import { decodeSettings } from './settings-wire.ts';
import { type AnswerTime, parse } from '../exchange/decode.ts';

const POLL_INTERVAL_MS = 2000;
const LONGEST_READ_MS = 60_000;

const startedSchema = z.object({
  id: z.union([z.string().trim().min(1), z.number().int()]).transform(String),
});
const detailsSchema = z.object({
  isFinished: z.boolean().catch(false),
  error: z.unknown().optional(),
  configAttributeStates: z.unknown().optional(),
});

/** The progress of a batch read; the settings are complete when it is finished. */
export interface SettingsRead {
  readonly isFinished: boolean;
  readonly settings: DeviceSettings;
}

/** The calls that a batch read needs. */
export interface BatchReads {
  startSettingsRead(deviceId: string): Promise<string>;
  fetchSettingsRead(batchReadId: string): Promise<SettingsRead>;
}

/** Decodes the id of a batch read that has just started (field notes 1.5). */
export function decodeBatchReadId(data: unknown, path: string): string {
  return parse(startedSchema, data, path).id;
}

/**
 * Decodes the progress of a batch read (field notes 1.5).
 *
 * @throws ServiceError `SERVICE_API_REFUSED` when it has finished with an error and without any setting.
 */
export function decodeBatchRead(
  data: unknown,
  path: string,
  time?: AnswerTime,
  noteDropped?: NoteDropped,
): SettingsRead {
  const { isFinished, error, configAttributeStates } = parse(detailsSchema, data, path);
  const settings = decodeSettings(configAttributeStates, path, time, noteDropped);
  const hasFailed = isFinished && settings.size === 0 && Boolean(error);
  if (hasFailed)
    throw new ServiceError(
      'SERVICE_API_REFUSED',
      `${path}: the device did not report its settings`,
    );
  return { isFinished, settings };
}

/**
 * Reads the settings from the device itself, which usually takes ten seconds and at most a minute. Call
 * it only when a person asks for it, because it occupies the inverter.
 *
 * @throws ServiceError `SERVICE_TIMEOUT` when the device has not answered within a minute.
 */
export async function readSettingsFromDevice(
  api: BatchReads,
  deviceId: string,
  clock: Clock,
): Promise<DeviceSettings> {
  const batchReadId = await api.startSettingsRead(deviceId);
  const patience = waitFor(LONGEST_READ_MS, clock.nowMs());
  while (!isOver(patience, clock.nowMs())) {
    await clock.sleep(POLL_INTERVAL_MS);
    const { isFinished, settings } = await api.fetchSettingsRead(batchReadId);
    if (isFinished) return settings;
  }
  const waitedSeconds = LONGEST_READ_MS / 1000;
  throw new ServiceError(
    'SERVICE_TIMEOUT',
    `device ${deviceId} has not reported its settings within ${waitedSeconds} s`,
  );
}
