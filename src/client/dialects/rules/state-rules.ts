import type { WORKING_MODES } from '../../../model/readings.ts';
import { EVERYWHERE, type Family, type FieldRule } from '../field-rule.ts';

type WorkingMode = (typeof WORKING_MODES)[number];

const mode = (key: string, families: readonly Family[] = []): FieldRule => ({
  key,
  reads: 'workingMode',
  families,
  sources: EVERYWHERE,
  confidence: families.length === 0 ? 'medium' : 'high',
});

/** Working mode (field notes 3.5, 8.1). */
const MODE_RULES: readonly FieldRule[] = [
  mode('mode', ['hpvinv02']),
  ...['workingMode', 'workingStates', 'mode'].map((key) => mode(key)),
];

/** Whether the BMS answers the inverter. While it does not, whatever is said of it is a placeholder. */
const BMS_RULES: readonly FieldRule[] = ['bmsCommunicationNormal', 'bmsCommunicationStatus'].map(
  (key) => ({
    key,
    reads: 'bmsCommunication',
    families: [],
    sources: EVERYWHERE,
    confidence: 'high',
  }),
);

/**
 * Known keys that are not exported: counters that the device record also has, percentages, settings and
 * texts.
 */
const SILENT_KEYS: readonly (readonly [key: string, families?: readonly Family[]])[] = [
  ['outputApparentPower'],
  ['outputLoadPercent'],
  ['loadPercentage'],
  ['batteryStatus'],
  ['busVoltage'],
  ['pvGeneratedEnergyOfDay'],
  ['pvGeneratedEnergyOfTotal'],
  ['totalPVGeneratedEnergy'],
  ['totalPvPowerGeneration', ['msdc']],
  ['totalPowerGeneration', ['a-phase-hybrid']],
  ['pvMonthlyPowerGeneration', ['msdc']],
  ['pvAnnualPowerGeneration', ['msdc']],
  ['tqfDailyElectricityGeneration', ['techfine']],
  ['tqfMonthlyElectricityGeneration', ['techfine']],
  ['tqfYearlyElectricityGeneration', ['techfine']],
  ['tqfTotalElectricityGeneration', ['techfine']],
  ['loadDayElectricityConsumption', ['a-phase-hybrid']],
  ['outputTheDailyPowerConsumption', ['msdc']],
  ['dayPurchaseElectricityConsumption', ['a-phase-hybrid']],
  ['totalPurchaseElectricityConsumption', ['a-phase-hybrid']],
  ['totalGridPowerPurchase', ['msdc']],
  ['totalGridPowerSale', ['msdc']],
  ['chargingStatus'],
  ['chargingPriorityOrder'],
  ['pvEnergyFeedingPriority'],
  ['outputSourcePriority'],
  ['chargerSourcePriority'],
  // On this family the key is the priority of the output's sources: a setting, and no mode.
  ['workingMode', ['hpvinv02']],
  ['gridState', ['line-interactive']],
  ['batState', ['line-interactive']],
  ['mainsRelayStatus', ['line-interactive']],
  ['bmsSingleSectionMinimumTemperature'],
  // What the mains put into the battery is a part of the import, of which nothing says the rest.
  ['exchangeChargingPower', ['sierro']],
  ['deviceType'],
  ['firmwareVersion'],
  ['softwareVersion'],
  ['batteryRatingVoltage'],
  ['batteryNumber'],
];

const SILENT_RULES: readonly FieldRule[] = SILENT_KEYS.map(([key, families = []]) => ({
  key,
  reads: 'nothing',
  families,
  sources: EVERYWHERE,
  confidence: 'medium',
}));

export const STATE_RULES: readonly FieldRule[] = [...MODE_RULES, ...BMS_RULES, ...SILENT_RULES];

/** Names of the mode codes that several families share. Any other code is exported unchanged. */
export const MODE_NAMES: ReadonlyMap<string, WorkingMode> = new Map([
  ['P', 'power_on'],
  ['S', 'standby'],
  ['L', 'line'],
  ['B', 'battery'],
  ['F', 'fault'],
  ['D', 'shutdown'],
]);

/** Names of modes by the English words of the service, without "mode", blanks and dashes. */
export const MODE_WORDS: ReadonlyMap<string, WorkingMode> = new Map([
  ['poweron', 'power_on'],
  ['standby', 'standby'],
  ['line', 'line'],
  ['mains', 'line'],
  ['grid', 'line'],
  ['battery', 'battery'],
  ['fault', 'fault'],
  ['shutdown', 'shutdown'],
]);

/** Returns the mode of words such as "Line Mode"; absent for other words, and for those of other languages. */
export function modeOfWords(words: string | undefined): WorkingMode | undefined {
  const bare = words
    ?.toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace(/mode$/, '');
  return bare === undefined ? undefined : MODE_WORDS.get(bare);
}
