import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/**
 * Techfine. PV power and energies, apparent power and load share are in the field notes (3.1,
 * 3.4); filled in: load, battery and grid voltage under their commonest keys, and the history's
 * wrapped elements, which the field notes (2.4) know from another list.
 */
export const techfine: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000010',
  fields: {
    pvPower: field.kilowatts(quantity.pvWatts),
    outputApparentPower: field.voltAmperes(quantity.apparentVoltAmperes),
    outputLoadPercent: field.percent(quantity.outputLoadRatio),
    acOutputActivePower: field.kilowatts(quantity.loadWatts),
    batteryCapacity: field.percent(quantity.socRatio),
    batteryVoltage: field.volts(quantity.batteryVolts),
    batteryChargingCurrent: field.amperes(quantity.chargingAmperes),
    batteryDischargeCurrent: field.amperes(quantity.dischargeAmperes),
    gridVoltage: field.volts(quantity.gridVolts),
    tqfDailyElectricityGeneration: field.kilowattHours((state) => state.energy().today.pvWattHours),
    tqfMonthlyElectricityGeneration: field.kilowattHours(
      (state) => state.energy().thisMonth.pvWattHours,
    ),
    tqfTotalElectricityGeneration: field.kilowattHours(
      (state) => state.energy().lifetime.pvWattHours,
    ),
  },
  history: { ...PLAIN_HISTORY, elements: 'vd' },
};
