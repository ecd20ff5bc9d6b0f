import { kilowattsToWatts, percentToRatio } from '../../model/units.ts';
import type { FieldRule } from './field-rule.ts';

const asIs = (value: number): number => value;

/** The keys and units of interface 2.4: only the AC output is in kilowatts. */
export const CLASSIC_DIALECT: readonly FieldRule[] = [
  { key: 'pvInputPower', quantity: 'pvPowerWatts', convert: asIs },
  { key: 'acOutputActivePower', quantity: 'acOutputPowerWatts', convert: kilowattsToWatts },
  { key: 'batteryDischargeCurrent', quantity: 'batteryDischargeCurrentAmperes', convert: asIs },
  { key: 'batteryChargingCurrent', quantity: 'batteryChargingCurrentAmperes', convert: asIs },
  { key: 'batteryVoltage', quantity: 'batteryVoltageVolts', convert: asIs },
  { key: 'feedInPower', quantity: 'gridFeedInPowerWatts', convert: asIs },
  { key: 'batterySOC', quantity: 'batterySocRatio', convert: percentToRatio },
];
