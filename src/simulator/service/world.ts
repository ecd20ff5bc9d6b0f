import type { Clock } from '../../base/clock.ts';
import { AlarmLog } from './alarm-log.ts';
import { DeviceContact } from './samples/device-contact.ts';
import { FAMILY_MODELS } from '../families/index.ts';
import type { FamilyModel } from '../families/family-model.ts';
import { Fleet, type FleetDevice, type FleetStation } from '../physics/fleet.ts';
import { createInverter, type Inverter, type InverterState } from '../physics/inverter.ts';
import { SignatureCheck } from './login-signature.ts';
import type { SimulatorOptions } from '../options.ts';
import { deriveSeed } from '../physics/seeded.ts';
import { BatchReads } from './settings/batch-reads.ts';
import { PortalSettingsStore, SettingsStore } from './settings/stores.ts';
import {
  createPhysicalTime,
  type PhysicalTime,
  StationCalendar,
} from '../physics/station-calendar.ts';
import { StationPlant } from '../physics/station-plant.ts';
import { TimeZones } from './time-zones.ts';
import { IssuedTokens } from './issued-tokens.ts';

/** Everything behind the endpoints: the state that handlers read and change. */
export class World {
  readonly options: SimulatorOptions;
  readonly clock: Clock;
  readonly fleet: Fleet;
  readonly tokens: IssuedTokens;
  readonly signatures: SignatureCheck;
  readonly family: FamilyModel;
  readonly settings = new SettingsStore();
  readonly portalSettings: PortalSettingsStore;
  readonly batchReads = new BatchReads();
  readonly alarms = new AlarmLog();
  readonly zones = new TimeZones();
  readonly calendar: StationCalendar;
  readonly physicalMs: PhysicalTime;
  readonly contact: DeviceContact;
  readonly #createdAtMs: number;
  readonly #plants = new Map<number, StationPlant>();
  // Weak, because devices leave.
  readonly #inverters = new WeakMap<FleetDevice, Inverter>();

  constructor(options: SimulatorOptions, clock: Clock) {
    this.options = options;
    this.clock = clock;
    this.#createdAtMs = clock.nowMs();
    this.family = FAMILY_MODELS[options.family];
    this.portalSettings = new PortalSettingsStore(this.family.settings, options.settingsCached);
    this.fleet = new Fleet(options.seed, options.stations, options.devicesPerStation);
    this.tokens = new IssuedTokens(options, clock);
    this.signatures = new SignatureCheck(options.appId, options.appSecret);
    this.calendar = new StationCalendar(options.timeZone);
    this.physicalMs = createPhysicalTime(options, this.calendar, this.#createdAtMs);
    this.contact = new DeviceContact(options, this.calendar, clock);
  }

  /** The plant of weight 1 that the station's devices are copies of. */
  plant({ plantSeed }: FleetStation): StationPlant {
    let plant = this.#plants.get(plantSeed);
    if (plant === undefined) {
      const { latitudeDegrees, drain } = this.options;
      const drainFromMs = drain ? this.physicalMs(this.#createdAtMs) : undefined;
      plant = new StationPlant(plantSeed, latitudeDegrees, this.calendar, drainFromMs);
      this.#plants.set(plantSeed, plant);
    }
    return plant;
  }

  /** Computes what a device measures at an instant of the clock. */
  inverterState(device: FleetDevice, clockMs: number): InverterState {
    const plant = this.plant(device.station);
    const physicalMs = this.physicalMs(clockMs);
    return this.#inverter(device)({
      plant: plant.stateAt(physicalMs),
      physicalMs,
      energy: () => plant.countersAt(physicalMs),
    });
  }

  isOnline(device: FleetDevice): boolean {
    return this.contact.isOnline(device);
  }

  /** Until when a device has been heard: now, or when it left. */
  heardAtMs(device: FleetDevice): number {
    return this.contact.heardAtMs(device);
  }

  /** The newest instant at which a device was sampled. */
  lastSampleAtMs(device: FleetDevice): number {
    return this.contact.lastSampleAtMs(device);
  }

  #inverter(device: FleetDevice): Inverter {
    let inverter = this.#inverters.get(device);
    if (inverter === undefined) {
      const seed = deriveSeed(device.station.seed, 'inverter', device.deviceId);
      inverter = createInverter(seed, device.weight);
      this.#inverters.set(device, inverter);
    }
    return inverter;
  }
}
