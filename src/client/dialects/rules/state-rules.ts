import type { WORKING_MODES } from '../../../model/readings.ts';
import { EVERYWHERE, type Family, type FieldRule } from '../field-rule.ts';

/** Working mode (field notes 3.5), as a code. The service's text for the code is never used. */
const MODE_RULES: readonly FieldRule[] = (['workingMode', 'workingStates', 'mode'] as const).map(
  (key) => ({
    key,
    reads: 'workingMode',
    families: [],
    sources: EVERYWHERE,
    confidence: 'medium',
  }),
);

/** Known keys that are not exported: counters that the device record also has, percentages and texts. */
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
  ['outputSourcePriority'],
  ['chargerSourcePriority'],
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

export const STATE_RULES: readonly FieldRule[] = [...MODE_RULES, ...SILENT_RULES];

/** Names of the mode codes that several families share. Any other code is exported unchanged. */
export const MODE_NAMES: ReadonlyMap<string, (typeof WORKING_MODES)[number]> = new Map([
  ['P', 'power_on'],
  ['S', 'standby'],
  ['L', 'line'],
  ['B', 'battery'],
  ['F', 'fault'],
  ['D', 'shutdown'],
]);
