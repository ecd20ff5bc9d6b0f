import { QUANTITIES, type Quantity, type Source, SOURCES } from '../../model/readings.ts';
import { greatestOf } from '../../model/units.ts';

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

/** The signed values that are read, and what a positive one may mean; the first is our own convention. */
export const SIGNS: Readonly<Partial<Record<FieldRule['reads'], readonly string[]>>> = {
  gridPower: ['import', 'feed-in'],
  batteryPower: ['discharging', 'charging'],
  batteryCurrent: ['discharging', 'charging'],
};

/**
 * How some families use one field key.
 *
 * The same key can have another unit or another sign in other families, so a rule names the families
 * that it holds for. For the rest it applies only when all rules for the key agree. A unit tag on the
 * value takes precedence over `unit`, except where the tag is known to be wrong.
 */
export interface FieldRule {
  readonly key: string;
  /** A quantity, a signed value, or the direction of another value; `nothing` for a known key that is not exported. */
  readonly reads:
    Quantity | 'gridPower' | 'batteryPower' | 'batteryCurrent' | 'gridDirection' | 'nothing';
  /** Unit of an untagged value; absent where it is unconfirmed, and then only tagged values are read. */
  readonly unit?: string | undefined;
  /** Whether the service tags the value with a wrong unit, so that `unit` takes precedence. */
  readonly isTagWrong?: boolean;
  /** Whether a 0 stands for a sensor that the device does not have. */
  readonly isZeroNoSensor?: boolean;
  /** Whether the key does not identify the family, because another family with the key is far more common. */
  readonly isNoMark?: boolean;
  /** The name of the string, sensor, phase or cell. */
  readonly part?: string | undefined;
  /**
   * What a positive value means, for signed values; absent where that is unconfirmed, and then the value is not read.
   * `by direction` gives an unsigned value the sign of the `gridDirection` key: `+` (import) or `-` (feed-in).
   */
  readonly positive?:
    'import' | 'feed-in' | 'discharging' | 'charging' | 'by direction' | undefined;
  /** Set where each inverter of a parallel system sends the value of all, or several read the meter of the house. */
  readonly scope?: 'system';
  /** The only model that a rule of the user holds for; absent where it holds for all. */
  readonly model?: string | undefined;
  /** Empty for a rule that holds for every family. */
  readonly families: readonly Family[];
  /** Where the key was seen. */
  readonly sources: readonly Source[];
  /** How well the rule is established: by several reports, by one, by inference, or by the user. */
  readonly confidence: 'high' | 'medium' | 'low' | 'user';
}

/**
 * Keys that mean the same in some families, or in all. Keys and parts are separated by blanks, `#` in a key
 * stands for the part, and an unconfirmed unit is `''`.
 */
type Row = readonly [
  keys: string,
  unit: string,
  confidence: FieldRule['confidence'],
  families?: readonly Family[],
  more?: Partial<FieldRule> & { readonly parts?: string },
];

/** Where a key was seen, if not everywhere. */
const LATEST = { sources: ['latest'] } as const;
const FLOW = { sources: ['flow'] } as const;
const NOT_FLOW = { sources: ['history', 'latest'] } as const;
const NOT_HISTORY = { sources: ['latest', 'flow'] } as const;
/** For values of the whole house, whichever of its inverters sends them. */
const SYSTEM = { scope: 'system' } as const;

const STRINGS = { parts: '1 2 3 4' } as const;
/** Both families that measure by phase count feed-in as positive. */
const PHASES = { parts: 'a b c', positive: 'feed-in' } as const;

/** Quantities that are only derived from signed readings, of the grid and of the battery. */
type Derived = 'gridImportPowerWatts' | 'batteryPowerWatts';

