import type { EnergyQuantity } from './energy.ts';
import type { Quantity } from './readings.ts';
import { sumOf } from './units.ts';

/** The rated power of a device whose record does not state it: more than the devices of a house have. */
const ASSUMED_RATED_WATTS = 100_000;
/** The lowest and the highest plausible rated power of one device. */
export const RATED_WATTS = [100, 500_000] as const;

/**
 * The highest value: a number, or twice the rated power. That is what one device can carry (`carried`), what the whole
 * `house` can, which may have other inverters, or as a current at the `terminals` of a battery, at its voltage.
 */
type Highest = number | 'carried' | 'house' | 'terminals';

/** The bounds of a quantity, in its unit. A value that is slightly beyond a bound counts as the bound. */
type Row = readonly [
  lowest: number,
  highest: Highest,
  tolerated?: { below?: number; above?: number },
];

const NOISE = { Watts: { below: 20 }, Amperes: { below: 0.5 }, Volts: { below: 0.5 } } as const;
/** Some devices send slightly more than 100 % for a full battery. */
const FULL = { above: 0.05 };

const BOUNDS: Readonly<Record<Exclude<Quantity, 'workingMode'>, Row>> = {
  pvPowerWatts: [0, 'carried', NOISE.Watts],
  loadPowerWatts: [0, 'house', NOISE.Watts],
  acOutputPowerWatts: [0, 'carried', NOISE.Watts],
  gridImportPowerWatts: [0, 'house', NOISE.Watts],
  gridFeedInPowerWatts: [0, 'carried', NOISE.Watts],
  batteryPowerWatts: [0, 'carried', NOISE.Watts],
  // Batteries of 48 V are as common as those of several hundred volts.
  batteryVoltageVolts: [0, 1000, NOISE.Volts],
  batteryChargingCurrentAmperes: [0, 'terminals', NOISE.Amperes],
  batteryDischargeCurrentAmperes: [0, 'terminals', NOISE.Amperes],
  batterySocRatio: [0, 1, FULL],
  batterySohRatio: [0, 1, FULL],
  batteryBmsConnected: [0, 1],
  batteryTemperatureCelsius: [-50, 100],
  // 0 V and 0 Hz are plausible: they mean an outage.
  gridVoltageVolts: [0, 600, NOISE.Volts],
  gridFrequencyHertz: [0, 65],
  acOutputVoltageVolts: [0, 600, NOISE.Volts],
  acOutputFrequencyHertz: [0, 65],
  stringPowerWatts: [0, 'carried', NOISE.Watts],
  stringVoltageVolts: [0, 1500, NOISE.Volts],
  stringCurrentAmperes: [0, 200, NOISE.Amperes],
  temperatureCelsius: [-50, 150],
};

/** No battery of one inverter carries more, whatever its voltage. */
const MOST_AMPERES = 600;

/** What is known of a device that decides which values are plausible. */
export interface Carrying {
  readonly ratedPowerWatts?: number | undefined;
  readonly batteryVolts?: number | undefined;
}

/** The bounds of a plausible value, and the tolerance beyond them. */
export interface Range {
  readonly lowest: number;
  readonly highest: number;
  readonly below?: number | undefined;
  readonly above?: number | undefined;
}

/**
 * Returns the range of plausible values of a quantity of a device.
 *
 * @param opposite - the quantity that negative values mean; undefined where values have no sign.
 */
export function rangeOf(
  quantity: Exclude<Quantity, 'workingMode'>,
  { ratedPowerWatts = ASSUMED_RATED_WATTS, batteryVolts = 0 }: Carrying,
  opposite?: Exclude<Quantity, 'workingMode'>,
): Range {
  const [lowest, most, tolerated] = BOUNDS[quantity];
  const carried = 2 * ratedPowerWatts;
  const highest = {
    carried,
    house: Math.max(carried, 2 * ASSUMED_RATED_WATTS),
    terminals: Math.min(MOST_AMPERES, carried / Math.max(1, batteryVolts)),
  };
  const highestOf = (bound: Highest): number =>
    typeof bound === 'number' ? bound : highest[bound];
  return opposite === undefined
    ? { lowest, highest: highestOf(most), ...tolerated }
    : { lowest: -highestOf(BOUNDS[opposite][1]), highest: highestOf(most) };
}

/** Returns a plausible value, or the bound that it is slightly beyond; undefined for a misreading. */
export function within(
  { lowest, highest, below = 0, above = 0 }: Range,
  value: number,
): number | undefined {
  const isPlausible = value >= lowest - below && value <= highest + above;
  return isPlausible ? Math.min(highest, Math.max(lowest, value)) : undefined;
}

/** Returns the rated power of all devices together; undefined for none. */
export function ratedTogether(devices: readonly Carrying[]): number | undefined {
  const rated = devices.map(({ ratedPowerWatts = ASSUMED_RATED_WATTS }) => ratedPowerWatts);
  return rated.length > 0 ? sumOf(rated) : undefined;
}

/** How many days a period has at most; a plant is replaced before its lifetime is longer. */
const MOST_DAYS = { day: 1, month: 31, year: 366, lifetime: 25 * 366 } as const;

/**
 * Whether an energy is plausible for a period: at most 1.5 times the rated power around the clock.
 *
 * @param ratedWatts - the rated power of the devices that the energy is from.
 */
export function isEnergyOf(
  period: keyof typeof MOST_DAYS,
  quantity: EnergyQuantity,
  energyKwh: number,
  ratedWatts = ASSUMED_RATED_WATTS,
): boolean {
  const isOfHouse = quantity === 'consumptionKwh' || quantity.startsWith('grid');
  const watts = isOfHouse ? Math.max(ratedWatts, ASSUMED_RATED_WATTS) : ratedWatts;
  return energyKwh >= 0 && energyKwh <= (MOST_DAYS[period] * 24 * 1.5 * watts) / 1000;
}
