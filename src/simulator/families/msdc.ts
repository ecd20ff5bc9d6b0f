import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/**
 * MaxSky. The keys of power, SOC, SOH, battery and energy are in the field notes (3.1 to 3.4 and
 * 8.1); filled in: that the battery's signed values are negative when charging, as other families
 * have it, the meter's sign (positive when importing), and kWh as the unit of purchase and sale.
 */
export const msdc: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000007',
  deviceModel: null,
  fields: {
    pv1Power: field.kilowatts(quantity.firstStringWatts),
    pv2Power: field.kilowatts(quantity.secondStringWatts),
    generationPower: field.kilowatts(quantity.pvWatts),
    load_power: field.kilowatts(quantity.loadWatts),
    totalActivePowerOfTheElectricMeter: field.kilowatts(quantity.gridInwardWatts),
    battery_charge_state: field.percent(quantity.socRatio),
    gsohAverage: field.percent(quantity.sohRatio),
    battery_voltage: field.volts(quantity.batteryVolts),
    battery_current: field.amperes(quantity.batteryOutwardAmperes),
    batteryPower: field.kilowatts(quantity.batteryOutwardWatts),
    // Tagged in W, while the number is one of kW.
    outputPower: { ...field.kilowatts(quantity.loadWatts), unit: 'W' },
    pvMonthlyPowerGeneration: field.kilowattHours((state) => state.energy().thisMonth.pvWattHours),
    outputTheDailyPowerConsumption: field.kilowattHours(
      (state) => state.energy().today.loadWattHours,
    ),
    totalGridPowerPurchase: field.kilowattHours(
      (state) => state.energy().lifetime.gridImportWattHours,
    ),
    totalGridPowerSale: field.kilowattHours((state) => state.energy().lifetime.gridFeedInWattHours),
  },
  history: {
    ...PLAIN_HISTORY,
    keys: ['pv1Power', 'pv2Power', 'battery_voltage'],
    lacking: 'all-null',
    isNullWhenEmpty: true,
  },
  flow: {
    nodes: {
      pvPanelFlow: ['generationPower', 'pv1Power', 'pv2Power'],
      gridFlow: [],
      batteryFlow: ['battery_charge_state', 'battery_voltage'],
      loadFlow: ['load_power'],
    },
    attributes: ['pv1Power', 'pv2Power', 'load_power'],
  },
};