/** The keys of all that is read (service.md#keys, #families). For one part, the first key with a value counts. */
const TABLE: Readonly<Record<Exclude<FieldRule['reads'], Derived>, readonly Row[]>> = {
  // A sum takes precedence over the powers of the strings.
  pvPowerWatts: [
    ['generationPower', 'kW', 'high', ['a-phase-hybrid', 'pi30', 'uwb1', 'mega-eco']],
    ['generationPower', 'kW', 'high', ['hpvinv02', 'msdc', 'line-interactive']],
    ['generationPower', 'W', 'medium', ['sierro']],
    ['pvInputPower', 'W', 'medium', ['classic', 'line-interactive'], NOT_FLOW],
    ['solarPower', '', 'low'],
  ],
  stringPowerWatts: [
    // This is the first string, despite its name: with a second string it is not the whole (service.md#families).
    ['pvPower', 'kW', 'high', ['hpvinv02'], { parts: '1' }],
    // The key was seen with values in W and with values in kW.
    ['pvPower', '', 'medium', ['techfine'], { parts: '1' }],
    ['pv2Power', 'kW', 'high', ['hpvinv02'], { parts: '2' }],
    // In this family the specified key holds the power of the first string only.
    ['pvInputPower', 'kW', 'high', ['mega-eco'], { ...FLOW, parts: '1' }],
    ['pv#InputPower', 'kW', 'high', ['mega-eco'], { ...FLOW, parts: '2' }],
    ['pv#InputPower', 'kW', 'medium', ['mega-eco'], { ...FLOW, parts: '3 4' }],
    // Some devices of this family have several strings, but most devices with these keys are mega-eco.
    ['pv#InputPower', 'W', 'medium', ['classic'], { ...NOT_FLOW, ...STRINGS, isNoMark: true }],
    ['pv#Power', 'W', 'high', ['uwb1'], STRINGS],
    ['pv#Power', 'kW', 'high', ['a-phase-hybrid', 'msdc'], STRINGS],
    ['PV#ChargingPower', 'W', 'medium', ['pi30'], { ...NOT_HISTORY, ...STRINGS }],
    ['pv#RealTimePower', '', 'low', ['maniy'], { ...LATEST, ...STRINGS }],
  ],
  acOutputPowerWatts: [
    ['acOutputActivePower', 'kW', 'high', ['classic', 'pi30', 'line-interactive']],
    ['acOutputActivePower', 'W', 'high', ['mega-eco'], FLOW],
    ['outputActivePower', 'kW', 'high', ['hpvinv02'], { ...NOT_FLOW, ...SYSTEM }],
  ],
  loadPowerWatts: [
    // A clamp measures the supply of the house (0 without a clamp); the AC output is only the backup circuit.
    ['CTPower', '', 'medium', ['mega-eco'], { isZeroNoSensor: true, ...SYSTEM }],
    ['load_power', 'kW', 'medium', ['uwb1', 'msdc', 'charge-controller']],
    ['load_power', 'kW', 'medium', ['hpvinv02'], SYSTEM],
    ['totalLoadPower', 'kW', 'medium', ['a-phase-hybrid'], NOT_FLOW],
    ['offGridPortTotalPower', 'kW', 'low', ['a-phase-hybrid'], LATEST],
    ['outputPower', 'W', 'low', ['sierro']],
    ['outputPower', 'kW', 'low', ['msdc'], { isTagWrong: true }],
    ['loadPower', '', 'low'],
  ],
  // The meaning of the sign differs from family to family.
  gridPower: [
    ['#PhaseMainsPower', 'W', 'medium', ['uwb1'], { ...NOT_HISTORY, ...PHASES }],
    ['GridPower', 'W', 'high', ['mega-eco'], { positive: 'import' }],
    ['mainsPower', 'kW', 'medium', ['hpvinv02'], { ...NOT_FLOW, positive: 'by direction' }],
    ['#PhaseFeederPower', 'kW', 'medium', ['a-phase-hybrid'], { ...NOT_FLOW, ...PHASES }],
    ['totalActivePowerOfTheElectricMeter', 'kW', 'low', ['msdc'], { ...LATEST, ...SYSTEM }],
    ['inputMainsPower mainsInputRealTimePower', '', 'low', ['maniy'], LATEST],
    ['gridConnectedPower', '', 'low'],
  ],
  gridDirection: [['mainsCurrentFlowDirection', '', 'high', ['hpvinv02'], NOT_FLOW]],
  gridFeedInPowerWatts: [
    ['feedInPower', 'W', 'medium', ['classic'], NOT_FLOW],
    ['gridFeedInPower feedInActivePower acFeedInPower feedbackPower', '', 'low'],
    ['gridExportPower exportPower onGridPower', '', 'low'],
  ],
  // The BMS's keys follow the inverter's: they may be placeholders.
  batterySocRatio: [
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
  ],
  batteryVoltageVolts: [
    ['batteryVoltage', 'V', 'high'],
    ['positiveTerminalBatteryVoltage', 'V', 'high', ['uwb1']],
    ['lithiumBatteryVoltage', 'V', 'high', ['maniy']],
    ['battery_voltage', 'V', 'high', ['msdc']],
    ['bmsBatteryVoltage', 'V', 'high'],
  ],
  // The meaning of the sign differs from family to family. It is unconfirmed for msdc and maniy.
  batteryPower: [
    ['batteryPower', 'W', 'medium', ['uwb1'], { positive: 'discharging' }],
    ['batteryPower', 'kW', 'medium', ['a-phase-hybrid'], { positive: 'discharging' }],
    ['batteryPower', 'kW', 'medium', ['msdc']],
  ],
  batteryCurrent: [
    ['battery_current', 'A', 'medium', ['msdc']],
    ['positiveTerminalBatteryCurrent', 'A', 'medium', ['uwb1'], { positive: 'discharging' }],
    ['batteryCurrent', 'A', 'medium', ['sierro'], { positive: 'charging' }],
    // In every answer seen, its sign is that of the battery's power. It counts only where the two agree.
    ['batteryCurrent', 'A', 'low', ['a-phase-hybrid'], { positive: 'discharging' }],
    ['lithiumBatteryChargeDischargeCurrent', 'A', 'low', ['maniy']],
  ],
  batteryChargingCurrentAmperes: [
    ['batteryChargingCurrent bmsChargingCurrent bmsBatteryChargingCurrent', 'A', 'high'],
  ],
  batteryDischargeCurrentAmperes: [
    ['batteryDischargeCurrent bmsDischargeCurrent bmsDischargingCurrent', 'A', 'high'],
    ['bmsBatteryDischargeCurrent', 'A', 'high'],
  ],
  batterySohRatio: [
    ['batterySOH', '%', 'low', ['a-phase-hybrid']],
    ['gsohAverage', '%', 'low', ['msdc']],
  ],
  batteryTemperatureCelsius: [
    ['batteryTemperature', '°C', 'low'],
    ['maximumTemperatureBmsSingleSection', '°C', 'medium', [], { parts: 'hottest' }],
    ['cellTemperature#', '°C', 'medium', [], { parts: '1 2 3' }],
  ],
  // Whether the BMS answers the inverter. While it does not, all its values are placeholders.
  batteryBmsConnected: [['bmsCommunicationNormal bmsCommunicationStatus', '', 'high']],
  gridVoltageVolts: [['gridVoltage acInputVoltage l1AcInputVoltage', 'V', 'high']],
  gridFrequencyHertz: [
    ['gridFrequency mainsFrequency acInputFrequency aPhaseGridFrequency', 'Hz', 'high'],
  ],
  acOutputVoltageVolts: [['acOutputVoltage outputVoltage aPhaseOutputVoltage', 'V', 'high']],
  acOutputFrequencyHertz: [['acOutputFrequency outputFrequency', 'Hz', 'high']],
  stringVoltageVolts: [
    ['pvVoltage pvInputVoltage', 'V', 'high', [], { parts: '1' }],
    ['pv#Voltage pvInputVoltage# PV#InputVoltage', 'V', 'high', [], STRINGS],
  ],
  stringCurrentAmperes: [
    ['pv#Current pv#InputCurrent pv#InputCurrentForBattery', 'A', 'medium', [], STRINGS],
  ],
  // The part is the value of the `sensor` label.
  temperatureCelsius: [
    ['#Temperature', '°C', 'medium', [], { parts: 'inverter transformer pv pv2 boost mppt' }],
    ['inverterHeatSinkTemperature', '°C', 'medium', [], { parts: 'heat_sink' }],
    ['maxHeatSinkTemperature radiatorTemperature', '°C', 'medium', [], { parts: 'heat_sink' }],
    ['ntcMaximumTemperature', '°C', 'medium', [], { parts: 'ntc_maximum' }],
    ['dcdcTemperature', '°C', 'medium', [], { parts: 'dc_dc' }],
    ['bmsMosTemperature', '°C', 'medium', [], { parts: 'bms_mos' }],
    ['bmsAmbientTemperature', '°C', 'medium', [], { parts: 'bms_ambient' }],
  ],
  workingMode: [
    ['mode', '', 'high', ['hpvinv02']],
    ['workingMode workingStates mode', '', 'medium'],
  ],
  // Counters that the device record also has, percentages, settings and texts.
  nothing: [
    ['outputApparentPower outputLoadPercent loadPercentage batteryStatus busVoltage', '', 'medium'],
    ['pvGeneratedEnergyOfDay pvGeneratedEnergyOfTotal totalPVGeneratedEnergy', '', 'medium'],
    ['totalPvPowerGeneration pvMonthlyPowerGeneration', '', 'medium', ['msdc']],
    ['pvAnnualPowerGeneration outputTheDailyPowerConsumption', '', 'medium', ['msdc']],
    ['totalGridPowerPurchase totalGridPowerSale', '', 'medium', ['msdc']],
    ['tqfDailyElectricityGeneration tqfMonthlyElectricityGeneration', '', 'medium', ['techfine']],
    ['tqfYearlyElectricityGeneration tqfTotalElectricityGeneration', '', 'medium', ['techfine']],
    ['totalPowerGeneration loadDayElectricityConsumption', '', 'medium', ['a-phase-hybrid']],
    ['dayPurchaseElectricityConsumption', '', 'medium', ['a-phase-hybrid']],
    ['totalPurchaseElectricityConsumption', '', 'medium', ['a-phase-hybrid']],
    ['chargingStatus chargingPriorityOrder pvEnergyFeedingPriority', '', 'medium'],
    ['outputSourcePriority chargerSourcePriority', '', 'medium'],
    // In this family the key is a setting, the priority of the output's sources, and not a mode.
    ['workingMode', '', 'medium', ['hpvinv02']],
    ['gridState batState mainsRelayStatus', '', 'medium', ['line-interactive']],
    ['bmsSingleSectionMinimumTemperature', '', 'medium'],
    // This family uses the key for a charge in Ah (service.md#units).
    ['batteryCapacity', 'Ah', 'medium', ['sierro']],
    // The charging power from the mains is only a part of the import, and no key gives the rest.
    ['exchangeChargingPower', '', 'medium', ['sierro']],
    ['deviceType firmwareVersion softwareVersion batteryRatingVoltage batteryNumber', '', 'medium'],
  ],
};

