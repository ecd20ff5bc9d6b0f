import { type Quantity, type Source, SOURCES, type WORKING_MODES } from '../../model/readings.ts';

/** The inverter families that have been described, by the names that the exporter shows. */
export const FAMILIES = [
  'classic',
  'hpvinv02',
  'uwb1',
  'pi30',
  'mega-eco',
  'a-phase-hybrid',
  'msdc',
  'sierro',
  'maniy',
  'techfine',
  'charge-controller',
  'line-interactive',
] as const;

export type Family = (typeof FAMILIES)[number];

/** Families that use the keys of another family beside their own. */
export const BASES: Partial<Record<Family, Family>> = { techfine: 'hpvinv02' };

/** Values whose sign tells the direction of the power or the current. They are split by their sign. */
type SignedQuantity = 'gridPower' | 'batteryPower' | 'batteryCurrent';

/** What a positive value of a signed quantity means. */
export type Positive = 'import' | 'feed-in' | 'discharging' | 'charging';

/**
 * How some families use one field key.
 *
 * The same key can have another unit or another sign in other families, so a rule names the families
 * that it holds for. For the rest it applies only when all rules for the key agree. A unit tag on the
 * value takes precedence over `unit`, except where the tag is known to be wrong.
 */
export interface FieldRule {
  readonly key: string;
  /**
   * One of our quantities, a signed quantity that is split later, what is needed to read other keys, or
   * `nothing` for a key that has been described and is not exported.
   */
  readonly reads: Quantity | SignedQuantity | 'gridDirection' | 'nothing';
  /** Unit of an untagged value; absent where it is unconfirmed, and then only tagged values are read. */
  readonly unit?: string | undefined;
  /** Whether the service tags the value with a wrong unit, so that `unit` takes precedence. */
  readonly isTagWrong?: boolean;
  /** Whether a 0 stands for a sensor that the device does not have. */
  readonly isZeroNoSensor?: boolean;
  /** The name of the string, sensor, phase or cell. */
  readonly part?: string | undefined;
  /** For signed quantities; absent where the sign is unconfirmed, and then the value is not read. */
  readonly positive?: Positive | undefined;
  /** The key whose `+` (import) or `-` (feed-in) gives an unsigned value its sign. */
  readonly directionKey?: string;
  /** The only model that a rule of the user holds for; absent where it holds for all. */
  readonly model?: string | undefined;
  /** Empty for a rule that holds for every family. */
  readonly families: readonly Family[];
  /** Where the key was seen. */
  readonly sources: readonly Source[];
  /** How well the rule is established: by several reports, by one, by inference, or by the user. */
  readonly confidence: 'high' | 'medium' | 'low' | 'user';
}

type Row = readonly [
  key: string,
  /** `''` where nobody has confirmed it. */
  unit: string,
  confidence: FieldRule['confidence'],
  /** Every family when left out. */
  families?: readonly Family[],
  more?: Partial<Omit<FieldRule, 'key' | 'reads' | 'unit'>>,
];

const of = (reads: FieldRule['reads'], rows: readonly Row[]): readonly FieldRule[] =>
  rows.map(([key, unit, confidence, families = [], more]) => ({
    ...{ key, reads, families, sources: SOURCES, confidence },
    ...(unit !== '' && { unit }),
    ...more,
  }));

/** Rules for keys that mean the same in every family. */
const alike = (
  reads: FieldRule['reads'],
  unit: string,
  confidence: FieldRule['confidence'],
  keys: string,
): readonly FieldRule[] =>
  of(
    reads,
    keys.split(' ').map((key): Row => [key, unit, confidence]),
  );

/** Where a key was seen, if not everywhere. */
const LATEST = { sources: ['latest'] } as const;
const FLOW = { sources: ['flow'] } as const;
const NOT_FLOW = { sources: ['history', 'latest'] } as const;
const NOT_HISTORY = { sources: ['latest', 'flow'] } as const;
/** What tells import from feed-in. */
const IMPORT = { positive: 'import' } as const;
const MAINS = { ...NOT_HISTORY, positive: 'feed-in' } as const;
const FEEDER = { ...NOT_FLOW, positive: 'feed-in' } as const;
const DIRECTED = { ...NOT_FLOW, directionKey: 'mainsCurrentFlowDirection' } as const;
/** What tells charging from discharging. */
const CHARGING = { positive: 'charging' } as const;
const DISCHARGING = { positive: 'discharging' } as const;

const perString = (rows: (part: string) => readonly Row[]): readonly Row[] =>
  ['1', '2', '3', '4'].flatMap(rows);

