import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/**
 * Maniy's 11 kW hybrid. The keys of PV, grid and battery are in the field notes (3.1, 3.2), which
 * leave units and signs open; filled in: the unit tags, `inputMainsPower` and
 * `mainsInputRealTimePower` as two units of one import, `gridConnectedPower` as the feed-in,
 * negative as charging, and the load under its commonest key.
 */
export const maniy: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000009',
  fields: {
    pv1RealTimePower: field.watts(quantity.firstStringWatts),
    pv2RealTimePower: field.watts(quantity.secondStringWatts),
    inputMainsPower: field.kilowatts(quantity.gridImportWatts),
    mainsInputRealTimePower: field.watts(quantity.gridImportWatts),
    gridConnectedPower: field.watts(quantity.gridFeedInWatts),
    acOutputActivePower: field.kilowatts(quantity.loadWatts),
    lithiumBatteryVoltage: field.volts(quantity.batteryVolts),
    lithiumBatteryRemainingCapacity: field.percent(quantity.socRatio),
    lithiumBatteryChargeDischargeCurrent: field.amperes(quantity.batteryOutwardAmperes),
  },
  history: { ...PLAIN_HISTORY, keys: [], lacking: 'all-null' },
};
