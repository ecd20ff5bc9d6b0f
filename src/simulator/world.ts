import type { Clock } from '../clock.ts';
import { Fleet, type FleetDevice, type FleetStation } from './fleet.ts';
import { SignatureCheck } from './login-signature.ts';
import type { SimulatorOptions } from './options.ts';
import { createPhysicalTime, type PhysicalTime } from './physical-time.ts';
import { scalePlantState, type PlantState } from './plant.ts';
import { SettingsStore } from './settings-store.ts';
import { StationCalendar } from './station-calendar.ts';
import { StationPlant } from './station-plant.ts';
import { TimeZones } from './time-zones.ts';
import { TokenBook } from './token-book.ts';

/** Everything behind the endpoints: what a handler may look at and change. */
export class World {
  readonly options: SimulatorOptions;
  readonly clock: Clock;
  readonly fleet: Fleet;
  readonly tokens: TokenBook;
  readonly signatures: SignatureCheck;
  readonly settings = new SettingsStore();
  readonly zones = new TimeZones();
  readonly calendar: StationCalendar;
  readonly physicalMs: PhysicalTime;
  readonly #plants = new Map<string, StationPlant>();

  constructor(options: SimulatorOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.fleet = new Fleet(options.seed, options.stations, options.devicesPerStation);
    this.tokens = new TokenBook(options, clock);
    this.signatures = new SignatureCheck(options.appId, options.appSecret);
    this.calendar = new StationCalendar(options.timeZone);
    this.physicalMs = createPhysicalTime(options, this.calendar, clock.nowMs());
  }

  /** The plant of weight 1 that the station's devices are copies of. */
  plant({ stationId, seed }: FleetStation): StationPlant {
    let plant = this.#plants.get(stationId);
    if (plant === undefined) {
      plant = new StationPlant(seed, this.options.latitudeDegrees, this.calendar);
      this.#plants.set(stationId, plant);
    }
    return plant;
  }

  /** Computes what a device does at an instant of the clock. */
  deviceState({ station, weight }: FleetDevice, clockMs: number): PlantState {
    return scalePlantState(this.plant(station).stateAt(this.physicalMs(clockMs)), weight);
  }

  /** The newest instant at which devices were sampled. */
  lastSampleAtMs(): number {
    const { sampleIntervalMs } = this.options;
    return Math.floor(this.clock.nowMs() / sampleIntervalMs) * sampleIntervalMs;
  }
}
