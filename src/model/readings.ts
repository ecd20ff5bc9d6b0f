import { type AnswerTimes, type MaxAge, maxAgeMs, type ReadingCadence } from './cadence.ts';
import { leastOf, productOf, sumOf } from './units.ts';

const HALF_HOUR_MS = 1_800_000;

/** The quantities that a device can measure; the unit is part of the name, and a fact is 1 or 0. */
export const QUANTITIES = [
  'pvPowerWatts',
  'loadPowerWatts',
  'acOutputPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
  'batteryVoltageVolts',
  'batteryChargingCurrentAmperes',
  'batteryDischargeCurrentAmperes',
  'batterySocRatio',
  'batterySohRatio',
  'batteryBmsConnected',
  'batteryTemperatureCelsius',
  'gridVoltageVolts',
  'gridFrequencyHertz',
  'acOutputVoltageVolts',
  'acOutputFrequencyHertz',
  'stringPowerWatts',
  'stringVoltageVolts',
  'stringCurrentAmperes',
  'temperatureCelsius',
  'workingMode',
] as const;

export type Quantity = (typeof QUANTITIES)[number];

/** The working modes that have a name; any other is shown as the service's code. */
export const WORKING_MODES = [
  'power_on',
  'standby',
  'line',
  'battery',
  'fault',
  'shutdown',
] as const;

/** Where a device is read: from the time series, its latest state, or its energy flow. */
export const SOURCES = ['history', 'latest', 'flow'] as const;
export type Source = (typeof SOURCES)[number];

/** What a device has ever shown of a battery: nothing, that there is one, or that its BMS answers as well. */
export const BATTERY_SIGNS = ['none', 'battery', 'bms'] as const;
export type BatterySign = (typeof BATTERY_SIGNS)[number];

/** One value of a device, and the time at which it was measured. */
export interface Measurement {
  readonly quantity: Quantity;
  /** The string or the sensor, where a device has several; `''` otherwise. */
  readonly part: string;
  /** A number in the quantity's unit; text for the working mode. */
  readonly value: number | string;
  /** By the service's clock; absent where the answer has no time. */
  readonly measuredAtMs?: number | undefined;
}

/** A number that a device sent, by the service's spelling and in its unit, whether a rule reads it or not. */
export interface DeviceField {
  readonly field: string;
  /** Absent where the service names none. */
  readonly unit?: string | undefined;
  readonly value: number;
  /** By the service's clock; absent where the answer has no time. */
  readonly measuredAtMs?: number | undefined;
}

/** An invalid or implausible value that was sent. Its quantities are unknown, but not missing from the device. */
export interface Misread {
  /** The service's key; several, separated by commas, where their sum is implausible. */
  readonly key: string;
  /** The quantities that it measures or contributes to. */
  readonly quantities: readonly Quantity[];
  /** The value and the plausible range, in words that complete a sentence with the key. */
  readonly why: string;
}

/** The dialect of a device, as far as it is known. */
export interface KnownDialect {
  /** `unknown` for a family that has not been described. */
  readonly family: string;
  readonly source: Source;
  /** Quantities of the specification that it has no known key for, and sums that lack a string or phase. */
  readonly missing: readonly Quantity[];
  /** The keys of strings and phases without a value, which keep a sum unknown; absent for none. */
  readonly silentKeys?: readonly string[] | undefined;
  /** Keys of the device that no rule reads. */
  readonly unknownKeys: readonly string[];
  /** The quantities that each of several parallel inverters sends for the whole house; absent for none. */
  readonly ofHouse?: readonly Quantity[] | undefined;
}

