import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON } from './common-rules.ts';

/**
 * A family without a description. `batteryVoltage` and `gridVoltage` mean what they mean elsewhere;
 * all other keys are made up, so that no table has them.
 */
export const undescribed: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000012',
  fields: {
    batteryVoltage: field.volts(quantity.batteryVolts),
    gridVoltage: field.volts(quantity.gridVolts),
    sunFeedPower: field.kilowatts(quantity.pvWatts),
    houseDraw: field.watts(quantity.loadWatts),
    cellarWarmth: field.celsius(quantity.batteryCelsius, '°C'),
    lampColour: field.text((state) => (quantity.pvWatts(state) > 0 ? 'amber' : 'blue'), {
      amber: 'Amber',
      blue: 'Blue',
    }),
    panelMood: field.text(() => '007'),
  },
};
