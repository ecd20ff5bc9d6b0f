import { EVERYWHERE, type Family, type FieldRule } from '../field-rule.ts';

type Row = Pick<FieldRule, 'key' | 'reads' | 'confidence'> & Partial<FieldRule>;

const rule = (row: Row): FieldRule => ({ families: [], sources: EVERYWHERE, ...row });

/** State of charge (field notes 3.2, 8.1). The BMS's keys follow the inverter's: they may be placeholders. */
const SOC_RULES: readonly FieldRule[] = (
  [
    ['batterySOC', ['classic', 'a-phase-hybrid'], 'high'],
    ['batteryCapacity', ['hpvinv02', 'mega-eco', 'pi30', 'line-interactive'], 'high'],
    ['batteryPercentage', ['uwb1'], 'medium'],
    ['battery_charge_state', ['msdc'], 'medium'],
    ['batteryRemainingCapacitySOC', ['charge-controller'], 'low'],
    ['remainingBatteryCapacity', ['sierro'], 'low'],
    ['lithiumBatteryRemainingCapacity', ['maniy'], 'low'],
    ['bmsSOC', ['uwb1'], 'medium'],
    ['bmsCurrentSOC', ['hpvinv02'], 'medium'],
    ['bmsBatterySOC', [], 'medium'],
    ['soc', [], 'low'],
  ] as const satisfies readonly (readonly [string, readonly Family[], FieldRule['confidence']])[]
).map(([key, families, confidence]) =>
  rule({ key, reads: 'batterySocRatio', unit: '%', families, confidence }),
);

/** Battery voltage. The BMS's key comes last. */
const VOLTAGE_RULES: readonly FieldRule[] = (
  [
    ['batteryVoltage', []],
    ['positiveTerminalBatteryVoltage', ['uwb1']],
    ['lithiumBatteryVoltage', ['maniy']],
    ['battery_voltage', ['msdc']],
    ['bmsBatteryVoltage', []],
  ] as const satisfies readonly (readonly [string, readonly Family[]])[]
).map(([key, families]) =>
  rule({ key, reads: 'batteryVoltageVolts', unit: 'V', families, confidence: 'high' }),
);

/** Currents and power. Families disagree on what the sign of a signed value means. */
const FLOW_RULES: readonly FieldRule[] = [
  rule({
    key: 'batteryPower',
    reads: 'batteryPower',
    positive: 'discharging',
    unit: 'W',
    families: ['uwb1'],
    confidence: 'medium',
  }),
  rule({
    key: 'batteryPower',
    reads: 'batteryPower',
    positive: 'discharging',
    unit: 'kW',
    families: ['a-phase-hybrid'],
    confidence: 'medium',
  }),
  // Nobody has confirmed the signs of this family.
  rule({
    key: 'batteryPower',
    reads: 'batteryPower',
    unit: 'kW',
    families: ['msdc'],
    confidence: 'medium',
  }),
  rule({
    key: 'battery_current',
    reads: 'batteryCurrent',
    unit: 'A',
    families: ['msdc'],
    confidence: 'medium',
  }),
  ...['batteryChargingCurrent', 'bmsChargingCurrent', 'bmsBatteryChargingCurrent'].map((key) =>
    rule({ key, reads: 'batteryChargingCurrentAmperes', unit: 'A', confidence: 'high' }),
  ),
  ...[
    'batteryDischargeCurrent',
    'bmsDischargeCurrent',
    'bmsDischargingCurrent',
    'bmsBatteryDischargeCurrent',
  ].map((key) =>
    rule({ key, reads: 'batteryDischargeCurrentAmperes', unit: 'A', confidence: 'high' }),
  ),
  rule({
    key: 'positiveTerminalBatteryCurrent',
    reads: 'batteryCurrent',
    positive: 'discharging',
    unit: 'A',
    families: ['uwb1'],
    confidence: 'medium',
  }),
  rule({
    key: 'batteryCurrent',
    reads: 'batteryCurrent',
    positive: 'charging',
    unit: 'A',
    families: ['sierro'],
    confidence: 'medium',
  }),
  // It follows the battery's power by all that was seen, and counts only where the two agree.
  rule({
    key: 'batteryCurrent',
    reads: 'batteryCurrent',
    positive: 'discharging',
    unit: 'A',
    families: ['a-phase-hybrid'],
    confidence: 'low',
  }),
  rule({
    key: 'lithiumBatteryChargeDischargeCurrent',
    reads: 'batteryCurrent',
    unit: 'A',
    families: ['maniy'],
    confidence: 'low',
  }),
];

const HEALTH_RULES: readonly FieldRule[] = [
  rule({
    key: 'batterySOH',
    reads: 'batterySohRatio',
    unit: '%',
    families: ['a-phase-hybrid'],
    confidence: 'low',
  }),
  rule({
    key: 'gsohAverage',
    reads: 'batterySohRatio',
    unit: '%',
    families: ['msdc'],
    confidence: 'low',
  }),
  rule({
    key: 'batteryTemperature',
    reads: 'batteryTemperatureCelsius',
    unit: '°C',
    confidence: 'low',
  }),
  rule({
    key: 'maximumTemperatureBmsSingleSection',
    reads: 'batteryTemperatureCelsius',
    part: 'hottest',
    unit: '°C',
    confidence: 'medium',
  }),
  ...['1', '2', '3'].map((part) =>
    rule({
      key: `cellTemperature${part}`,
      reads: 'batteryTemperatureCelsius',
      part,
      unit: '°C',
      confidence: 'medium',
    }),
  ),
];

export const BATTERY_RULES: readonly FieldRule[] = [
  ...SOC_RULES,
  // This family uses the key for a charge in Ah (field notes 6, trap 11).
  rule({
    key: 'batteryCapacity',
    reads: 'nothing',
    unit: 'Ah',
    families: ['sierro'],
    confidence: 'medium',
  }),
  ...VOLTAGE_RULES,
  ...FLOW_RULES,
  ...HEALTH_RULES,
];
