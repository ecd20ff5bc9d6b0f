import * as field from './field.ts';
import { quantity } from './quantities.ts';

/**
 * The powers that HPVINV's inverters and Techfine's have in common (field notes 3.1 and 8.1). The
 * key of PV power is of the first tracker alone.
 */
export const HPVINV_POWERS = {
  pvPower: field.kilowatts(quantity.firstStringWatts),
  generationPower: field.kilowatts(quantity.pvWatts),
  outputActivePower: field.kilowatts(quantity.loadWatts),
  outputApparentPower: field.voltAmperes(quantity.apparentVoltAmperes),
  outputLoadPercent: field.percent(quantity.outputLoadRatio),
  // A magnitude; its direction is a field of its own.
  mainsPower: field.kilowatts((state) => Math.abs(quantity.gridInwardWatts(state))),
  mainsCurrentFlowDirection: field.text(
    (state) => (quantity.gridFeedInWatts(state) > 0 ? '-' : '+'),
    { '+': 'Mains To Inverter', '-': 'Inverter To Mains' },
  ),
};

/** What they tell of the battery; the status says "idle" whatever the battery does. */
export const HPVINV_BATTERY = {
  batteryCapacity: field.percent(quantity.socRatio),
  batteryVoltage: field.volts(quantity.batteryVolts),
  batteryChargingCurrent: field.amperes(quantity.chargingAmperes),
  batteryDischargeCurrent: field.amperes(quantity.dischargeAmperes),
  batteryStatus: field.text(() => '011', { '011': 'Idle' }),
};

/**
 * What only the latest state has (field notes 8.1): the state is `mode`, and `workingMode` is the
 * priority of the sources of the output, a setting. Enums come with their texts.
 */
export const HPVINV_MODES = {
  mode: field.text(
    ({ batteryDischargeCurrentAmperes }) => (batteryDischargeCurrentAmperes > 0 ? 'B' : 'L'),
    {
      B: 'Battery Mode',
      L: 'Line Mode',
    },
  ),
  workingMode: field.text(() => '1', { '0': 'SUB', '1': 'SBU' }),
  chargingPriorityOrder: field.text(() => '2', { '0': 'CSO', '1': 'SNU', '2': 'OSO' }),
  pvEnergyFeedingPriority: field.text(() => '1', { '0': 'BLU', '1': 'LBU' }),
};
