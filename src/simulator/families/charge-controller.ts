import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/**
 * A charge controller, without a grid and without settings. `load_power`,
 * `batteryRemainingCapacitySOC` and `pvVoltage` are in the field notes (3.1 to 3.3); filled in: PV
 * power, battery voltage and currents under their commonest keys.
 */
export const chargeController: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000011',
  settings: [],
  fields: {
    generationPower: field.kilowatts(quantity.pvWatts),
    pvVoltage: field.volts(quantity.firstStringVolts),
    load_power: field.kilowatts(quantity.loadWatts),
    batteryRemainingCapacitySOC: field.percent(quantity.socRatio),
    batteryVoltage: field.volts(quantity.batteryVolts),
    batteryChargingCurrent: field.amperes(quantity.chargingAmperes),
    batteryDischargeCurrent: field.amperes(quantity.dischargeAmperes),
  },
  history: {
    ...PLAIN_HISTORY,
    keys: ['generationPower', 'pvVoltage', 'batteryRemainingCapacitySOC', 'batteryVoltage'],
    lacking: 'all-null',
    lateKeys: { pvVoltage: 2 },
  },
  flow: {
    nodes: {
      pvPanelFlow: ['generationPower', 'pvVoltage'],
      gridFlow: [],
      batteryFlow: ['batteryVoltage', 'batteryRemainingCapacitySOC'],
      loadFlow: ['load_power'],
    },
    attributes: [],
  },
};
