import { FCHAO_SETTINGS } from './portal-setting.ts';
import type { FamilyModel } from './family-model.ts';
import { amperes, kilowatts, percent, volts, watts } from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON } from './common-rules.ts';

/** The keys and units of interface 2.4; filled in: all unit tags but that of the AC output. */
export const classic: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000001',
  fields: {
    pvInputPower: watts(quantity.pvWatts),
    // In kW, unlike every other power; the house hangs on the AC output.
    acOutputActivePower: kilowatts(quantity.loadWatts),
    batteryDischargeCurrent: amperes(quantity.dischargeAmperes),
    batteryChargingCurrent: amperes(quantity.chargingAmperes),
    batteryVoltage: volts(quantity.batteryVolts),
    feedInPower: watts(quantity.gridFeedInWatts),
    batterySOC: percent(quantity.socRatio),
  },
};

/** Known by its settings alone (field notes 2.8); its telemetry is filled in from classic. */
export const fchao: FamilyModel = {
  ...classic,
  gatherProtocolNumber: 'SIM0000013',
  settings: FCHAO_SETTINGS,
};
