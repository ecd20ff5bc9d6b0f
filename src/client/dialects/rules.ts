import { BATTERY_RULES } from './battery-rules.ts';
import type { FieldRule } from './field-rule.ts';
import { GRID_RULES } from './grid-rules.ts';
import { LOAD_RULES } from './load-rules.ts';
import { PV_RULES } from './pv-rules.ts';
import { QUALITY_RULES } from './quality-rules.ts';
import { STATE_RULES } from './state-rules.ts';

/** Every fact about every family's keys; among rules for one quantity, the first that has a value counts. */
export const RULES: readonly FieldRule[] = [
  ...PV_RULES,
  ...LOAD_RULES,
  ...GRID_RULES,
  ...BATTERY_RULES,
  ...QUALITY_RULES,
  ...STATE_RULES,
];

/** The keys of interface 2.4: what every device is asked for first. */
export const INTERFACE_KEYS: readonly string[] = [
  'pvInputPower',
  'acOutputActivePower',
  'batteryDischargeCurrent',
  'batteryChargingCurrent',
  'batteryVoltage',
  'feedInPower',
  'batterySOC',
];