/** PV power (field notes 3.1, 8.1). A sum takes precedence over the powers of the strings. */
const PV: readonly FieldRule[] = [
  ...of('pvPowerWatts', [
    ['generationPower', 'kW', 'high', ['a-phase-hybrid', 'pi30', 'uwb1', 'mega-eco']],
    ['generationPower', 'kW', 'high', ['hpvinv02', 'msdc', 'line-interactive']],
    ['generationPower', 'W', 'medium', ['sierro']],
    ['pvInputPower', 'W', 'medium', ['classic', 'line-interactive'], NOT_FLOW],
    ['solarPower', '', 'low'],
  ]),
  ...of('stringPowerWatts', [
    // The first string, whatever its name says; with a second one it is not the whole (field notes 8.1).
    ['pvPower', 'kW', 'high', ['hpvinv02'], { part: '1' }],
    // The key was seen with values in W and with values in kW.
    ['pvPower', '', 'medium', ['techfine'], { part: '1' }],
    ['pv2Power', 'kW', 'high', ['hpvinv02'], { part: '2' }],
    // In this family the interface's key holds the power of the first string only.
    ['pvInputPower', 'kW', 'high', ['mega-eco'], { ...FLOW, part: '1' }],
    ['pv2InputPower', 'kW', 'high', ['mega-eco'], { ...FLOW, part: '2' }],
    ['pv3InputPower', 'kW', 'medium', ['mega-eco'], { ...FLOW, part: '3' }],
    ['pv4InputPower', 'kW', 'medium', ['mega-eco'], { ...FLOW, part: '4' }],
    ...perString((part) => [
      [`pv${part}Power`, 'W', 'high', ['uwb1'], { part }],
      [`pv${part}Power`, 'kW', 'high', ['a-phase-hybrid', 'msdc'], { part }],
      [`PV${part}ChargingPower`, 'W', 'medium', ['pi30'], { ...NOT_HISTORY, part }],
      [`pv${part}RealTimePower`, '', 'low', ['maniy'], { ...LATEST, part }],
    ]),
  ]),
];

/** Power of the house and AC output of the inverter (field notes 3.1, 8.1). */
const LOAD: readonly FieldRule[] = [
  ...of('acOutputPowerWatts', [
    ['acOutputActivePower', 'kW', 'high', ['classic', 'pi30', 'line-interactive']],
    ['acOutputActivePower', 'W', 'high', ['mega-eco'], FLOW],
    ['outputActivePower', 'kW', 'high', ['hpvinv02'], NOT_FLOW],
  ]),
  ...of('loadPowerWatts', [
    // The clamp around the supply of the house; the AC output is the backup circuit alone. Without a clamp 0.
    ['CTPower', '', 'medium', ['mega-eco'], { isZeroNoSensor: true }],
    ['load_power', 'kW', 'medium', ['uwb1', 'msdc', 'charge-controller', 'hpvinv02']],
    ['totalLoadPower', 'kW', 'medium', ['a-phase-hybrid'], NOT_FLOW],
    ['offGridPortTotalPower', 'kW', 'low', ['a-phase-hybrid'], LATEST],
    ['outputPower', 'W', 'low', ['sierro']],
    ['outputPower', 'kW', 'low', ['msdc'], { isTagWrong: true }],
    ['loadPower', '', 'low'],
  ]),
];

/** Grid power (field notes 3.1). The meaning of the sign differs from family to family. */
const GRID: readonly FieldRule[] = [
  ...of('gridPower', [
    ['aPhaseMainsPower', 'W', 'medium', ['uwb1'], { ...MAINS, part: 'a' }],
    ['bPhaseMainsPower', 'W', 'medium', ['uwb1'], { ...MAINS, part: 'b' }],
    ['cPhaseMainsPower', 'W', 'medium', ['uwb1'], { ...MAINS, part: 'c' }],
    ['GridPower', 'W', 'high', ['mega-eco'], IMPORT],
    ['mainsPower', 'kW', 'medium', ['hpvinv02'], DIRECTED],
    ['aPhaseFeederPower', 'kW', 'medium', ['a-phase-hybrid'], { ...FEEDER, part: 'a' }],
    ['bPhaseFeederPower', 'kW', 'medium', ['a-phase-hybrid'], { ...FEEDER, part: 'b' }],
    ['cPhaseFeederPower', 'kW', 'medium', ['a-phase-hybrid'], { ...FEEDER, part: 'c' }],
    ['totalActivePowerOfTheElectricMeter', 'kW', 'low', ['msdc'], LATEST],
    ['inputMainsPower', '', 'low', ['maniy'], LATEST],
    ['mainsInputRealTimePower', '', 'low', ['maniy'], LATEST],
    ['gridConnectedPower', '', 'low'],
  ]),
  ...of('gridDirection', [['mainsCurrentFlowDirection', '', 'high', ['hpvinv02'], NOT_FLOW]]),
  ...of('gridFeedInPowerWatts', [['feedInPower', 'W', 'medium', ['classic'], NOT_FLOW]]),
  ...alike('gridFeedInPowerWatts', '', 'low', 'gridFeedInPower feedInActivePower acFeedInPower'),
  ...alike('gridFeedInPowerWatts', '', 'low', 'feedbackPower gridExportPower'),
  ...alike('gridFeedInPowerWatts', '', 'low', 'exportPower onGridPower'),
];

