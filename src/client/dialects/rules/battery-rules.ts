import { EVERYWHERE, type Family, type FieldRule } from '../field-rule.ts';

type Row = Pick<FieldRule, 'key' | 'reads' | 'confidence'> & Partial<FieldRule>;

const rule = (row: Row): FieldRule => ({ families: [], sources: EVERYWHERE, ...row });

/** State of charge (field notes 3.2). The BMS's keys follow the inverter's: they may be placeholders. */
const SOC_RULES: readonly FieldRule[] = (
  [
    ['batterySOC', ['classic', 'a-phase-hybrid'], 'high'],
    ['batteryCapacity', ['hpvinv02', 'mega-eco', 'pi30'], 'high'],
    ['batteryPercentage', ['uwb1'], 'medium'],
    ['battery_charge_state', ['msdc'], 'medium'],
    ['batteryRemainingCapacitySOC', ['charge-controller'], 'low'],
    ['remainingBatteryCapacity', ['sierro'], 'low'],
    ['lithiumBatteryRemainingCapacity', ['maniy'], 'low'],
    ['bmsSOC', ['uwb1'], 'medium'],
    ['bmsCurrentSOC', ['hpvinv02'], 'medium'],
    ['bmsBatterySOC', [], 'low'],
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
    ['bmsBatteryVoltage', ['hpvinv02']],
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
  ...(['batteryChargingCurrent', 'bmsChargingCurrent'] as const).map((key) =>
    rule({ key, reads: 'batteryChargingCurrentAmperes', unit: 'A', confidence: 'high' }),
  ),
  ...(['batteryDischargeCurrent', 'bmsDischargingCurrent'] as const).map((key) =>
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
