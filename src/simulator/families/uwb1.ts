import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/** PV and grid power, which only the energy flow shows. */
const FLOW_ONLY = {
  pv1Power: field.watts(quantity.firstStringWatts),
  pv2Power: field.watts(quantity.secondStringWatts),
  generationPower: field.kilowatts(quantity.pvWatts),
  // Positive when exporting.
  aPhaseMainsPower: field.watts(quantity.gridOutwardWatts),
};

const ELSEWHERE_TOO = {
  load_power: field.kilowatts(quantity.loadWatts),
  // Negative when charging, like the current below.
  batteryPower: field.watts(quantity.batteryOutwardWatts),
  batteryPercentage: field.percent(quantity.socRatio),
  bmsSOC: field.percent(quantity.socRatio),
  positiveTerminalBatteryVoltage: field.spelled(field.volts(quantity.batteryVolts)),
  positiveTerminalBatteryCurrent: field.amperes(quantity.batteryOutwardAmperes),
  gridVoltage: field.volts(quantity.gridVolts),
  gridFrequency: field.hertz(quantity.gridHertz),
};

/**
 * UWB1 and RWB1. The keys of power and battery, their units and signs are in the field notes (3.1,
 * 3.2); filled in: grid voltage and frequency, that `generationPower` is the sum, and the number in
 * a string.
 */
export const uwb1: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000003',
  fields: { ...FLOW_ONLY, ...ELSEWHERE_TOO },
  // Frames are there, and no key is in them.
  history: { ...PLAIN_HISTORY, keys: [] },
  latest: Object.keys(ELSEWHERE_TOO),
  flow: {
    nodes: {
      pvPanelFlow: ['generationPower', 'pv1Power', 'pv2Power'],
      gridFlow: ['aPhaseMainsPower'],
      batteryFlow: ['batteryPower', 'batteryPercentage'],
      loadFlow: ['load_power'],
    },
    attributes: 'all',
  },
};
