import type { Clock } from '../../base/clock.ts';
import { MOST_REMEMBERED, RecentMap } from '../../base/recent-map.ts';
import { familyModel } from '../families/families.ts';
import type { SimulatorOptions } from '../options.ts';
import { Fleet, type FleetDevice, type FleetStation, totalWeight } from '../physics/fleet.ts';
import { createInverter, type Inverter, type InverterState } from '../physics/inverter.ts';
import { deriveSeed } from '../physics/seeded.ts';
import { createPhysicalTime, StationCalendar } from '../physics/station-calendar.ts';
import { StationPlant } from '../physics/station-plant.ts';
import { AlarmLog } from './alarms.ts';
import { DeviceContact } from './device-contact.ts';
import { IssuedTokens } from './sessions.ts';
import { SettingsStore } from './settings.ts';

/** Everything behind the endpoints: the state that handlers read and change. */
export class World {
  readonly options: SimulatorOptions;
  readonly clock: Clock;
  readonly fleet: Fleet;
  readonly tokens = new IssuedTokens(this);
  readonly nonces = new Set<string>();
  readonly family: ReturnType<typeof familyModel>;
  readonly settings = new SettingsStore();
  readonly alarms = new AlarmLog();
  readonly calendar: StationCalendar;
  readonly physicalMs: ReturnType<typeof createPhysicalTime>;
  readonly contact = new DeviceContact(this);
  readonly #drainFromMs: number | undefined;
  readonly #plants = new RecentMap<number, StationPlant>(MOST_REMEMBERED);
  readonly #inverters = new RecentMap<string, Inverter>(MOST_REMEMBERED);

  constructor(options: SimulatorOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.family = familyModel(options.family);
    this.fleet = new Fleet(options.seed, options.stations, options.devicesPerStation);
    this.calendar = new StationCalendar(options.timeZone);
    this.physicalMs = createPhysicalTime(options, this.calendar, clock.nowMs());
    this.#drainFromMs = options.drain ? this.physicalMs(clock.nowMs()) : undefined;
  }

  /** The plant of weight 1 that the station's devices are copies of. */
  plant({ plantSeed }: FleetStation): StationPlant {
    return this.#plants.getOrMake(
      plantSeed,
      () => new StationPlant(plantSeed, this.calendar, this.#drainFromMs),
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