/** The battery (field notes 3.2, 8.1). The BMS's keys follow the inverter's: they may be placeholders. */
const BATTERY: readonly FieldRule[] = [
  ...of('batterySocRatio', [
    ['batterySOC', '%', 'high', ['classic', 'a-phase-hybrid']],
    ['batteryCapacity', '%', 'high', ['hpvinv02', 'mega-eco', 'pi30', 'line-interactive']],
    ['batteryPercentage', '%', 'medium', ['uwb1']],
    ['battery_charge_state', '%', 'medium', ['msdc']],
    ['batteryRemainingCapacitySOC', '%', 'low', ['charge-controller']],
    ['remainingBatteryCapacity', '%', 'low', ['sierro']],
    ['lithiumBatteryRemainingCapacity', '%', 'low', ['maniy']],
    ['bmsSOC', '%', 'medium', ['uwb1']],
    ['bmsCurrentSOC', '%', 'medium', ['hpvinv02']],
    ['bmsBatterySOC', '%', 'medium'],
    ['soc', '%', 'low'],
  ]),
  // This family uses the key for a charge in Ah (field notes 6, trap 11).
  ...of('nothing', [['batteryCapacity', 'Ah', 'medium', ['sierro']]]),
  ...of('batteryVoltageVolts', [
    ['batteryVoltage', 'V', 'high'],
    ['positiveTerminalBatteryVoltage', 'V', 'high', ['uwb1']],
    ['lithiumBatteryVoltage', 'V', 'high', ['maniy']],
    ['battery_voltage', 'V', 'high', ['msdc']],
    ['bmsBatteryVoltage', 'V', 'high'],
  ]),
  // Families disagree on what the sign of a signed value means. Nobody has confirmed that of msdc and maniy.
  ...of('batteryPower', [
    ['batteryPower', 'W', 'medium', ['uwb1'], DISCHARGING],
    ['batteryPower', 'kW', 'medium', ['a-phase-hybrid'], DISCHARGING],
    ['batteryPower', 'kW', 'medium', ['msdc']],
  ]),
  ...of('batteryCurrent', [
    ['battery_current', 'A', 'medium', ['msdc']],
    ['positiveTerminalBatteryCurrent', 'A', 'medium', ['uwb1'], DISCHARGING],
    ['batteryCurrent', 'A', 'medium', ['sierro'], CHARGING],
    // It follows the battery's power by all that was seen, and counts only where the two agree.
    ['batteryCurrent', 'A', 'low', ['a-phase-hybrid'], DISCHARGING],
    ['lithiumBatteryChargeDischargeCurrent', 'A', 'low', ['maniy']],
  ]),
  ...of('batteryChargingCurrentAmperes', [
    ['batteryChargingCurrent', 'A', 'high'],
    ['bmsChargingCurrent', 'A', 'high'],
    ['bmsBatteryChargingCurrent', 'A', 'high'],
  ]),
  ...of('batteryDischargeCurrentAmperes', [
    ['batteryDischargeCurrent', 'A', 'high'],
    ['bmsDischargeCurrent', 'A', 'high'],
    ['bmsDischargingCurrent', 'A', 'high'],
    ['bmsBatteryDischargeCurrent', 'A', 'high'],
  ]),
  ...of('batterySohRatio', [
    ['batterySOH', '%', 'low', ['a-phase-hybrid']],
    ['gsohAverage', '%', 'low', ['msdc']],
  ]),
  ...of('batteryTemperatureCelsius', [
    ['batteryTemperature', '°C', 'low'],
    ['maximumTemperatureBmsSingleSection', '°C', 'medium', [], { part: 'hottest' }],
    ['cellTemperature1', '°C', 'medium', [], { part: '1' }],
    ['cellTemperature2', '°C', 'medium', [], { part: '2' }],
    ['cellTemperature3', '°C', 'medium', [], { part: '3' }],
  ]),
  // Whether the BMS answers the inverter. While it does not, whatever is said of it is a placeholder.
  ...alike('batteryBmsConnected', '', 'high', 'bmsCommunicationNormal bmsCommunicationStatus'),
];