/** The rules that come with the exporter. */
export const RULES: readonly FieldRule[] = Object.entries(TABLE).flatMap(([reads, rows]) =>
  rows.flatMap(([keys, unit, confidence, families = [], { parts = '', ...more } = {}]) =>
    keys.split(' ').flatMap((key) =>
      parts.split(' ').map((part) => ({
        key: key.replace('#', part),
        reads: reads as FieldRule['reads'],
        families,
        sources: SOURCES,
        confidence,
        ...(unit !== '' && { unit }),
        ...(part !== '' && { part }),
        ...more,
      })),
    ),
  ),
);

/** Returns the quantities that each of several inverters sends for the whole house: one value counts for all. */
export function ofHouse(family: Family): readonly Quantity[] {
  const reads = RULES.filter(
    ({ scope, families }) =>
      scope === 'system' && families.some((one) => one === family || one === BASES[family]),
  ).map((rule) => (rule.reads === 'gridPower' ? 'gridImportPowerWatts' : rule.reads));
  return QUANTITIES.filter((quantity) => reads.includes(quantity));
}

/** The specified keys (service.md#keys), and the quantity that each of them gives. */
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

/** The families that use a key, by the key in lower case. A rule for every family identifies none of them. */
const USERS = new Map<string, ReadonlySet<Family>>();
for (const { key, families, isNoMark = false } of RULES) {
  if (isNoMark) continue;
  const users = USERS.get(key.toLowerCase()) ?? [];
  USERS.set(key.toLowerCase(), new Set([...users, ...(families[0] ? families : FAMILIES)]));
}

/**
 * Recognises the family of a device by the keys that only one family uses. Without such a key, the specified keys
 * mean the classic family. Returns undefined for a family that has not been described.
 */
export function recogniseFamily(keys: readonly string[]): Family | undefined {
  const marks = keys.flatMap((key) => {
    const users = USERS.get(key.toLowerCase());
    return users?.size === 1 ? [...users] : [];
  });
  // The keys of its base count for a family, too. Its own keys decide: on a tie the base wins, being listed first.
  const scores = FAMILIES.map(
    (family) => marks.filter((mark) => mark === family || mark === BASES[family]).length,
  );
  const highest = greatestOf(scores);
  if (highest > 0) return FAMILIES[scores.indexOf(highest)];
  // A classic device may lack some keys, but not most of them; several families share those of the battery.
  const known = INTERFACE_KEYS.filter((key) => keys.includes(key));
  return known.length >= 3 && known.includes('pvInputPower') ? 'classic' : undefined;
}
