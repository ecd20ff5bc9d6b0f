import { deriveSeed, seededUnit } from './seeded.ts';

// The first look at the plant of a station takes some 100 ms: too much for each of thousands.
const DIFFERENT_PLANTS = 20;

/** A simulated inverter. */
export interface FleetDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly serialNumber: string;
  readonly station: FleetStation;
  /** How many times the station's plant of weight 1 this device is. */
  readonly weight: number;
}

/** A simulated house. */
export interface FleetStation {
  readonly stationId: string;
  readonly name: string;
  readonly index: number;
  /** The seed of everything random at this station but its plant. */
  readonly seed: number;
  /** The seed of its plant of weight 1; the 21st station has the weather and the household of the first one. */
  readonly plantSeed: number;
  /** They join and leave at the end. */
  readonly devices: FleetDevice[];
}

/** The account's stations and devices: one that leaves and joins again keeps its id and weight. */
export class Fleet {
  readonly #seed: number;
  readonly #devicesPerStation: number;
  readonly #devices = new Map<string, FleetDevice>();
  readonly #stations = new Map<string, FleetStation>();

  constructor(seed: number, stations: number, devicesPerStation: number) {
    this.#seed = seed;
    this.#devicesPerStation = devicesPerStation;
    this.setStations(stations);
  }

  get stations(): readonly FleetStation[] {
    return [...this.#stations.values()];
  }

  station(stationId: string): FleetStation | undefined {
    return this.#stations.get(stationId);
  }

  device(deviceId: string): FleetDevice | undefined {
    return this.#devices.get(deviceId);
  }

  /** Lets stations join at, or leave from, the end of the list. */
  setStations(count: number): void {
    for (const { stationId } of this.stations.slice(count)) {
      this.setDeviceCount(stationId, 0);
      this.#stations.delete(stationId);
    }
    for (let index = this.#stations.size; index < count; index += 1) {
      const stationId = this.#id(index, 0);
      this.#stations.set(stationId, {
        stationId,
        name: `Station ${index + 1}`,
        index,
        seed: deriveSeed(this.#seed, 'station', index),
        plantSeed: deriveSeed(this.#seed, 'station', index % DIFFERENT_PLANTS),
        devices: [],
      });
      this.setDeviceCount(stationId, this.#devicesPerStation);
    }
  }

  /** Lets devices join at, or leave from, the end of a station's list. */
  setDeviceCount(stationId: string, count: number): void {
    const station = this.#stations.get(stationId);
    if (station === undefined) throw new RangeError(`no station ${stationId}`);
    const { devices, seed } = station;
    for (const { deviceId } of devices.splice(count)) this.#devices.delete(deviceId);
    for (let index = devices.length; index < count; index += 1) {
      const serial = Math.floor(seededUnit(deriveSeed(seed, 'serial'), index) * 1e9);
      const device = {
        deviceId: this.#id(station.index, index + 1),
        name: `Inverter ${index + 1}`,
        serialNumber: `SIM${String(serial).padStart(9, '0')}`,
        station,
        weight: 0.6 + 0.8 * seededUnit(deriveSeed(seed, 'weight'), index),
      };
      devices.push(device);
      this.#devices.set(device.deviceId, device);
    }
  }

  /** Ids have 18 digits and are odd: doubles of this size are even, so a client that parses one loses it. */
  #id(stationIndex: number, deviceNumber: number): string {
    const prefix = 1_000_000 + Math.floor(seededUnit(deriveSeed(this.#seed, 'ids'), 0) * 8_000_000);
    const number = (value: number): string => String(value).padStart(5, '0');
    return `${prefix}${number(stationIndex + 1)}${number(deviceNumber)}7`;
  }
}

/** Names the datalogger of a device: every device has one of its own. */
export function datalogger({
  deviceId,
  serialNumber,
}: FleetDevice): Readonly<Record<'dtuId' | 'dtuDtuid' | 'dtuName', string>> {
  // Twenty digits, and not those of the device's id, which people mistake for it.
  const number = serialNumber.replace('SIM', '').padStart(11, '0');
  return {
    dtuId: `6${deviceId.slice(1)}`,
    dtuDtuid: `530000000${number}`,
    dtuName: `Logger ${number.slice(-4)}`,
  };
}

/** How many plants of weight 1 the devices are together. */
export function totalWeight(devices: readonly FleetDevice[]): number {
  return devices.reduce((sum, { weight }) => sum + weight, 0);
}
