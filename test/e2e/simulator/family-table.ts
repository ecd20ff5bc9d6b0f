import type { Family, InverterState } from '../../../src/simulator/simulator.ts';

/** In which of the answers a key is found. */
export type Place = 'history' | 'latest' | 'flow';

/** What one key of a family says, written from the field notes and not from the simulator's table. */
export interface KeyRow {
  readonly family: Family;
  readonly key: string;
  readonly unit: string;
  readonly places: readonly Place[];
  /** In the unit of the tag and the key's own sign. */
  readonly expected: (truth: InverterState) => number;
  /** Half of the key's last digit. */
  readonly tolerance: number;
}

type Read = (truth: InverterState) => number;

const H = ['history'] as const;
const L = ['latest'] as const;
const F = ['flow'] as const;
const HL = [...H, ...L];
const LF = [...L, ...F];
const HLF = [...HL, ...F];

const pv: Read = (truth) => truth.pvPowerWatts;
const pv1: Read = (truth) => truth.pvStrings[0].powerWatts;
const pv2: Read = (truth) => truth.pvStrings[1].powerWatts;
const load: Read = (truth) => truth.loadPowerWatts;
const feedIn: Read = (truth) => truth.gridFeedInPowerWatts;
const bought: Read = (truth) => truth.gridImportPowerWatts;
const imported: Read = (truth) => truth.gridImportPowerWatts - truth.gridFeedInPowerWatts;
const exported: Read = (truth) => truth.gridFeedInPowerWatts - truth.gridImportPowerWatts;
const discharging: Read = (truth) => truth.batteryPowerWatts;
const soc: Read = (truth) => truth.batterySocRatio * 100;
const volts: Read = (truth) => truth.batteryVoltageVolts;
const chargeAmperes: Read = (truth) => truth.batteryChargingCurrentAmperes;
const dischargeAmperes: Read = (truth) => truth.batteryDischargeCurrentAmperes;
const discharged: Read = (truth) => dischargeAmperes(truth) - chargeAmperes(truth);
const gridVolts: Read = (truth) => truth.gridVoltageVolts;

type Row = readonly [key: string, unit: string, expected: Read, places: readonly Place[]];