/** Voltages, currents, frequencies and temperatures (field notes 3.3). They mean the same in every family. */
const QUALITY: readonly FieldRule[] = [
  ...alike('gridVoltageVolts', 'V', 'high', 'gridVoltage acInputVoltage l1AcInputVoltage'),
  ...alike('gridFrequencyHertz', 'Hz', 'high', 'gridFrequency mainsFrequency'),
  ...alike('gridFrequencyHertz', 'Hz', 'high', 'acInputFrequency aPhaseGridFrequency'),
  ...alike(
    'acOutputVoltageVolts',
    'V',
    'high',
    'acOutputVoltage outputVoltage aPhaseOutputVoltage',
  ),
  ...alike('acOutputFrequencyHertz', 'Hz', 'high', 'acOutputFrequency outputFrequency'),
  ...of('stringVoltageVolts', [
    ['pvVoltage', 'V', 'high', [], { part: '1' }],
    ['pvInputVoltage', 'V', 'high', [], { part: '1' }],
    ['PVVoltage', 'V', 'high', [], { part: '1' }],
    ...perString((part) => [
      [`pv${part}Voltage`, 'V', 'high', [], { part }],
      [`pvInputVoltage${part}`, 'V', 'high', [], { part }],
      [`PV${part}InputVoltage`, 'V', 'high', [], { part }],
    ]),
  ]),
  ...of('stringCurrentAmperes', [
    ...perString((part) => [
      [`pv${part}Current`, 'A', 'medium', [], { part }],
      [`pv${part}InputCurrent`, 'A', 'medium', [], { part }],
      [`pv${part}InputCurrentForBattery`, 'A', 'medium', [], { part }],
    ]),
  ]),
  // The part is the value of the `sensor` label.
  ...of('temperatureCelsius', [
    ['inverterTemperature', '°C', 'medium', [], { part: 'inverter' }],
    ['inverterHeatSinkTemperature', '°C', 'medium', [], { part: 'heat_sink' }],
    ['maxHeatSinkTemperature', '°C', 'medium', [], { part: 'heat_sink' }],
    ['radiatorTemperature', '°C', 'medium', [], { part: 'heat_sink' }],
    ['ntcMaximumTemperature', '°C', 'medium', [], { part: 'ntc_maximum' }],
    ['transformerTemperature', '°C', 'medium', [], { part: 'transformer' }],
    ['pvTemperature', '°C', 'medium', [], { part: 'pv' }],
    ['pv2Temperature', '°C', 'medium', [], { part: 'pv2' }],
    ['boostTemperature', '°C', 'medium', [], { part: 'boost' }],
    ['mpptTemperature', '°C', 'medium', [], { part: 'mppt' }],
    ['dcdcTemperature', '°C', 'medium', [], { part: 'dc_dc' }],
    ['bmsMosTemperature', '°C', 'medium', [], { part: 'bms_mos' }],
    ['bmsAmbientTemperature', '°C', 'medium', [], { part: 'bms_ambient' }],
  ]),
];

/** Working mode (field notes 3.5, 8.1). */
const MODE: readonly FieldRule[] = of('workingMode', [
  ['mode', '', 'high', ['hpvinv02']],
  ['workingMode', '', 'medium'],
  ['workingStates', '', 'medium'],
  ['mode', '', 'medium'],
]);

/** Rules for keys that are known and not exported. */
const unread = (keys: string, families: readonly Family[] = []): readonly FieldRule[] =>
  alike('nothing', '', 'medium', keys).map((rule) => ({ ...rule, families }));

/** Counters that the device record also has, percentages, settings and texts. */
const UNREAD: readonly FieldRule[] = [
  ...unread('outputApparentPower outputLoadPercent loadPercentage batteryStatus busVoltage'),
  ...unread('pvGeneratedEnergyOfDay pvGeneratedEnergyOfTotal totalPVGeneratedEnergy'),
  ...unread('totalPvPowerGeneration pvMonthlyPowerGeneration pvAnnualPowerGeneration', ['msdc']),
  ...unread('outputTheDailyPowerConsumption totalGridPowerPurchase totalGridPowerSale', ['msdc']),
  ...unread('tqfDailyElectricityGeneration tqfMonthlyElectricityGeneration', ['techfine']),
  ...unread('tqfYearlyElectricityGeneration tqfTotalElectricityGeneration', ['techfine']),
  ...unread('totalPowerGeneration loadDayElectricityConsumption', ['a-phase-hybrid']),
  ...unread('dayPurchaseElectricityConsumption', ['a-phase-hybrid']),
  ...unread('totalPurchaseElectricityConsumption', ['a-phase-hybrid']),
  ...unread('chargingStatus chargingPriorityOrder pvEnergyFeedingPriority'),
  ...unread('outputSourcePriority chargerSourcePriority'),
  // On this family the key is the priority of the output's sources: a setting, and no mode.
  ...unread('workingMode', ['hpvinv02']),
  ...unread('gridState batState mainsRelayStatus', ['line-interactive']),
  ...unread('bmsSingleSectionMinimumTemperature'),
  // What the mains put into the battery is a part of the import, of which nothing says the rest.
  ...unread('exchangeChargingPower', ['sierro']),
  ...unread('deviceType firmwareVersion softwareVersion batteryRatingVoltage batteryNumber'),
];

