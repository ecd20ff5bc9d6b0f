import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY, WORKING_MODE } from './common-rules.ts';

/**
 * The three-phase hybrid the field notes call AIDE, with one phase. All keys, units and signs are
 * in the field notes (3.1 to 3.5), the export's positive sign as their presumption; filled in:
 * which keys arrive late.
 */
export const aPhaseHybrid: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000006',
  fields: {
    pv1Power: field.kilowatts(quantity.firstStringWatts),
    pv2Power: field.kilowatts(quantity.secondStringWatts),
    generationPower: field.kilowatts(quantity.pvWatts),
    totalLoadPower: field.kilowatts(quantity.loadWatts),
    // Negative when importing.
    aPhaseFeederPower: field.kilowatts(quantity.gridOutwardWatts),
    // Negative when charging.
    batteryPower: field.kilowatts(quantity.batteryOutwardWatts),
    batterySOC: field.percent(quantity.socRatio),
    batterySOH: field.percent(quantity.sohRatio),
    battery_voltage: field.volts(quantity.batteryVolts),
    pv1Voltage: field.volts(quantity.firstStringVolts),
    pv1Current: field.amperes(quantity.firstStringAmperes),
    busVoltage: field.volts(quantity.busVolts),
    aPhaseGridFrequency: field.hertz(quantity.gridHertz),
    aPhaseOutputVoltage: field.volts(quantity.outputVolts),
    radiatorTemperature: field.celsius(quantity.inverterCelsius, '°C'),
    loadDayElectricityConsumption: field.kilowattHours(
      (state) => state.energy().today.loadWattHours,
    ),
    dayPurchaseElectricityConsumption: field.kilowattHours(
      (state) => state.energy().today.gridImportWattHours,
    ),
    totalPurchaseElectricityConsumption: field.kilowattHours(
      (state) => state.energy().lifetime.gridImportWattHours,
    ),
    totalPowerGeneration: field.kilowattHours((state) => state.energy().lifetime.pvWattHours),
    workingMode: WORKING_MODE,
    firmwareVersion: field.text(() => '1.04'),
  },
  history: {
    ...PLAIN_HISTORY,
    lacking: 'all-null',
    lateKeys: { batterySOC: 1, generationPower: 2, aPhaseFeederPower: 1 },
  },
};