const ROWS: Readonly<Record<Family, readonly Row[]>> = {
  classic: classicRows(),
  fchao: classicRows(),
  hpvinv02: [
    ['pvPower', 'kW', pv1, HL],
    ['pv2Power', 'kW', pv2, HL],
    ['generationPower', 'kW', pv, HL],
    ['outputActivePower', 'kW', load, HL],
    ['mainsPower', 'kW', (truth) => Math.abs(imported(truth)), L],
    ['batteryCapacity', '%', soc, HL],
    ['batteryVoltage', 'V', volts, HL],
    ['batteryChargingCurrent', 'A', chargeAmperes, HL],
    ['batteryDischargeCurrent', 'A', dischargeAmperes, HL],
    ['gridVoltage', 'V', gridVolts, HL],
    ['mainsFrequency', 'Hz', (truth) => truth.gridFrequencyHertz, HL],
    ['outputVoltage', 'V', (truth) => truth.outputVoltageVolts, HL],
    ['pvVoltage', 'V', (truth) => truth.pvStrings[0].voltageVolts, HL],
    ['inverterTemperature', '℃', (truth) => truth.inverterTemperatureCelsius, HL],
    ['pvGeneratedEnergyOfDay', 'kWh', (truth) => truth.energy().today.pvWattHours, HL],
    ['pvGeneratedEnergyOfTotal', 'kWh', (truth) => truth.energy().lifetime.pvWattHours, HL],
    ['pv2Voltage', 'V', (truth) => truth.pvStrings[1].voltageVolts, HL],
    ['pv2Current', 'A', (truth) => truth.pvStrings[1].currentAmperes, HL],
    ['bmsCurrentSOC', '%', () => 100, HL],
    ['bmsBatteryVoltage', 'V', () => 0, HL],
    ['bmsChargingCurrent', 'A', () => 0, HL],
    ['bmsDischargeCurrent', 'A', () => 0, HL],
  ],
  uwb1: [
    ['pv1Power', 'W', pv1, F],
    ['pv2Power', 'W', pv2, F],
    ['generationPower', 'kW', pv, F],
    ['aPhaseMainsPower', 'W', exported, F],
    ['load_power', 'kW', load, LF],
    ['batteryPower', 'W', discharging, LF],
    ['batteryPercentage', '%', soc, LF],
    ['bmsSOC', '%', soc, LF],
    ['positiveTerminalBatteryVoltage', 'V', volts, LF],
    ['positiveTerminalBatteryCurrent', 'A', discharged, LF],
  ],
  pi30: [
    ['PV1ChargingPower', 'W', pv1, LF],
    ['PV2ChargingPower', 'W', pv2, LF],
    ['generationPower', 'kW', pv, LF],
    ['acOutputActivePower', 'kW', load, LF],
    ['batteryCapacity', '%', soc, HLF],
    ['BatteryVoltage', 'V', volts, HLF],
    ['batteryChargingCurrent', 'A', chargeAmperes, L],
    ['batteryDischargeCurrent', 'A', dischargeAmperes, L],
    ['inverterHeatSinkTemperature', '℃', (truth) => truth.inverterTemperatureCelsius, L],
  ],
  'mega-eco': [
    ['pvInputPower', 'kW', pv1, F],
    ['pv2InputPower', 'kW', pv2, F],
    ['generationPower', 'kW', pv, F],
    ['acOutputActivePower', 'W', load, F],
    ['GridPower', 'W', imported, F],
    ['batteryCapacity', '%', soc, HLF],
    ['batteryVoltage', 'V', volts, HLF],
    ['batteryChargingCurrent', 'A', chargeAmperes, HLF],
    ['batteryDischargeCurrent', 'A', dischargeAmperes, HLF],
  ],
  'a-phase-hybrid': [
    ['pv1Power', 'kW', pv1, HL],
    ['pv2Power', 'kW', pv2, HL],
    ['generationPower', 'kW', pv, HL],
    ['totalLoadPower', 'kW', load, HL],
    ['aPhaseFeederPower', 'kW', exported, HL],
    ['batteryPower', 'kW', discharging, HL],
    ['batterySOC', '%', soc, HL],
    ['batterySOH', '%', (truth) => truth.batterySohRatio * 100, HL],
    ['battery_voltage', 'V', volts, HL],
    ['aPhaseGridFrequency', 'Hz', (truth) => truth.gridFrequencyHertz, HL],
    ['loadDayElectricityConsumption', 'kWh', (truth) => truth.energy().today.loadWattHours, HL],
    [
      'dayPurchaseElectricityConsumption',
      'kWh',
      (truth) => truth.energy().today.gridImportWattHours,
      HL,
    ],
  ],
  msdc: [
    ['pv1Power', 'kW', pv1, HLF],
    ['pv2Power', 'kW', pv2, HLF],
    ['generationPower', 'kW', pv, LF],
    ['load_power', 'kW', load, LF],
    // The tag is wrong: the number is one of kW.
    ['outputPower', 'W', (truth) => load(truth) / 1000, L],
    ['totalActivePowerOfTheElectricMeter', 'kW', imported, L],
    ['battery_charge_state', '%', soc, LF],
    ['battery_voltage', 'V', volts, HLF],
    ['battery_current', 'A', discharged, L],
    ['batteryPower', 'kW', discharging, L],
    ['pvMonthlyPowerGeneration', 'kWh', (truth) => truth.energy().thisMonth.pvWattHours, L],
    ['totalGridPowerSale', 'kWh', (truth) => truth.energy().lifetime.gridFeedInWattHours, L],
  ],
  sierro: [
    ['generationPower', 'W', pv, HL],
    ['outputPower', 'W', load, HL],
    ['remainingBatteryCapacity', '%', soc, HL],
    ['batteryCapacity', 'Ah', () => 100, HL],
    ['batteryCurrent', 'A', (truth) => -discharged(truth), HL],
    ['batteryVoltage', 'V', volts, HL],
  ],
  maniy: [
    ['pv1RealTimePower', 'W', pv1, L],
    ['pv2RealTimePower', 'W', pv2, L],
    ['inputMainsPower', 'kW', bought, L],
    ['mainsInputRealTimePower', 'W', bought, L],
    ['gridConnectedPower', 'W', feedIn, L],
    ['acOutputActivePower', 'kW', load, L],
    ['lithiumBatteryVoltage', 'V', volts, L],
    ['lithiumBatteryRemainingCapacity', '%', soc, L],
    ['lithiumBatteryChargeDischargeCurrent', 'A', discharged, L],
  ],
  techfine: [
    ['pvPower', 'kW', pv1, HL],
    ['generationPower', 'kW', pv, HL],
    ['outputActivePower', 'kW', load, HL],
    ['outputApparentPower', 'VA', (truth) => truth.outputApparentPowerVoltAmperes, HL],
    ['outputLoadPercent', '%', (truth) => truth.outputLoadRatio * 100, HL],
    ['mainsPower', 'kW', (truth) => Math.abs(imported(truth)), L],
    ['batteryCapacity', '%', soc, HL],
    ['batteryVoltage', 'V', volts, HL],
    ['acInputVoltage', 'V', gridVolts, HL],
    ['tqfDailyElectricityGeneration', 'kWh', (truth) => truth.energy().today.pvWattHours, HL],
    ['tqfTotalElectricityGeneration', 'kWh', (truth) => truth.energy().lifetime.pvWattHours, HL],
  ],
  'charge-controller': [
    ['generationPower', 'kW', pv, HLF],
    ['pvVoltage', 'V', (truth) => truth.pvStrings[0].voltageVolts, HLF],
    ['load_power', 'kW', load, LF],
    ['batteryRemainingCapacitySOC', '%', soc, HLF],
    ['batteryVoltage', 'V', volts, HLF],
  ],
  undescribed: [
    ['batteryVoltage', 'V', volts, HL],
    ['gridVoltage', 'V', gridVolts, HL],
    ['sunFeedPower', 'kW', pv, HL],
    ['houseDraw', 'W', load, HL],
  ],
};

