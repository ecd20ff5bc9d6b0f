import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { DeviceReport } from '../model/readings.ts';
import type { Learnt, Lesson } from './dialect-lesson.ts';
import { isFinalRefusal } from './retry.ts';

/** Vendors change what a model sends with its firmware; a day of a wrong unit would be long enough. */
const LESSON_MS = 24 * 3_600_000;
/** Devices that were met together do not all ask again together. */
const SPREAD_RATIO = 0.1;
/** A look that failed for the moment is repeated after so long, time after time. */
const REPEATS_MS = [10 * 60_000, 3_600_000, LESSON_MS] as const;
/** A device that has never said anything may start to, at any of the places it was looked for. */
const SILENT_LESSON_MS = 3_600_000;
/** Younger readings mean that the device is there. */
const LIVE_MS = 3_600_000;

interface Entry {
  readonly lesson: Lesson;
  /** Looks in a row that something failed at. */
  readonly failures: number;
  readonly learntAtMs: number;
  dueAtMs: number;
  /** Learnt from a device that was not there: where it is read best shows when it comes back. */
  readonly isProvisional: boolean;
}

export interface LessonBookOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** What was learnt of every device, and when to learn it again. */
export class LessonBook {
  readonly #options: LessonBookOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #reportedUnknown = new Set<string>();

  constructor(options: LessonBookOptions) {
    this.#options = options;
  }

  /** What is known of a device; absent when nothing is, and when it is to be learnt again. */
  current(deviceId: string): Lesson | undefined {
    const entry = this.#entries.get(deviceId);
    if (entry === undefined || this.#options.clock.nowMs() >= entry.dueAtMs) return undefined;
    return entry.lesson;
  }

  /** What was last known of a device, however long ago. */
  any(deviceId: string): Lesson | undefined {
    return this.#entries.get(deviceId)?.lesson;
  }

  /**
   * Takes up what was learnt and returns what counts from now on: what was known before, where a look
   * that failed for the moment taught no more than that.
   */
  wasLearnt(deviceId: string, learnt: Learnt, report: DeviceReport): Lesson {
    const { clock } = this.#options;
    const previous = this.#entries.get(deviceId);
    const isToBeRepeated = learnt.isInconclusive || learnt.lesson.lostPlace !== undefined;
    const failures = isToBeRepeated ? (previous?.failures ?? 0) + 1 : 0;
    const isKnownBetter = learnt.isInconclusive && !learnt.isPlaceGone;
    const lesson = isKnownBetter ? better(learnt.lesson, previous?.lesson) : learnt.lesson;
    this.#entries.set(deviceId, {
      lesson,
      failures,
      learntAtMs: clock.nowMs(),
      dueAtMs: clock.nowMs() + this.#pauseMs(failures, report),
      isProvisional: !this.#isLive(report),
    });
    this.#tell(deviceId, lesson, learnt.isInconclusive, previous?.lesson);
    this.#forgetDeparted();
    return lesson;
  }

  /** A device that has come back is learnt again at its next reading. */
  wasRead(deviceId: string, report: DeviceReport): void {
    const entry = this.#entries.get(deviceId);
    if (entry?.isProvisional === true && this.#isLive(report))
      entry.dueAtMs = this.#options.clock.nowMs();
  }

  /** A place that refuses what it used to answer is no place to go on asking for a day. */
  couldNotBeRead(deviceId: string, error: unknown): void {
    const entry = this.#entries.get(deviceId);
    if (entry === undefined || !isFinalRefusal(error)) return;
    const [soonest] = REPEATS_MS;
    const lookAtMs = Math.max(this.#options.clock.nowMs(), entry.learntAtMs + soonest);
    entry.dueAtMs = Math.min(entry.dueAtMs, lookAtMs);
  }

  /** A device that is still there was learnt again soon after it was due. */
  #forgetDeparted(): void {
    const longAgoMs = this.#options.clock.nowMs() - LESSON_MS;
    for (const [deviceId, { dueAtMs }] of this.#entries)
      if (dueAtMs < longAgoMs) {
        this.#entries.delete(deviceId);
        this.#reportedUnknown.delete(deviceId);
      }
  }

  #pauseMs(failures: number, { measurements }: DeviceReport): number {
    const spread = 1 + SPREAD_RATIO * (2 * this.#options.random() - 1);
    if (failures > 0) return (REPEATS_MS[failures - 1] ?? LESSON_MS) * spread;
    return (measurements.length === 0 ? SILENT_LESSON_MS : LESSON_MS) * spread;
  }

  #isLive({ measurements, newestAtMs, serviceAheadMs }: DeviceReport): boolean {
    if (measurements.length === 0) return false;
    const serviceNowMs = this.#options.clock.nowMs() + serviceAheadMs;
    return newestAtMs === undefined || serviceNowMs - newestAtMs < LIVE_MS;
  }

  #tell(
    deviceId: string,
    lesson: Lesson,
    isInconclusive: boolean,
    previous: Lesson | undefined,
  ): void {
    const { log } = this.#options;
    const { family, source, missing, unknownKeys, hasNoEnergyFlow } = lesson;
    const labels = { device_id: deviceId };
    if (hasNoEnergyFlow && previous?.hasNoEnergyFlow !== true)
      log.info(labels, 'the service has no energy flow for this device; it is not asked again');
    if (family === undefined && !isInconclusive && !this.#reportedUnknown.has(deviceId)) {
      this.#reportedUnknown.add(deviceId);
      log.warn(
        { ...labels, unknown_keys: unknownKeys.length },
        'nobody has described this inverter family: "solar-exporter devices --explain" prints what it sends',
      );
    }
    if (previous?.family !== family || previous?.source !== source)
      log.debug(
        { ...labels, family: family ?? 'unknown', source, missing: missing.length },
        'dialect learnt',
      );
  }
}

/** The lesson that leaves less unknown; the known one, if it is the same. */
function better(learnt: Lesson, known: Lesson | undefined): Lesson {
  if (known === undefined || learnt.missing.length < known.missing.length) return learnt;
  return { ...known, hasNoEnergyFlow: known.hasNoEnergyFlow || learnt.hasNoEnergyFlow };
}
