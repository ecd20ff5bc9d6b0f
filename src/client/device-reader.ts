import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import type { FiringAlarm } from '../model/alarm.ts';
import type { DeviceReport } from '../model/readings.ts';
import type { ExplainedDialect } from './api.ts';
import type { AskedDevice, DeviceQuestions } from './device-questions.ts';
import type { LatestState } from './device-state.ts';
import { type Learnt, learnDialect, type Lesson } from './dialect-lesson.ts';
import type { FieldSample } from './dialects/field-sample.ts';
import { type Frame, missingQuantities, readFrame } from './dialects/frame.ts';
import type { RuleBook } from './dialects/rule-book.ts';
import { INTERFACE_KEYS } from './dialects/rules.ts';
import { withoutAbsent } from './dialects/self-description.ts';
import { LessonBook } from './lesson-book.ts';
import type { ServiceClock } from './service-clock.ts';

export interface DeviceReaderOptions {
  readonly questions: DeviceQuestions;
  readonly book: RuleBook;
  readonly clock: Clock;
  readonly random: () => number;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
}

/** What the interface's own keys need no learning for. */
const INTERFACE_DIALECT: DeviceReport['dialect'] = {
  family: 'classic',
  source: 'history',
  missing: [],
  unknownKeys: [],
};

/**
 * Reads devices, one request each: by the interface's keys where a device answers all of them, and
 * otherwise by what was learnt of it once.
 */
export class DeviceReader {
  readonly #options: DeviceReaderOptions;
  readonly #firstKeys: readonly string[];
  readonly #lessons: LessonBook;
  readonly #firing = new Map<string, readonly FiringAlarm[]>();

  constructor(options: DeviceReaderOptions) {
    this.#options = options;
    this.#firstKeys = [...new Set([...INTERFACE_KEYS, ...options.book.userKeys])];
    this.#lessons = new LessonBook(options);
  }

  /** The newest values of a device (interface endpoint 4). */
  async read(device: AskedDevice): Promise<DeviceReport> {
    const lesson = this.#lessons.current(device.deviceId);
    if (lesson === undefined) return this.#readFirst(device);
    try {
      const report = this.#report(await this.#readBy(lesson, device), dialectOf(lesson));
      this.#lessons.wasRead(device.deviceId, report);
      return report;
    } catch (error) {
      this.#lessons.couldNotBeRead(device.deviceId, error);
      // What came with the last reading does not outlast it: the list of alarms has to be asked.
      this.#firing.delete(device.deviceId);
      throw error;
    }
  }

  /** Learns a device's dialect anew, and tells everything that was seen. */
  async learn(device: AskedDevice): Promise<ExplainedDialect> {
    const { questions, serviceClock } = this.#options;
    const first = await questions.history(device, this.#firstKeys);
    return { ...(await this.#learn(device, first)), serviceNowMs: serviceClock.nowMs() };
  }

  /** The alarms that came with the last reading; absent for devices whose readings bring none. */
  firingAlarms(deviceId: string): readonly FiringAlarm[] | undefined {
    return this.#firing.get(deviceId);
  }

  async #readFirst(device: AskedDevice): Promise<DeviceReport> {
    const { questions, book } = this.#options;
    const first = await questions.history(device, this.#firstKeys);
    const speaker = { source: 'history', family: 'classic', model: device.model } as const;
    const frame = readFrame(first, speaker, book);
    const isComplete = missingQuantities(frame.measurements).length === 0;
    if (isComplete) {
      this.#firing.delete(device.deviceId);
      return this.#report(frame, INTERFACE_DIALECT);
    }
    const learnt = await this.#learn(device, first);
    const report = this.#report(learnt.frames[0], dialectOf(learnt.lesson));
    const lesson = this.#lessons.wasLearnt(device.deviceId, learnt, report);
    for (const deviceId of this.#firing.keys())
      if (this.#lessons.any(deviceId) === undefined) this.#firing.delete(deviceId);
    if (lesson === learnt.lesson) return report;
    return this.#report(await this.#readBy(lesson, device), dialectOf(lesson));
  }

  async #learn(device: AskedDevice, first: readonly FieldSample[]): Promise<Learnt> {
    const { questions, book } = this.#options;
    const previous = this.#lessons.any(device.deviceId);
    const teaching = { questions, book, firstKeys: this.#firstKeys };
    const learnt = await learnDialect(device, first, teaching, previous);
    this.#rememberAlarms(device, learnt.lesson, learnt.latest);
    return learnt;
  }

  async #readBy(lesson: Lesson, device: AskedDevice): Promise<Frame> {
    const { questions, book } = this.#options;
    const { source, family, tags, absentKeys } = lesson;
    const frame = (samples: readonly FieldSample[]): Frame =>
      readFrame(
        withoutAbsent(samples, absentKeys),
        { source, family, model: device.model },
        book,
        tags,
      );
    switch (source) {
      case 'history':
        return frame(await questions.history(device, lesson.keys));
      case 'flow':
        return frame(await questions.energyFlow(device));
      case 'latest': {
        const state = await questions.latestState(device);
        this.#rememberAlarms(device, lesson, state);
        return frame(state.samples);
      }
    }
  }

  /** Alarms come with every latest state, and with nothing else. */
  #rememberAlarms(
    { deviceId }: AskedDevice,
    { source }: Lesson,
    { firingAlarms, measuredAtMs }: Pick<LatestState, 'firingAlarms' | 'measuredAtMs'>,
  ): void {
    if (source !== 'latest') {
      this.#firing.delete(deviceId);
      return;
    }
    const { aheadMs } = this.#options.serviceClock;
    const observedAtMs = measuredAtMs === undefined ? undefined : measuredAtMs - aheadMs;
    const alarms = firingAlarms.map((alarm) => ({ ...alarm, deviceId, observedAtMs }));
    this.#firing.set(deviceId, alarms);
  }

  #report({ measurements }: Frame, dialect: DeviceReport['dialect']): DeviceReport {
    return {
      measurements,
      newestAtMs: newestOf(measurements),
      dialect,
      serviceAheadMs: this.#options.serviceClock.aheadMs,
    };
  }
}

function dialectOf({ family, source, missing, unknownKeys }: Lesson): DeviceReport['dialect'] {
  return { family: family ?? 'unknown', source, missing, unknownKeys };
}

function newestOf(measurements: DeviceReport['measurements']): number | undefined {
  let newestAtMs: number | undefined;
  for (const { measuredAtMs } of measurements)
    if (measuredAtMs !== undefined && measuredAtMs > (newestAtMs ?? -Infinity))
      newestAtMs = measuredAtMs;
  return newestAtMs;
}
