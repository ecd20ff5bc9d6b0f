import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { HPVINV_BATTERY, HPVINV_MODES, HPVINV_POWERS } from './hpvinv-fields.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

const { mainsPower, mainsCurrentFlowDirection, ...REST_OF_POWERS } = HPVINV_POWERS;

/** What the history has as well as the latest state. */
const RECORDED = {
  ...REST_OF_POWERS,
  ...HPVINV_BATTERY,
  acInputVoltage: field.volts(quantity.gridVolts),
  mainsFrequency: field.hertz(quantity.gridHertz),
  outputVoltage: field.volts(quantity.outputVolts),
  outputFrequency: field.hertz(quantity.outputHertz),
  inverterTemperature: field.celsius(quantity.inverterCelsius, '℃'),
  transformerTemperature: field.celsius((state) => quantity.inverterCelsius(state) + 4, '℃'),
  tqfDailyElectricityGeneration: field.kilowattHours((state) => state.energy().today.pvWattHours),
  tqfMonthlyElectricityGeneration: field.kilowattHours(
    (state) => state.energy().thisMonth.pvWattHours,
  ),
  tqfTotalElectricityGeneration: field.kilowattHours(
    (state) => state.energy().lifetime.pvWattHours,
  ),
};

/**
 * Techfine, whose inverters speak HPVINV's keys (field notes 3.1 and 8.1) and have counters of their
 * own (3.4). It has one tracker's key, so the sum is the only key of all PV power; filled in: that
 * the history lacks what HPVINV's lacks.
 */
export const techfine: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000010',
  fields: {
    ...RECORDED,
    mainsPower,
    mainsCurrentFlowDirection,
    ...HPVINV_MODES,
    deviceType: field.text(() => 'TECHFINE'),
  },
  history: { ...PLAIN_HISTORY, keys: Object.keys(RECORDED) },
};