/** The content of one answer of the service about one device. */
export interface DeviceReport extends AnswerTimes {
  /** When undated values last differed from those before them, by the service's clock; absent when they never did. */
  readonly changedAtMs?: number | undefined;
  readonly measurements: readonly Measurement[];
  /** Absent for none. */
  readonly misread?: readonly Misread[] | undefined;
  readonly dialect: KnownDialect;
  /** Every number of the answer; absent where they are not wanted. */
  readonly fields?: readonly DeviceField[] | undefined;
  /** What was learned of the times of its readings, from this answer and those before it. */
  readonly cadence?: ReadingCadence | undefined;
  /** What this answer and those before it have shown of a battery; absent where that was not checked. */
  readonly battery?: BatterySign | undefined;
  /** The points that the answer brought, where it was just read: ascending, each decoded when it is asked for. */
  readonly points?: Iterable<PastReading> | undefined;
}

/** The reading of a device at a time of the past, as if it had been read then. */
export interface PastReading {
  /** When the device measured, by the service's clock. */
  readonly atMs: number;
  /** A value that is missing at that time is the last one before it, with its own time. */
  readonly report: DeviceReport;
}

type OfStrings = Extract<Quantity, `string${string}`>;
type OfDevice = Exclude<Quantity, OfStrings | 'temperatureCelsius' | 'workingMode'>;

/** The readings of one PV string. */
export type PvString = Readonly<Partial<Record<OfStrings, number | undefined>>>;

/** The newest values of one device that are recent enough to show. A missing value is absent, never 0. */
export type Readings = Readonly<Partial<Record<OfDevice, number | undefined>>> & {
  /** By the string's number: `1`, `2`, … */
  readonly pvStrings?: ReadonlyMap<string, PvString> | undefined;
  /** By the sensor's name. */
  readonly temperaturesCelsius?: ReadonlyMap<string, number> | undefined;
  readonly workingMode?: string | undefined;
  /** Quantities measured too long ago to show: they are unknown now, but not missing from the device. */
  readonly withdrawn?: ReadonlySet<Quantity> | undefined;
  /** Invalid and implausible values: quantities that only they give are unknown, but not missing from the device. */
  readonly misread?: readonly Misread[] | undefined;
  /** When the newest value, shown or not, was measured, by the service's clock. */
  readonly measuredAtMs?: number | undefined;
  /** How far the newest value is dated ahead of the service's clock, if too far to be shown; absent otherwise. */
  readonly datedAheadMs?: number | undefined;
  /** How often the device has a reading, once that is known. */
  readonly intervalMs?: number | undefined;
  /** The age at which readings of the device are withdrawn. */
  readonly maxAgeMs?: number | undefined;
  readonly dialect?: KnownDialect | undefined;
  /** Every number that the device sent and that is recent enough to show; absent where they are not wanted. */
  readonly fields?: readonly DeviceField[] | undefined;
  /** The figures of the whole house, which other devices of the station may send as well; absent for none. */
  readonly shared?: readonly PowerFigure[] | undefined;
  /** What the device has shown of a battery so far; absent where that is not known. */
  readonly battery?: BatterySign | undefined;
};

/** The fields that measure something; the other fields describe the readings. */
const MEASURED = [
  ...QUANTITIES.filter((quantity) => !/^string|^temperature/.test(quantity)),
  ...(['pvStrings', 'temperaturesCelsius'] as const),
] as readonly (keyof Readings)[];

