import type { InverterState } from '../physics/inverter.ts';

type Quantity = (state: InverterState) => number;

/** Positive when importing. */
const gridInwardWatts: Quantity = (state) =>
  state.gridImportPowerWatts - state.gridFeedInPowerWatts;

/** Positive when discharging. */
const batteryOutwardAmperes: Quantity = (state) =>
  state.batteryDischargeCurrentAmperes - state.batteryChargingCurrentAmperes;

/**
 * Holds what families measure. Where there is a sign, `gridInward` is positive when importing,
 * `gridOutward` when feeding in, `batteryInward` when charging, `batteryOutward` when discharging.
 */
export const quantity = {
  pvWatts: (state) => state.pvPowerWatts,
  firstStringWatts: (state) => state.pvStrings[0].powerWatts,
  firstStringVolts: (state) => state.pvStrings[0].voltageVolts,
  firstStringAmperes: (state) => state.pvStrings[0].currentAmperes,
  secondStringWatts: (state) => state.pvStrings[1].powerWatts,
  secondStringVolts: (state) => state.pvStrings[1].voltageVolts,
  secondStringAmperes: (state) => state.pvStrings[1].currentAmperes,
  loadWatts: (state) => state.loadPowerWatts,
  gridImportWatts: (state) => state.gridImportPowerWatts,
  gridFeedInWatts: (state) => state.gridFeedInPowerWatts,
  gridInwardWatts,
  gridOutwardWatts: (state) => -gridInwardWatts(state),
  gridVolts: (state) => state.gridVoltageVolts,
  gridHertz: (state) => state.gridFrequencyHertz,
  batteryOutwardWatts: (state) => state.batteryPowerWatts,
  batteryOutwardAmperes,
  batteryInwardAmperes: (state) => -batteryOutwardAmperes(state),
  chargingAmperes: (state) => state.batteryChargingCurrentAmperes,
  dischargeAmperes: (state) => state.batteryDischargeCurrentAmperes,
  batteryVolts: (state) => state.batteryVoltageVolts,
  batteryCelsius: (state) => state.batteryTemperatureCelsius,
  socRatio: (state) => state.batterySocRatio,
  sohRatio: (state) => state.batterySohRatio,
  outputVolts: (state) => state.outputVoltageVolts,
  outputHertz: (state) => state.outputFrequencyHertz,
  outputLoadRatio: (state) => state.outputLoadRatio,
  apparentVoltAmperes: (state) => state.outputApparentPowerVoltAmperes,
  busVolts: (state) => state.busVoltageVolts,
  inverterCelsius: (state) => state.inverterTemperatureCelsius,
} as const satisfies Readonly<Record<string, Quantity>>;
