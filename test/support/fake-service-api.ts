import type {
  EnergiesByPeriod,
  ExplainedDialect,
  PastQuery,
  Patience,
  Period,
  ServiceApi,
  SettingsRead,
  StationAlarms,
} from '../../src/client/api.ts';
import type { Page } from '../../src/client/exchange/paging.ts';
import { ServiceError, type ServiceErrorCode } from '../../src/base/errors.ts';
import type { FiringAlarm } from '../../src/model/station.ts';
import type { DailyEnergy, YearlyEnergy } from '../../src/model/energy.ts';
import type { MonthlyEnergy } from '../../src/model/month.ts';
import type { DeviceReport, PastReading, Readings } from '../../src/model/readings.ts';
import {
  type DeviceSettings,
  flatSetting,
  type Setting,
  type SettingValue,
} from '../../src/model/settings.ts';
import type { Device, Station } from '../../src/model/station.ts';
import { type Deferred, deferred } from './deferred.ts';
import { reportOf } from './device-report.ts';

/** A call and what it is about: `readings inverter-1`, `summary house`, or `stations`. */
export type Question =
  | 'stations'
  | `${'devices' | 'device' | 'readings' | 'past' | 'energies' | 'alarms' | 'summary' | 'days' | 'years' | 'settings-get'} ${string}`;

/** A service without a client: answers from its fields, and misbehaves when told to. */
export class FakeServiceApi implements ServiceApi {
  /** Every question so far, in order. */
  readonly questions: Question[] = [];
  /** The devices that may be forgotten, in order. */
  readonly forgotten: string[] = [];
  /** The time zone that came with the last question, by question. */
  readonly timeZones = new Map<Question, string | undefined>();
  stations: readonly Station[] = [];
  readonly devices = new Map<string, readonly Device[]>();
  /** The records of devices, by id, for whoever asks for one. */
  readonly records = new Map<string, Device>();
  readings: Readings = { pvPowerWatts: 1500, acOutputPowerWatts: 700 };
  /** The time of the service. */
  serviceNowMs = (): number => Date.parse('2026-08-24T08:00:00Z');
  /** Instead of what the readings amount to. */
  report: DeviceReport | undefined;
  /** Every reading of every device. */
  past: readonly PastReading[] = [];
  /** How many of them are a page. */
  pastPageLength = 2000;
  /** By period; the same for all stations. */
  pastEnergies: Readonly<Record<Period, EnergiesByPeriod>> = {
    day: new Map(),
    month: new Map(),
    year: new Map(),
  };
  alarms: readonly FiringAlarm[] = [];
  month: MonthlyEnergy = {
    pvGeneratedKwh: 300,
    gridImportKwh: 100,
    consumptionKwh: 400,
    solarRatio: 0.75,
    startsAtMs: Date.parse('2026-08-01T00:00:00+08:00'),
    endsAtMs: Date.parse('2026-09-01T00:00:00+08:00'),
  };
  days: DailyEnergy = {
    today: { pvGeneratedKwh: 12.5, consumptionKwh: 9 },
    yesterday: { pvGeneratedKwh: 20, gridImportKwh: 0 },
    endsAtMs: Date.parse('2026-08-25T00:00:00+08:00'),
  };
  years: YearlyEnergy = {
    year: { pvGeneratedKwh: 2400 },
    lifetime: { pvGeneratedKwh: 7100.5 },
    endsAtMs: Date.parse('2027-01-01T00:00:00+08:00'),
  };
  /** Bare values stand for settings of the flat form. */
  settings: ReadonlyMap<string, Setting | SettingValue> = new Map([['operatingMode', 'Self-Use']]);
  readonly #overrides = new Map<Question, () => Promise<unknown>>();

  /** Answers a question differently from now on. */
  answer(question: Question, answer: () => Promise<unknown>): void {
    this.#overrides.set(question, answer);
  }

  /** Fails at a question from now on. */
  fail(question: Question, code: ServiceErrorCode, retryAfterMs?: number): void {
    this.answer(question, () => Promise.reject(new ServiceError(code, question, { retryAfterMs })));
  }

  /** Leaves a question open from now on, until the test settles it. */
  hang(question: Question): Deferred<unknown> {
    const reply = deferred<unknown>();
    this.answer(question, () => reply.promise);
    return reply;
  }

  /** Answers a question as before all that. */
  recover(question: Question): void {
    this.#overrides.delete(question);
  }

  /** How often each question was asked. */
  get counts(): Partial<Record<Question, number>> {
    const counts: Partial<Record<Question, number>> = {};
    for (const question of this.questions) counts[question] = (counts[question] ?? 0) + 1;
    return counts;
  }