/** One step of the last digit per unit, and what turns the truth's unit into it. */
const UNITS: Readonly<Record<string, { readonly step: number; readonly perUnit?: number }>> = {
  W: { step: 1 },
  VA: { step: 1 },
  kW: { step: 0.001, perUnit: 1000 },
  V: { step: 0.1 },
  A: { step: 0.1 },
  '%': { step: 1 },
  Hz: { step: 0.01 },
  '℃': { step: 1 },
  kWh: { step: 0.1, perUnit: 1000 },
  Ah: { step: 1 },
};

/** Every family's measured keys. */
export const KEY_ROWS: readonly KeyRow[] = Object.entries(ROWS).flatMap(([family, rows]) =>
  rows.map(([key, unit, expected, places]) => {
    const { step = NaN, perUnit = 1 } = UNITS[unit] ?? {};
    return {
      family: family as Family,
      key,
      unit,
      places,
      expected: (truth) => expected(truth) / perUnit,
      tolerance: step / 2 + 1e-9,
    };
  }),
);

function classicRows(): readonly Row[] {
  return [
    ['pvInputPower', 'W', pv, HL],
    ['acOutputActivePower', 'kW', load, HL],
    ['feedInPower', 'W', feedIn, HL],
    ['batterySOC', '%', soc, HL],
    ['batteryVoltage', 'V', volts, HL],
    ['batteryChargingCurrent', 'A', chargeAmperes, HL],
    ['batteryDischargeCurrent', 'A', dischargeAmperes, HL],
  ];
}
