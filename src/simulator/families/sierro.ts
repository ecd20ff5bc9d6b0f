import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON } from './common-rules.ts';

/**
 * A portable station. All keys, units and signs are in the field notes (3.1, 3.2); filled in:
 * battery voltage under its commonest key, numbers in strings. Nothing measures the grid.
 */
export const sierro: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000008',
  fields: {
    // In W, though most families have it in kW.
    generationPower: field.spelled(field.watts(quantity.pvWatts)),
    outputPower: field.spelled(field.watts(quantity.loadWatts)),
    remainingBatteryCapacity: field.spelled(field.percent(quantity.socRatio)),
    // A rating in another unit, which a reader without units takes for a full battery.
    batteryCapacity: field.spelled(field.constant('Ah', 100)),
    // Negative when discharging.
    batteryCurrent: field.spelled(field.amperes(quantity.batteryInwardAmperes)),
    batteryVoltage: field.spelled(field.volts(quantity.batteryVolts)),
    cellTemperature1: field.spelled(field.celsius(quantity.batteryCelsius, '℃')),
  },
};