  count(question: Question): number {
    return this.counts[question] ?? 0;
  }

  listStations(): Promise<readonly Station[]> {
    return this.#reply('stations', () => this.stations);
  }

  listDevices(stationId: string): Promise<readonly Device[]> {
    return this.#reply(`devices ${stationId}`, () => this.devices.get(stationId) ?? []);
  }

  fetchDevice(deviceId: string): Promise<Device | undefined> {
    return this.#reply(`device ${deviceId}`, () => this.records.get(deviceId));
  }

  fetchReadings(deviceId: string, timeZone?: string): Promise<DeviceReport> {
    this.timeZones.set(`readings ${deviceId}`, timeZone);
    return this.#reply(`readings ${deviceId}`, () => this.report ?? reportOf(this.readings));
  }

  fetchAlarms(stationId: string, deviceIds: readonly string[]): Promise<StationAlarms> {
    return this.#reply(`alarms ${stationId}`, () => ({
      alarms: this.alarms.filter(({ deviceId }) => deviceIds.includes(deviceId)),
    }));
  }

  async *fetchPastReadings(
    { deviceId, fromMs, toMs, timeZone, passedOver = () => 0 }: PastQuery,
    patiently: Patience = (ask) => ask(),
  ): AsyncGenerator<readonly PastReading[]> {
    this.timeZones.set(`past ${deviceId}`, timeZone);
    const asked = this.past.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    for (let index = 0; index === 0 || index < asked.length; index += this.pastPageLength)
      yield await patiently(() =>
        this.#reply(`past ${deviceId}`, () => {
          const page = asked.slice(index, index + this.pastPageLength);
          return withoutPassedOver(page, passedOver(page.map(({ atMs }) => atMs)));
        }),
      );
  }

  fetchPastEnergies(
    stationId: string,
    _timeZone: string | undefined,
    period: Period,
    of: string,
  ): Promise<EnergiesByPeriod> {
    return this.#reply(
      `energies ${stationId} ${of}`,
      () =>
        new Map(
          [...this.pastEnergies[period]].filter(
            ([name]) => period === 'year' || name.startsWith(of),
          ),
        ),
    );
  }

  forgetDevice(deviceId: string): void {
    this.forgotten.push(deviceId);
  }

  learnDialect(): Promise<ExplainedDialect> {
    return notForCollectors();
  }

  fetchMonthlyEnergy(stationId: string, timeZone?: string): Promise<MonthlyEnergy> {
    this.timeZones.set(`summary ${stationId}`, timeZone);
    return this.#reply(`summary ${stationId}`, () => this.month);
  }

  fetchDailyEnergy(stationId: string, timeZone?: string): Promise<DailyEnergy> {
    this.timeZones.set(`days ${stationId}`, timeZone);
    return this.#reply(`days ${stationId}`, () => this.days);
  }

  fetchYearlyEnergy(stationId: string): Promise<YearlyEnergy> {
    return this.#reply(`years ${stationId}`, () => this.years);
  }

  fetchSettings(deviceId: string): Promise<DeviceSettings> {
    return this.#reply(`settings-get ${deviceId}`, () => this.#settings());
  }

  authenticate(): Promise<void> {
    return notForCollectors();
  }

  listDevicePage(): Promise<Page<Device>> {
    return notForCollectors();
  }

  changeSettings(): Promise<void> {
    return notForCollectors();
  }

  startSettingsRead(): Promise<string> {
    return notForCollectors();
  }

  fetchSettingsRead(): Promise<SettingsRead> {
    return notForCollectors();
  }

  #settings(): DeviceSettings {
    return new Map(
      [...this.settings].map(([name, held]) => [
        name,
        typeof held === 'object' ? held : flatSetting(held),
      ]),
    );
  }

  async #reply<T>(question: Question, usual: () => T): Promise<T> {
    this.questions.push(question);
    const override = this.#overrides.get(question);
    return override === undefined ? usual() : ((await override()) as T);
  }
}

function notForCollectors(): Promise<never> {
  return Promise.reject(new Error('no collector asks this'));
}

/** Leaves out the first of these readings; their times are said by the one that follows them. */
function withoutPassedOver(page: readonly PastReading[], count: number): readonly PastReading[] {
  const [first, ...rest] = page.slice(count);
  if (first === undefined) return [];
  const timesAtMs = page.slice(0, count + 1).map(({ atMs }) => atMs);
  return [{ ...first, report: { ...first.report, timesAtMs } }, ...rest];
}
