import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY, WORKING_MODE } from './common-rules.ts';

/**
 * Voltronic-like (VICTOR). The keys of power, SOC and temperature are in the field notes (3.1 to
 * 3.5); filled in: the two battery currents and the spellings of the voltages. Nothing measures the
 * grid's power.
 */
export const pi30: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000004',
  fields: {
    PV1ChargingPower: field.watts(quantity.firstStringWatts),
    PV2ChargingPower: field.watts(quantity.secondStringWatts),
    generationPower: field.kilowatts(quantity.pvWatts),
    acOutputActivePower: field.kilowatts(quantity.loadWatts),
    outputLoadPercent: field.percent(quantity.outputLoadRatio),
    batteryCapacity: field.percent(quantity.socRatio),
    BatteryVoltage: field.volts(quantity.batteryVolts),
    batteryChargingCurrent: field.amperes(quantity.chargingAmperes),
    batteryDischargeCurrent: field.amperes(quantity.dischargeAmperes),
    PV1InputVoltage: field.volts(quantity.firstStringVolts),
    gridVoltage: field.volts(quantity.gridVolts),
    gridFrequency: field.hertz(quantity.gridHertz),
    acOutputVoltage: field.volts(quantity.outputVolts),
    acOutputFrequency: field.hertz(quantity.outputHertz),
    inverterHeatSinkTemperature: field.celsius(quantity.inverterCelsius, '℃'),
    workingMode: WORKING_MODE,
  },
  history: {
    ...PLAIN_HISTORY,
    keys: ['BatteryVoltage', 'batteryCapacity', 'gridVoltage', 'acOutputVoltage', 'workingMode'],
    hasUnits: true,
  },
  flow: {
    nodes: {
      pvPanelFlow: ['generationPower', 'PV1ChargingPower', 'PV2ChargingPower'],
      gridFlow: ['gridVoltage', 'gridFrequency'],
      batteryFlow: ['BatteryVoltage', 'batteryCapacity'],
      loadFlow: ['acOutputActivePower', 'outputLoadPercent'],
    },
    attributes: [],
  },
};
