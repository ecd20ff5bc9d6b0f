import type { Clock } from '../../base/clock.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { ZonedCalendar } from '../../base/time-zone.ts';
import { familyModel } from '../families/families.ts';
import type { SimulatorOptions } from '../options.ts';
import { Fleet, type FleetDevice, type FleetStation, totalWeight } from '../physics/fleet.ts';
import { createInverter, type Inverter, type InverterState } from '../physics/inverter.ts';
import { deriveSeed } from '../physics/seeded.ts';
import { StationPlant } from '../physics/station-plant.ts';
import { DeviceContact } from './device-contact.ts';

const HOUR_MS = 3_600_000;

/** The tokens that a login or a refresh issued. */
export type TokenPair = Readonly<
  Record<'access' | 'refresh', { readonly text: string; expiresAtMs: number }>
>;

/** An alarm that a device raises. */
export interface Alarm {
  readonly key: string;
  readonly name?: string;
  /** 1 notice, 2 warning, 3 high. */
  readonly level: number;
}

/** One entry of the alarm list; an event has two. */
export interface AlarmRecord extends Alarm {
  readonly alarmId: string;
  readonly device: FleetDevice;
  readonly firedAtMs: number;
  /** Undefined while it fires. */
  readonly disappearedAtMs: number | undefined;
}

/** Settings in the specified form. */
export type FlatSettings = Readonly<Record<string, string | number | boolean>>;

/** One reading of settings from a device, which takes some seconds. */
export interface BatchRead {
  readonly id: string;
  readonly deviceId: string;
  /** Undefined: all. */
  readonly keys: readonly string[] | undefined;
  readonly startedAtMs: number;
}

/** Everything behind the endpoints: what the handlers read and change. */
export class World {
  readonly options: SimulatorOptions;
  readonly clock: Clock;
  readonly calendar: ZonedCalendar;
  readonly family: ReturnType<typeof familyModel>;
  readonly fleet: Fleet;
  readonly contact: DeviceContact;
  /** Those that are still valid; sessions exist side by side. */
  tokens: readonly TokenPair[] = [];
  /** How many pairs were issued. */
  granted = 0;
  readonly nonces = new Set<string>();
  /** All since the simulator's creation, newest first. */
  alarms: readonly AlarmRecord[] = [];
  /** What was set by device in the specified form, by device and key in the portal's; and what devices were asked. */
  readonly settings = {
    flat: new Map<string, FlatSettings>(),
    written: new Map<string, string>(),
    reads: [] as BatchRead[],
  };

  readonly #createdAtMs: number;
  /** The sun's instant at the creation. */
  readonly #sunMs: number;
  readonly #plants = new RecentMap<number, StationPlant>(MOST_REMEMBERED);
  readonly #inverters = new RecentMap<string, Inverter>(MOST_REMEMBERED);

  /** Throws RangeError when the zone is unknown. */
  constructor(options: SimulatorOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.calendar = new ZonedCalendar(options.timeZone);
    this.family = familyModel(options.family);
    this.fleet = new Fleet(options.seed, options.stations, options.devicesPerStation);
    this.contact = new DeviceContact(options, clock, this.calendar);
    this.#createdAtMs = clock.nowMs();
    const { startAtHour } = options;
    this.#sunMs =
      startAtHour === undefined
        ? this.#createdAtMs
        : this.calendar.dayPeriod(this.#createdAtMs).startsAtMs + startAtHour * HOUR_MS;
  }

  /** Tells the sun's instant at one of the clock: it moves `speed` times as fast, before the creation too. */
  physicalMs(clockMs: number): number {
    return this.#sunMs + (clockMs - this.#createdAtMs) * this.options.speed;
  }

  /** The plant of weight 1 that the station's devices are copies of. */
  plant({ plantSeed }: FleetStation): StationPlant {
    const drainFromMs = this.options.drain ? this.#sunMs : undefined;
    return this.#plants.getOrMake(
      plantSeed,
      () => new StationPlant(plantSeed, this.calendar, drainFromMs),
    );
  }

  /** Computes what a device measures at an instant of the clock. */
  inverterState(device: FleetDevice, clockMs: number): InverterState {
    const plant = this.plant(device.station);
    const physicalMs = this.physicalMs(clockMs);
    const inverter = this.#inverters.getOrMake(device.deviceId, () => {
      const seed = deriveSeed(device.station.seed, 'inverter', device.deviceId);
      const { weight, station } = device;
      const loadWeight = this.options.parallel ? totalWeight(station.devices) : weight;
      return createInverter(seed, weight, loadWeight);
    });
    return inverter(plant.stateAt(physicalMs), physicalMs, () => plant.countersAt(physicalMs));
  }
}
