import * as field from './fields.ts';
import type { Field, Fields } from './fields.ts';
import type { Family } from './names.ts';
import { FCHAO_SETTINGS, PORTAL_SETTINGS, type PortalSetting } from './settings.ts';

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
  /** Whether a window of the history without frames has no payload at all. */
  readonly isNullWhenEmpty: boolean;
  /**
   * The nodes of the energy flow (service.md#energy-flow), for PV, grid, battery and load: the key of the value
   * and then those of the extra values; empty: a null value. Undefined: refused with code 70132.
   */
  readonly flow: readonly (readonly string[])[] | undefined;
  /** The keys of the energy flow's `deviceAttributeState`. */
  readonly flowAttributes: readonly string[] | 'all';
  /** What the portal's form of the settings holds. */
  readonly settings: readonly PortalSetting[];
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

/** The specified keys and units (service.md#keys); filled in: all unit tags but that of the AC output. */
const CLASSIC: Fields = {
  pvInputPower: field.watts('pvPowerWatts'),
  // In kW, unlike every other power; the house hangs on the AC output.
  acOutputActivePower: field.kilowatts('loadPowerWatts'),
  batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
  batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
  batteryVoltage: field.volts('batteryVoltageVolts'),
  feedInPower: field.watts('gridFeedInPowerWatts'),
  batterySOC: field.percent('batterySocRatio'),
};

/** Powers of HPVINV's inverters and Techfine's (service.md#keys, #families); `pvPower` is the first tracker's. */
const HPVINV_POWERS = {
  pvPower: field.kilowatts(field.pvString(0, 'powerWatts')),
  generationPower: field.kilowatts('pvPowerWatts'),
  outputActivePower: field.kilowatts('loadPowerWatts'),
  outputApparentPower: field.voltAmperes('outputApparentPowerVoltAmperes'),
  outputLoadPercent: field.percent('outputLoadRatio'),
};

/** What they tell of the battery; the status says "idle" whatever the battery does. */
const HPVINV_BATTERY = {
  batteryCapacity: field.percent('batterySocRatio'),
  batteryVoltage: field.volts('batteryVoltageVolts'),
  batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
  batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
  batteryStatus: field.text(() => '011', { '011': 'Idle' }),
};

/** The grid, which only the latest state has: a magnitude, whose direction is a field of its own. */
const HPVINV_MAINS = {
  mainsPower: field.kilowatts((state) => Math.abs(field.gridInwardWatts(state))),
  mainsCurrentFlowDirection: field.text((state) => (state.gridFeedInPowerWatts > 0 ? '-' : '+'), {
    '+': 'Mains To Inverter',
    '-': 'Inverter To Mains',
  }),
};

/** What only the latest state has as well (service.md#families): `workingMode` is a setting, and `mode` the state. */
const HPVINV_MODES = {
  mode: modes('Battery Mode', 'Line Mode'),
  workingMode: field.text(() => '1', { '0': 'SUB', '1': 'SBU' }),
  chargingPriorityOrder: field.text(() => '2', { '0': 'CSO', '1': 'SNU', '2': 'OSO' }),
  pvEnergyFeedingPriority: field.text(() => '1', { '0': 'BLU', '1': 'LBU' }),
};

const LAMP_COLOURS = { amber: 'Amber', blue: 'Blue' };