/** Whether the device has any value that is recent enough to show. */
export function isReporting(readings: Readings): boolean {
  return MEASURED.some((name) => readings[name] !== undefined);
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** No readings. Thousands of objects are copied from it, and so share one hidden class. */
const NOTHING: Readings = Object.fromEntries(
  [
    ...MEASURED,
    'withdrawn',
    'misread',
    'measuredAtMs',
    'datedAheadMs',
    'intervalMs',
    'maxAgeMs',
    'dialect',
    'fields',
    'shared',
    'battery',
  ].map((name) => [name, undefined]),
);

/**
 * Returns the values of a report that may be shown at an instant. Values older than the maximum age are left out, and
 * so are values from further in the future than that, because their age is unknown. Values without a time stay. The
 * instant is by our clock where the cadence states how far the clocks are apart, else by the service's clock.
 *
 * @param isParallel - whether the device is one of several of a house that work in parallel.
 */
export function readingsAt(
  report: DeviceReport,
  nowMs: number,
  maxAge: MaxAge,
  isParallel = false,
): Readings {
  const { measurements, newestAtMs, misread, dialect, fields, cadence, battery } = report;
  const ageMs = maxAgeMs(maxAge, cadence);
  const serviceNowMs = nowMs + (cadence?.aheadMs ?? 0);
  const values: Writable<Readings> = { ...NOTHING };
  const strings = new Map<string, PvString>();
  const temperatures = new Map<string, number>();
  const withdrawn = new Set<Quantity>();
  const isYoung = ({ measuredAtMs = serviceNowMs }: Pick<Measurement, 'measuredAtMs'>) =>
    Math.abs(serviceNowMs - measuredAtMs) <= ageMs;
  for (const measurement of measurements) {
    const { quantity, part, value } = measurement;
    if (!isYoung(measurement)) withdrawn.add(quantity);
    else if (typeof value === 'string') values.workingMode = value;
    else if (quantity === 'temperatureCelsius') temperatures.set(part, value);
    else if (isOfString(quantity)) strings.set(part, { ...strings.get(part), [quantity]: value });
    else if (quantity !== 'workingMode') values[quantity] = value;
  }
  if (strings.size > 0) values.pvStrings = strings;
  if (temperatures.size > 0) values.temperaturesCelsius = temperatures;
  if (withdrawn.size > 0) values.withdrawn = withdrawn;
  values.misread = misread;
  values.measuredAtMs = newestAtMs;
  values.datedAheadMs = datedAheadMs(report, nowMs, maxAge);
  values.dialect = dialect;
  values.fields = fields?.filter(isYoung);
  values.shared = isParallel ? sharedFigures(dialect, values) : undefined;
  values.battery = battery;
  return values;
}

function isOfString(quantity: Quantity): quantity is OfStrings {
  return quantity.startsWith('string');
}

const GRID_FIGURES = ['gridPowerWatts', 'gridImportPowerWatts', 'gridFeedInPowerWatts'] as const;

/** Returns the figures that a device sends for the whole house; undefined for none. */
function sharedFigures(
  { ofHouse = [] }: KnownDialect,
  { loadPowerWatts }: Readings,
): readonly PowerFigure[] | undefined {
  const load = loadPowerWatts === undefined ? 'acOutputPowerWatts' : 'loadPowerWatts';
  const shared: readonly PowerFigure[] = [
    ...(ofHouse.includes(load) ? (['loadPowerWatts'] as const) : []),
    ...(ofHouse.includes('gridImportPowerWatts') ? GRID_FIGURES : []),
  ];
  return shared.length > 0 ? shared : undefined;
}

/**
 * Returns what readings show of a battery. A charge of 0 does not show one: some inverters without a battery always
 * send 0, with the voltage of their charger.
 */
export function batteryShownBy(readings: Readings, figures: PowerFigures): BatterySign {
  const { batterySocRatio, batteryVoltageVolts = 0, batteryBmsConnected } = readings;
  if (batteryBmsConnected === 1) return 'bms';
  const isLevel = batterySocRatio === undefined ? batteryVoltageVolts >= 1 : batterySocRatio > 0;
  const { batteryPowerWatts = 0 } = figures;
  return isLevel || batteryPowerWatts !== 0 ? 'battery' : 'none';
}

/** Returns the strongest of these signs. */
export function mostOf(...signs: readonly (BatterySign | undefined)[]): BatterySign {
  return BATTERY_SIGNS.findLast((sign) => signs.includes(sign)) ?? 'none';
}

/** Whether the charge of 0 that a device sends is meaningless, because nothing has shown a battery yet. */
export function isLevelOfNothing({ batterySocRatio, battery }: Readings): boolean {
  return batterySocRatio === 0 && battery === 'none';
}

/** Returns how far the newest value of a report is dated ahead; undefined where it is young enough to show, or old. */
export function datedAheadMs(
  { newestAtMs = -Infinity, cadence }: DeviceReport,
  nowMs: number,
  maxAge: MaxAge,
): number | undefined {
  const aheadMs = newestAtMs - nowMs - (cadence?.aheadMs ?? 0);
  return aheadMs > maxAgeMs(maxAge, cadence) ? aheadMs : undefined;
}

/** Describes a date in the future, in half hours: readings take minutes to arrive, so minutes would not be exact. */
export function aheadWords(aheadMs: number): string {
  const hours = Math.max(1, Math.round(aheadMs / HALF_HOUR_MS)) / 2;
  return `dated ${hours} h ahead of the service's clock: the logger's clock or zone is wrong`;
}

/** Returns when, after `nowMs`, the values to show next change; never for undated values. */
export function nextExpiryAtMs(report: DeviceReport, nowMs: number, maxAge: MaxAge): number {
  const { measurements, fields = [], cadence } = report;
  const ageMs = maxAgeMs(maxAge, cadence);
  const changesAtMs = [...measurements, ...fields].flatMap(({ measuredAtMs = Infinity }) => {
    const ourAtMs = measuredAtMs - (cadence?.aheadMs ?? 0);
    // A value is still shown exactly at the maximum age.
    return [ourAtMs - ageMs, ourAtMs + ageMs + 1];
  });
  return leastOf(changesAtMs.filter((atMs) => atMs > nowMs));
}

export const POWER_FIGURES = [
  'pvPowerWatts',
  'loadPowerWatts',
  'gridPowerWatts',
  'gridImportPowerWatts',
  'gridFeedInPowerWatts',
  'batteryPowerWatts',
  'batterySocRatio',
] as const;
export type PowerFigure = (typeof POWER_FIGURES)[number];

/**
 * The power of a device or of a station, in W, and the charge of its battery (0 to 1); an unknown figure is absent. The
 * battery is positive while discharging. `gridPowerWatts` is the net of import and feed-in, positive while importing;
 * it is never calculated with a 0 in place of a missing value.
 */
export type PowerFigures = Readonly<Partial<Record<PowerFigure, number | undefined>>>;

/**
 * Returns what a device measures, and the powers that follow from it (service.md#derived-powers), as a meter would show
 * them.
 *
 * On a device with the specified dialect a missing input counts as 0, unless it was measured too long ago or misread.
 * On any other device a missing input is unknown, and so is everything that depends on it: a 0 would be invented.
 */
export function powerFiguresOf(readings: Readings): PowerFigures {
  const { pvPowerWatts, gridFeedInPowerWatts } = readings;
  const batterySocRatio = isLevelOfNothing(readings) ? undefined : readings.batterySocRatio;
  const measured = wattsOf(readings, NaN);
  const flows = isByInterface(readings) ? wattsOf(readings, 0) : measured;
  // One literal: these are made by the thousand.
  return {
    pvPowerWatts,
    loadPowerWatts: known(flows.loadWatts),
    gridPowerWatts: known(sumOf([measured.importWatts, -measured.feedInWatts])),
    gridImportPowerWatts: known(flows.importWatts),
    gridFeedInPowerWatts,
    batteryPowerWatts: known(flows.batteryWatts),
    batterySocRatio,
  };
}

/** The powers of a device, with the facts that are needed to add up several devices. */
export interface Powers {
  readonly figures: PowerFigures;
  /** The figures of the whole house: where several devices send them, one counts. */
  readonly shared: readonly PowerFigure[];
  /** The figures that are unknown only because something was misread. */
  readonly misread: readonly PowerFigure[];
}

/** The powers of a device at one time, by the service's clock. */
export interface PowerPoint extends Powers {
  readonly atMs: number;
}

export function powersOf(readings: Readings): Powers {
  const { shared = [] } = readings;
  return { figures: powerFiguresOf(readings), shared, misread: misreadFigures(readings) };
}

/** Returns the figures that are unknown only because a value that they follow from was misread. */
function misreadFigures(readings: Readings): readonly PowerFigure[] {
  if (readings.misread === undefined) return [];
  const { misread, ...known } = readings;
  const unknown = misread.flatMap(({ quantities }) =>
    quantities.filter((name) => (known as Partial<Record<Quantity, unknown>>)[name] === undefined),
  );
  const zeros = Object.fromEntries(unknown.map((name) => [name, 0]));
  const [figures, possible] = [powerFiguresOf(readings), powerFiguresOf({ ...known, ...zeros })];
  return POWER_FIGURES.filter(
    (name) => figures[name] === undefined && possible[name] !== undefined,
  );
}

/** Returns the grid power by the specified rule: unlike any meter, it adds the battery's discharge to the import. */
export function interfaceGridWatts(readings: Readings): number | undefined {
  const flows = wattsOf(readings, isByInterface(readings) ? 0 : NaN);
  // The rule uses the AC output as the load, even where the load of the house is measured separately.
  const outputWatts = isMisread(readings, 'acOutputPowerWatts') ? NaN : flows.loadWatts;
  const drawnWatts = readings.acOutputPowerWatts ?? outputWatts;
  const gridWatts = sumOf([drawnWatts, flows.batteryWatts, flows.feedInWatts, -flows.pvWatts]);
  return known(Math.max(0, gridWatts));
}

function isByInterface(readings: Readings): boolean {
  return (readings.dialect?.family ?? 'classic') === 'classic' && isReporting(readings);
}

function isMisread({ misread }: Readings, quantity: Quantity): boolean {
  return misread?.some(({ quantities }) => quantities.includes(quantity)) === true;
}

function known(watts: number): number | undefined {
  return Number.isNaN(watts) ? undefined : watts;
}

/**
 * Returns the power of each flow, in W; NaN where it is unknown, so that everything calculated from it is NaN, too.
 *
 * @param missing - the value of an input that the device does not have.
 */
function wattsOf(readings: Readings, missing: number) {
  const { withdrawn, gridImportPowerWatts } = readings;
  const isUnknown = (quantity: OfDevice): boolean =>
    withdrawn?.has(quantity) === true || isMisread(readings, quantity);
  const input = (quantity: OfDevice): number =>
    readings[quantity] ?? (isUnknown(quantity) ? NaN : missing);
  // Where some strings are known, a sum that lacks the others is unknown, and not missing.
  const strings = [...(readings.pvStrings?.values() ?? [])];
  const isPvPartial = strings.some(({ stringPowerWatts }) => stringPowerWatts !== undefined);
  const pvWatts = readings.pvPowerWatts ?? (isPvPartial ? NaN : input('pvPowerWatts'));
  // A measured load may be higher than the output of the device.
  const outputWatts = isMisread(readings, 'loadPowerWatts') ? NaN : input('acOutputPowerWatts');
  const loadWatts = readings.loadPowerWatts ?? outputWatts;
  const feedInWatts = input('gridFeedInPowerWatts');
  const dischargeAmperes = input('batteryDischargeCurrentAmperes');
  const amperes = sumOf([dischargeAmperes, -input('batteryChargingCurrentAmperes')]);
  const terminalWatts = productOf(amperes, input('batteryVoltageVolts'));
  const batteryWatts = readings.batteryPowerWatts ?? terminalWatts;
  // A house does not import and feed in at once: where the balance shows an import, an unknown feed-in is 0.
  const fedInWatts = isMisread(readings, 'gridFeedInPowerWatts') ? feedInWatts : feedInWatts || 0;
  const balanceWatts = sumOf([loadWatts, fedInWatts, -pvWatts, -batteryWatts]);
  // No estimate where the device measures the import: it could be mistaken for a measurement. And none where the load
  // is that of the whole house: the PV and the battery of one device do not balance it.
  const hasNoBalance =
    isUnknown('gridImportPowerWatts') || readings.shared?.includes('loadPowerWatts') === true;
  const importWatts = gridImportPowerWatts ?? (hasNoBalance ? NaN : Math.max(0, balanceWatts));
  return { pvWatts, loadWatts, feedInWatts, batteryWatts, importWatts };
}
