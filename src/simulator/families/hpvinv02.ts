import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { HPVINV_BATTERY, HPVINV_MODES, HPVINV_POWERS } from './hpvinv-fields.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

const { mainsPower, mainsCurrentFlowDirection, ...REST_OF_POWERS } = HPVINV_POWERS;

/** What the history has as well as the latest state. */
const RECORDED = {
  ...REST_OF_POWERS,
  // The one field of this family that some inverters have as a text and others as a number.
  generationPower: field.spelled(HPVINV_POWERS.generationPower),
  pv2Power: field.kilowatts(quantity.secondStringWatts),
  ...HPVINV_BATTERY,
  // Placeholders, as the flag says that no BMS talks; the charge is a full one all the same.
  bmsCommunicationNormal: field.text(() => '0', { '0': 'No', '1': 'Yes' }),
  bmsCurrentSOC: field.constant('%', 100),
  bmsBatteryVoltage: field.constant('V', 0),
  bmsChargingCurrent: field.constant('A', 0),
  bmsDischargeCurrent: field.constant('A', 0),
  gridVoltage: field.volts(quantity.gridVolts),
  mainsFrequency: field.hertz(quantity.gridHertz),
  outputVoltage: field.volts(quantity.outputVolts),
  outputFrequency: field.hertz(quantity.outputHertz),
  pvVoltage: field.volts(quantity.firstStringVolts),
  pv2Voltage: field.volts(quantity.secondStringVolts),
  pv2Current: field.amperes(quantity.secondStringAmperes),
  busVoltage: field.volts(quantity.busVolts),
  inverterTemperature: field.celsius(quantity.inverterCelsius, '℃'),
  transformerTemperature: field.celsius((state) => quantity.inverterCelsius(state) + 4, '℃'),
  pvTemperature: field.celsius((state) => quantity.inverterCelsius(state) - 2, '℃'),
  pv2Temperature: field.celsius((state) => quantity.inverterCelsius(state) - 1, '℃'),
  boostTemperature: field.celsius((state) => quantity.inverterCelsius(state) + 1, '℃'),
  pvGeneratedEnergyOfDay: field.kilowattHours((state) => state.energy().today.pvWattHours),
  pvGeneratedEnergyOfTotal: field.kilowattHours((state) => state.energy().lifetime.pvWattHours),
};

/**
 * "Inverter Top One" and its clones. Every key is in the field notes (3.1 to 3.5 and 8.1), with the
 * placeholders of a battery without BMS and the firmware's own mistakes; filled in: which keys
 * arrive late. Its energy flow is answered, and shows nothing.
 */
export const hpvinv02: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000002',
  isPvOnlySummary: true,
  fields: {
    ...RECORDED,
    mainsPower,
    mainsCurrentFlowDirection,
    batteryRatingVoltage: field.constant('V', 230),
    batteryNumber: field.constant('V', 1),
    ...HPVINV_MODES,
    deviceType: field.text(() => 'HPVINV02'),
  },
  history: {
    ...PLAIN_HISTORY,
    keys: Object.keys(RECORDED),
    lateKeys: { batteryCapacity: 1, batteryStatus: 2 },
  },
  flow: {
    nodes: { pvPanelFlow: [], gridFlow: [], batteryFlow: [], loadFlow: [] },
    attributes: [],
  },
};