const MODELS: Readonly<Record<Family, FamilyRow>> = {
  classic: { fields: CLASSIC },

  // "Inverter Top One" and its clones (service.md#keys, #families), with the placeholders of a battery
  // without BMS; filled in: which keys arrive late. Its energy flow is answered, and shows nothing.
  hpvinv02: {
    fields: {
      ...HPVINV_POWERS,
      // The one field of this family that some inverters have as a text and others as a number.
      generationPower: field.spelled(HPVINV_POWERS.generationPower),
      pv2Power: field.kilowatts(field.pvString(1, 'powerWatts')),
      ...HPVINV_BATTERY,
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
      ...HPVINV_MAINS,
      batteryRatingVoltage: field.constant('V', 230),
      batteryNumber: field.constant('V', 1),
      ...HPVINV_MODES,
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
    flowAttributes: 'all',
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

  // A three-phase hybrid (service.md#families), with one phase; that a positive feeder is feed-in is
  // inferred; filled in: which keys arrive late.
  'a-phase-hybrid': {
    fields: {
      pv1Power: field.kilowatts(field.pvString(0, 'powerWatts')),
      pv2Power: field.kilowatts(field.pvString(1, 'powerWatts')),
      generationPower: field.kilowatts('pvPowerWatts'),
      totalLoadPower: field.kilowatts('loadPowerWatts'),
      // Negative when importing.
      aPhaseFeederPower: field.kilowatts(field.gridOutwardWatts),
      // Negative when charging.
      batteryPower: field.kilowatts('batteryPowerWatts'),
      batterySOC: field.percent('batterySocRatio'),
      batterySOH: field.percent('batterySohRatio'),
      battery_voltage: field.volts('batteryVoltageVolts'),
      pv1Voltage: field.volts(field.pvString(0, 'voltageVolts')),
      pv1Current: field.amperes(field.pvString(0, 'currentAmperes')),
      busVoltage: field.volts('busVoltageVolts'),
      aPhaseGridFrequency: field.hertz('gridFrequencyHertz'),
      aPhaseOutputVoltage: field.volts('outputVoltageVolts'),
      radiatorTemperature: field.celsius('°C', 'inverterTemperatureCelsius'),
      loadDayElectricityConsumption: field.kilowattHours('today', 'loadWattHours'),
      dayPurchaseElectricityConsumption: field.kilowattHours('today', 'gridImportWattHours'),
      totalPurchaseElectricityConsumption: field.kilowattHours('lifetime', 'gridImportWattHours'),
      totalPowerGeneration: field.kilowattHours('lifetime', 'pvWattHours'),
      workingMode: modes('Battery mode', 'Line mode'),
      firmwareVersion: field.text(() => '1.04'),
    },
    lacking: 'all-null',
    lateKeys: { batterySOC: 1, generationPower: 2, aPhaseFeederPower: 1 },
  },

  // MaxSky (service.md#keys, #families); filled in: that the battery's values are negative when charging,
  // as other families have it, the meter's positive when importing, and purchase and sale in kWh.
  msdc: {
    fields: {
      pv1Power: field.kilowatts(field.pvString(0, 'powerWatts')),
      pv2Power: field.kilowatts(field.pvString(1, 'powerWatts')),
      generationPower: field.kilowatts('pvPowerWatts'),
      load_power: field.kilowatts('loadPowerWatts'),
      totalActivePowerOfTheElectricMeter: field.kilowatts(field.gridInwardWatts),
      battery_charge_state: field.percent('batterySocRatio'),
      gsohAverage: field.percent('batterySohRatio'),
      battery_voltage: field.volts('batteryVoltageVolts'),
      battery_current: field.amperes(field.batteryOutwardAmperes),
      batteryPower: field.kilowatts('batteryPowerWatts'),
      // Tagged in W, while the number is one of kW.
      outputPower: { ...field.kilowatts('loadPowerWatts'), unit: 'W' },
      pvMonthlyPowerGeneration: field.kilowattHours('thisMonth', 'pvWattHours'),
      outputTheDailyPowerConsumption: field.kilowattHours('today', 'loadWattHours'),
      totalGridPowerPurchase: field.kilowattHours('lifetime', 'gridImportWattHours'),
      totalGridPowerSale: field.kilowattHours('lifetime', 'gridFeedInWattHours'),
    },
    deviceModel: null,
    history: ['pv1Power', 'pv2Power', 'battery_voltage'],
    lacking: 'all-null',
    isNullWhenEmpty: true,
    flow: [
      ['generationPower', 'pv1Power', 'pv2Power'],
      [],
      ['battery_charge_state', 'battery_voltage'],
      ['load_power'],
    ],
    flowAttributes: ['pv1Power', 'pv2Power', 'load_power'],
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

  // Maniy's 11 kW hybrid (service.md#families: units and signs are open); filled in: the unit tags,
  // `inputMainsPower` and `mainsInputRealTimePower` as two units of one import, `gridConnectedPower` as the
  // feed-in, negative as charging, and the load.
  maniy: {
    fields: {
      pv1RealTimePower: field.watts(field.pvString(0, 'powerWatts')),
      pv2RealTimePower: field.watts(field.pvString(1, 'powerWatts')),
      inputMainsPower: field.kilowatts('gridImportPowerWatts'),
      mainsInputRealTimePower: field.watts('gridImportPowerWatts'),
      gridConnectedPower: field.watts('gridFeedInPowerWatts'),
      acOutputActivePower: field.kilowatts('loadPowerWatts'),
      lithiumBatteryVoltage: field.volts('batteryVoltageVolts'),
      lithiumBatteryRemainingCapacity: field.percent('batterySocRatio'),
      lithiumBatteryChargeDischargeCurrent: field.amperes(field.batteryOutwardAmperes),
    },
    history: [],
    lacking: 'all-null',
  },

  // Techfine, which speaks HPVINV's keys (service.md#keys, #families) and has counters of its own;
  // filled in: that the history lacks what HPVINV's lacks.
  techfine: {
    fields: {
      ...HPVINV_POWERS,
      ...HPVINV_BATTERY,
      acInputVoltage: field.volts('gridVoltageVolts'),
      mainsFrequency: field.hertz('gridFrequencyHertz'),
      outputVoltage: field.volts('outputVoltageVolts'),
      outputFrequency: field.hertz('outputFrequencyHertz'),
      inverterTemperature: field.celsius('℃', 'inverterTemperatureCelsius'),
      transformerTemperature: field.celsius('℃', 'inverterTemperatureCelsius', 4),
      tqfDailyElectricityGeneration: field.kilowattHours('today', 'pvWattHours'),
      tqfMonthlyElectricityGeneration: field.kilowattHours('thisMonth', 'pvWattHours'),
      tqfTotalElectricityGeneration: field.kilowattHours('lifetime', 'pvWattHours'),
    },
    latestOnly: {
      ...HPVINV_MAINS,
      ...HPVINV_MODES,
      deviceType: field.text(() => 'TECHFINE'),
    },
  },

  // A charge controller, without a grid and without settings (service.md#keys); filled in: PV power,
  // battery voltage and currents.
  'charge-controller': {
    fields: {
      generationPower: field.kilowatts('pvPowerWatts'),
      pvVoltage: field.volts(field.pvString(0, 'voltageVolts')),
      load_power: field.kilowatts('loadPowerWatts'),
      batteryRemainingCapacitySOC: field.percent('batterySocRatio'),
      batteryVoltage: field.volts('batteryVoltageVolts'),
      batteryChargingCurrent: field.amperes('batteryChargingCurrentAmperes'),
      batteryDischargeCurrent: field.amperes('batteryDischargeCurrentAmperes'),
    },
    settings: [],
    history: ['generationPower', 'pvVoltage', 'batteryRemainingCapacitySOC', 'batteryVoltage'],
    lacking: 'all-null',
    lateKeys: { pvVoltage: 2 },
    flow: [
      ['generationPower', 'pvVoltage'],
      [],
      ['batteryVoltage', 'batteryRemainingCapacitySOC'],
      ['load_power'],
    ],
  },

  // A family without a description: its first two keys mean what they mean elsewhere, and no table has the
  // others, which are made up.
  undescribed: {
    fields: {
      batteryVoltage: field.volts('batteryVoltageVolts'),
      gridVoltage: field.volts('gridVoltageVolts'),
      sunFeedPower: field.kilowatts('pvPowerWatts'),
      houseDraw: field.watts('loadPowerWatts'),
      cellarWarmth: field.celsius('°C', 'batteryTemperatureCelsius'),
      lampColour: field.text(({ pvPowerWatts: sun }) => (sun > 0 ? 'amber' : 'blue'), LAMP_COLOURS),
      panelMood: field.text(() => '007'),
    },
  },

  // Known by its settings alone (service.md#settings); its telemetry is filled in from classic.
  fchao: { fields: CLASSIC, settings: FCHAO_SETTINGS },
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
    isNullWhenEmpty: false,
    flow: undefined,
    flowAttributes: [],
    settings: PORTAL_SETTINGS,
    deviceModel: 'SIM-5K',
    isPvOnlySummary: false,
    gatherProtocolNumber: `SIM${String(number).padStart(7, '0')}`,
    ...row,
  };
}
