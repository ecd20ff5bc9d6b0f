import * as field from './fields.ts';
import type { Field, Fields } from './fields.ts';
import type { Family } from '../../base/service-names.ts';

/** The keys, units and answers of one inverter family. */
interface FamilyModel {
  readonly fields: Fields;
  /** What the latest state has: all but what only the energy flow has. */
  readonly latest: readonly string[];
  /** What the time series has (service.md#time-series): all but what is elsewhere only, unless a family differs. */
  readonly history: readonly string[];
  /** How the history answers a requested key without values. */
  readonly lacking: 'left-out' | 'all-null';
  /** Keys that arrive late in the history: null at so many of the newest instants. */
  readonly lateKeys: Readonly<Record<string, number>>;
  /** Whether `formatters` of the history carries the units. */
  readonly hasUnits: boolean;
  /**
   * The nodes of the energy flow (service.md#energy-flow), for PV, grid, battery and load: the key of the value
   * and then those of the extra values; empty: a null value. Undefined: refused with code 70132.
   */
  readonly flow: readonly (readonly string[])[] | undefined;
  /** Whether the energy flow also has all keys of the latest state. */
  readonly hasStateInFlow: boolean;
  /** Null where the portal does not know it either. */
  readonly deviceModel: string | null;
  /** Whether only `pvGeneratedEnergy` of the yearly summary is measured. */
  readonly isPvOnlySummary: boolean;
  /** Made up. */
  readonly gatherProtocolNumber: string;
}

/** What sets a family apart from most. */
interface FamilyRow extends Partial<FamilyModel> {
  readonly fields: Fields;
  /** What only the latest state has as well, or only the energy flow. */
  readonly latestOnly?: Fields;
  readonly flowOnly?: Fields;
}

/** The letters that several families spell their mode in (service.md#modes), and their texts. */
const modes = (B: string, L: string): Field =>
  field.text((state) => (state.batteryDischargeCurrentAmperes > 0 ? 'B' : 'L'), { B, L });

