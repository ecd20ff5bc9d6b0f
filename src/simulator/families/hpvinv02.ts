import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/**
 * "Inverter Top One" and its clones. Every key is in the field notes (3.1 to 3.5), with the
 * placeholders of a battery without BMS and the firmware's own mistakes; filled in: which keys
 * arrive late.
 */
export const hpvinv02: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000002',
  isPvOnlySummary: true,
  fields: {
    pvPower: field.kilowatts(quantity.pvWatts),
    outputActivePower: field.kilowatts(quantity.loadWatts),
    outputApparentPower: field.voltAmperes(quantity.apparentVoltAmperes),
    outputLoadPercent: field.percent(quantity.outputLoadRatio),
    // A magnitude; its direction is a field of its own.
    mainsPower: field.kilowatts((state) => Math.abs(quantity.gridInwardWatts(state))),
    mainsCurrentFlowDirection: field.text(
      (state) => (quantity.gridFeedInWatts(state) > 0 ? '-' : '+'),
      { '+': 'Mains To Inverter', '-': 'Inverter To Mains' },
    ),
    batteryCapacity: field.percent(quantity.socRatio),
    batteryVoltage: field.volts(quantity.batteryVolts),
    batteryChargingCurrent: field.amperes(quantity.chargingAmperes),
    batteryDischargeCurrent: field.amperes(quantity.dischargeAmperes),
    batteryStatus: field.text(() => '011', { '011': 'Idle' }),
    bmsCurrentSOC: field.constant('%', 0),
    bmsBatteryVoltage: field.constant('V', 0),
    bmsChargingCurrent: field.constant('A', 0),
    bmsDischargingCurrent: field.constant('A', 0),
    batteryRatingVoltage: field.constant('V', 230),
    batteryNumber: field.constant('V', 1),
    gridVoltage: field.volts(quantity.gridVolts),
    mainsFrequency: field.hertz(quantity.gridHertz),
    outputVoltage: field.volts(quantity.outputVolts),
    outputFrequency: field.hertz(quantity.outputHertz),
    pvVoltage: field.volts(quantity.firstStringVolts),
    busVoltage: field.volts(quantity.busVolts),
    inverterTemperature: field.celsius(quantity.inverterCelsius, '℃'),
    transformerTemperature: field.celsius((state) => quantity.inverterCelsius(state) + 4, '℃'),
    pvTemperature: field.celsius((state) => quantity.inverterCelsius(state) - 2, '℃'),
    boostTemperature: field.celsius((state) => quantity.inverterCelsius(state) + 1, '℃'),
    pvGeneratedEnergyOfDay: field.kilowattHours((state) => state.energy().today.pvWattHours),
    pvGeneratedEnergyOfTotal: field.kilowattHours((state) => state.energy().lifetime.pvWattHours),
    workingStates: field.text(() => '4', { '4': 'Line Mode' }),
  },
  history: {
    ...PLAIN_HISTORY,
    keys: [
      ...['pvPower', 'outputActivePower', 'outputApparentPower', 'outputLoadPercent'],
      ...['batteryCapacity', 'batteryVoltage', 'batteryChargingCurrent'],
      ...['batteryDischargeCurrent', 'batteryStatus', 'bmsCurrentSOC', 'bmsBatteryVoltage'],
      ...['bmsChargingCurrent', 'bmsDischargingCurrent', 'gridVoltage', 'mainsFrequency'],
      ...['outputVoltage', 'outputFrequency', 'pvVoltage', 'busVoltage', 'inverterTemperature'],
      ...['transformerTemperature', 'pvTemperature', 'boostTemperature'],
      ...['pvGeneratedEnergyOfDay', 'pvGeneratedEnergyOfTotal', 'workingStates'],
    ],
    lateKeys: { batteryCapacity: 1, batteryStatus: 2 },
  },
};