/** The rules that come with the exporter. Among rules for one quantity, the first with a value counts. */
export const RULES: readonly FieldRule[] = [
  ...[...PV, ...LOAD, ...GRID, ...BATTERY],
  ...[...QUALITY, ...MODE, ...UNREAD],
];

type WorkingMode = (typeof WORKING_MODES)[number];

/** The modes, each with the code that several families share, and the words that the service has for it. */
const MODES: readonly (readonly [mode: WorkingMode, code: string, words: string])[] = [
  ['power_on', 'P', 'poweron'],
  ['standby', 'S', 'standby'],
  ['line', 'L', 'line mains grid'],
  ['battery', 'B', 'battery'],
  ['fault', 'F', 'fault'],
  ['shutdown', 'D', 'shutdown'],
];

/** Names of the mode codes. Any other code is exported unchanged. */
export const MODE_NAMES: ReadonlyMap<string, WorkingMode> = new Map(
  MODES.map(([mode, code]) => [code, mode]),
);

/** The same by the English words of the service, without "mode", blanks and dashes. */
export const MODE_WORDS: ReadonlyMap<string, WorkingMode> = new Map(
  MODES.flatMap(([mode, , words]) => words.split(' ').map((word) => [word, mode] as const)),
);

/** The keys of interface 2.4, and the quantity that each of them gives. */
const INTERFACE_FIELDS = {
  pvInputPower: 'pvPowerWatts',
  acOutputActivePower: 'acOutputPowerWatts',
  batteryDischargeCurrent: 'batteryDischargeCurrentAmperes',
  batteryChargingCurrent: 'batteryChargingCurrentAmperes',
  batteryVoltage: 'batteryVoltageVolts',
  feedInPower: 'gridFeedInPowerWatts',
  batterySOC: 'batterySocRatio',
} as const satisfies Readonly<Record<string, Quantity>>;

/** Every device is asked for these keys first. */
export const INTERFACE_KEYS: readonly string[] = Object.keys(INTERFACE_FIELDS);

/** The quantities that every device is expected to have. */
export const INTERFACE_QUANTITIES: readonly Quantity[] = Object.values(INTERFACE_FIELDS);

/** A classic device may lack some keys of the interface, but not most of them. */
const LEAST_INTERFACE_KEYS = 3;
/** Several families share the names of the battery's keys. The key of the PV power tells them apart. */
const INTERFACE_PV_KEY = 'pvInputPower';

/**
 * Recognises the family of a device by the keys that only this family uses. Where there are none, the
 * keys of the interface mark the classic family. Absent for a family that has not been described.
 */
export function recogniseFamily(keys: readonly string[]): Family | undefined {
  const marked = keys.flatMap(markedBy);
  const countOf = (family: Family | undefined): number =>
    marked.filter((mark) => mark === family).length;
  // The keys of its base count for a family, too, and its own tell it from its base.
  const [best] = FAMILIES.filter((family) => countOf(family) > 0)
    .map((family) => ({ family, count: countOf(family) + countOf(BASES[family]) }))
    .sort((one, other) => other.count - one.count);
  if (best !== undefined) return best.family;
  const known = INTERFACE_KEYS.filter((key) => keys.includes(key)).length;
  const isClassic = known >= LEAST_INTERFACE_KEYS && keys.includes(INTERFACE_PV_KEY);
  return isClassic ? 'classic' : undefined;
}

/** Returns the only family that uses the key, if there is just one. */
function markedBy(key: string): readonly Family[] {
  const used = RULES.filter((rule) => rule.key.toLowerCase() === key.toLowerCase());
  // A rule for every family marks none of them.
  const users = used.flatMap(({ families }) => (families.length > 0 ? families : FAMILIES));
  return new Set(users).size === 1 ? users.slice(0, 1) : [];
}