const MODELS: Readonly<Record<Family, FamilyRow>> = {
  // The specified keys and units (service.md#keys); filled in: all unit tags but that of the AC output.
  classic: {
    fields: {
      pvInputPower: field.watts('pvPowerWatts'),
      // In kW, unlike every other power; the house hangs on the AC output.
      acOutputActivePower: field.kilowatts('loadPowerWatts'),
      batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
      batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
      batteryVoltage: field.volts('batteryVoltageVolts'),
      feedInPower: field.watts('gridFeedInPowerWatts'),
      batterySOC: field.percent('batterySocRatio'),
    },
  },

  // "Inverter Top One" and its clones (service.md#keys, #families), with the placeholders of a battery
  // without BMS; filled in: which keys arrive late. Its energy flow is answered, and shows nothing.
  hpvinv02: {
    fields: {
      // That of the first tracker.
      pvPower: field.kilowatts(field.pvString(0, 'powerWatts')),
      pv2Power: field.kilowatts(field.pvString(1, 'powerWatts')),
      // The one field of this family that some inverters have as a text and others as a number.
      generationPower: field.spelled(field.kilowatts('pvPowerWatts')),
      outputActivePower: field.kilowatts('loadPowerWatts'),
      outputApparentPower: field.voltAmperes('outputApparentPowerVoltAmperes'),
      outputLoadPercent: field.percent('outputLoadRatio'),
      batteryCapacity: field.percent('batterySocRatio'),
      batteryVoltage: field.volts('batteryVoltageVolts'),
      batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
      batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
      // It says "idle" whatever the battery does.
      batteryStatus: field.text(() => '011', { '011': 'Idle' }),
      // Placeholders, as the flag says that no BMS talks; the charge is a full one all the same.
      bmsCommunicationNormal: field.text(() => '0', { '0': 'No', '1': 'Yes' }),
      bmsCurrentSOC: field.constant('%', 100),
      bmsBatteryVoltage: field.constant('V', 0),
      bmsChargingCurrent: field.constant('A', 0),
      bmsDischargeCurrent: field.constant('A', 0),
      gridVoltage: field.volts('gridVoltageVolts'),
      mainsFrequency: field.hertz('gridFrequencyHertz'),
      outputVoltage: field.volts('outputVoltageVolts'),
      outputFrequency: field.hertz('outputFrequencyHertz'),
      pvVoltage: field.volts(field.pvString(0, 'voltageVolts')),
      pv2Voltage: field.volts(field.pvString(1, 'voltageVolts')),
      pv2Current: field.amperes(field.pvString(1, 'currentAmperes')),
      busVoltage: field.volts('busVoltageVolts'),
      inverterTemperature: field.celsius('℃', 'inverterTemperatureCelsius'),
      transformerTemperature: field.celsius('℃', 'inverterTemperatureCelsius', 4),
      pvTemperature: field.celsius('℃', 'inverterTemperatureCelsius', -2),
      pv2Temperature: field.celsius('℃', 'inverterTemperatureCelsius', -1),
      boostTemperature: field.celsius('℃', 'inverterTemperatureCelsius', 1),
      pvGeneratedEnergyOfDay: field.kilowattHours('today', 'pvWattHours'),
      pvGeneratedEnergyOfTotal: field.kilowattHours('lifetime', 'pvWattHours'),
    },
    latestOnly: {
      // A magnitude, whose direction is a field of its own.
      mainsPower: field.kilowatts((state) => Math.abs(field.gridInwardWatts(state))),
      mainsCurrentFlowDirection: field.text(
        (state) => (state.gridFeedInPowerWatts > 0 ? '-' : '+'),
        { '+': 'Mains To Inverter', '-': 'Inverter To Mains' },
      ),
      batteryRatingVoltage: field.constant('V', 230),
      batteryNumber: field.constant('V', 1),
      mode: modes('Battery Mode', 'Line Mode'),
      // A setting, unlike the state above (service.md#families).
      workingMode: field.text(() => '1', { '0': 'SUB', '1': 'SBU' }),
      chargingPriorityOrder: field.text(() => '2', { '0': 'CSO', '1': 'SNU', '2': 'OSO' }),
      pvEnergyFeedingPriority: field.text(() => '1', { '0': 'BLU', '1': 'LBU' }),
      deviceType: field.text(() => 'HPVINV02'),
    },
    isPvOnlySummary: true,
    lateKeys: { batteryCapacity: 1, batteryStatus: 2 },
    flow: [[], [], [], []],
  },

  // UWB1 and RWB1 (service.md#keys); filled in: grid voltage and frequency, that `generationPower` is
  // the sum, and the number in a string. In the history frames are there, and no key is in them.
  uwb1: {
    flowOnly: {
      pv1Power: field.watts(field.pvString(0, 'powerWatts')),
      pv2Power: field.watts(field.pvString(1, 'powerWatts')),
      generationPower: field.kilowatts('pvPowerWatts'),
      // Positive when exporting.
      aPhaseMainsPower: field.watts(field.gridOutwardWatts),
    },
    fields: {
      load_power: field.kilowatts('loadPowerWatts'),
      // Negative when charging, like the current below.
      batteryPower: field.watts('batteryPowerWatts'),
      batteryPercentage: field.percent('batterySocRatio'),
      bmsSOC: field.percent('batterySocRatio'),
      positiveTerminalBatteryVoltage: field.spelled(field.volts('batteryVoltageVolts')),
      positiveTerminalBatteryCurrent: field.amperes(field.batteryOutwardAmperes),
      gridVoltage: field.volts('gridVoltageVolts'),
      gridFrequency: field.hertz('gridFrequencyHertz'),
    },
    history: [],
    flow: [
      ['generationPower', 'pv1Power', 'pv2Power'],
      ['aPhaseMainsPower'],
      ['batteryPower', 'batteryPercentage'],
      ['load_power'],
    ],
    hasStateInFlow: true,
  },

  // Voltronic-like (VICTOR; service.md#keys); filled in: the two battery currents and the spellings
  // of the voltages. Nothing measures the grid's power.
  pi30: {
    fields: {
      PV1ChargingPower: field.watts(field.pvString(0, 'powerWatts')),
      PV2ChargingPower: field.watts(field.pvString(1, 'powerWatts')),
      generationPower: field.kilowatts('pvPowerWatts'),
      acOutputActivePower: field.kilowatts('loadPowerWatts'),
      outputLoadPercent: field.percent('outputLoadRatio'),
      batteryCapacity: field.percent('batterySocRatio'),
      BatteryVoltage: field.volts('batteryVoltageVolts'),
      batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
      batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
      PV1InputVoltage: field.volts(field.pvString(0, 'voltageVolts')),
      gridVoltage: field.volts('gridVoltageVolts'),
      gridFrequency: field.hertz('gridFrequencyHertz'),
      acOutputVoltage: field.volts('outputVoltageVolts'),
      acOutputFrequency: field.hertz('outputFrequencyHertz'),
      inverterHeatSinkTemperature: field.celsius('℃', 'inverterTemperatureCelsius'),
      workingMode: modes('Battery mode', 'Line mode'),
    },
    history: ['BatteryVoltage', 'batteryCapacity', 'gridVoltage', 'acOutputVoltage', 'workingMode'],
    hasUnits: true,
    flow: [
      ['generationPower', 'PV1ChargingPower', 'PV2ChargingPower'],
      ['gridVoltage', 'gridFrequency'],
      ['BatteryVoltage', 'batteryCapacity'],
      ['acOutputActivePower', 'outputLoadPercent'],
    ],
  },

  // MEGA-ECO (service.md#keys); filled in: battery voltage and currents and the AC voltages.
  'mega-eco': {
    flowOnly: {
      // One string here, though elsewhere the name means all of them.
      pvInputPower: field.kilowatts(field.pvString(0, 'powerWatts')),
      pv2InputPower: field.kilowatts(field.pvString(1, 'powerWatts')),
      generationPower: field.kilowatts('pvPowerWatts'),
      acOutputActivePower: field.watts('loadPowerWatts'),
      // Positive when importing; there is no key of feed-in beside it.
      GridPower: field.watts(field.gridInwardWatts),
    },
    fields: {
      batteryCapacity: field.percent('batterySocRatio'),
      batteryVoltage: field.volts('batteryVoltageVolts'),
      batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
      batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
      acInputVoltage: field.volts('gridVoltageVolts'),
      acInputFrequency: field.hertz('gridFrequencyHertz'),
      acOutputVoltage: field.volts('outputVoltageVolts'),
    },
    deviceModel: null,
    lacking: 'all-null',
    lateKeys: { batteryVoltage: 1 },
    flow: [
      ['generationPower', 'pvInputPower', 'pv2InputPower'],
      ['GridPower'],
      ['batteryVoltage', 'batteryCapacity', 'batteryChargingCurrent', 'batteryDischargeCurrent'],
      ['acOutputActivePower'],
    ],
  },

  // A portable station (service.md#keys); filled in: the battery's voltage, numbers in strings. Nothing
  // measures the grid.
  sierro: {
    fields: {
      // In W, though most families have it in kW.
      generationPower: field.spelled(field.watts('pvPowerWatts')),
      outputPower: field.spelled(field.watts('loadPowerWatts')),
      remainingBatteryCapacity: field.spelled(field.percent('batterySocRatio')),
      // A rating in another unit, which a reader without units takes for a full battery.
      batteryCapacity: field.spelled(field.constant('Ah', 100)),
      // Negative when discharging.
      batteryCurrent: field.spelled(field.amperes(field.batteryInwardAmperes)),
      batteryVoltage: field.spelled(field.volts('batteryVoltageVolts')),
      cellTemperature1: field.spelled(field.celsius('℃', 'batteryTemperatureCelsius')),
    },
  },
};

/** Describes a family, with its keys spelled out in the order of the table of fields. */
export function familyModel(family: Family): FamilyModel {
  const { flowOnly, fields, latestOnly, ...row }: FamilyRow = MODELS[family];
  const number = 1 + Object.keys(MODELS).indexOf(family);
  return {
    fields: { ...flowOnly, ...fields, ...latestOnly },
    latest: Object.keys({ ...fields, ...latestOnly }),
    history: Object.keys(fields),
    lacking: 'left-out',
    lateKeys: {},
    hasUnits: false,
    flow: undefined,
    hasStateInFlow: false,
    deviceModel: 'SIM-5K',
    isPvOnlySummary: false,
    gatherProtocolNumber: `SIM${String(number).padStart(7, '0')}`,
    ...row,
  };
}
