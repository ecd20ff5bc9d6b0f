import type { FamilyModel } from './family-model.ts';
import * as field from './field.ts';
import { quantity } from './quantities.ts';
import { COMMON, PLAIN_HISTORY } from './common-rules.ts';

/** The powers, which only the energy flow shows, in its nodes. */
const FLOW_ONLY = {
  // One string here, though elsewhere the name means all of them.
  pvInputPower: field.kilowatts(quantity.firstStringWatts),
  pv2InputPower: field.kilowatts(quantity.secondStringWatts),
  generationPower: field.kilowatts(quantity.pvWatts),
  acOutputActivePower: field.watts(quantity.loadWatts),
  // Positive when importing; there is no key of feed-in beside it.
  GridPower: field.watts(quantity.gridInwardWatts),
};

const ELSEWHERE_TOO = {
  batteryCapacity: field.percent(quantity.socRatio),
  batteryVoltage: field.volts(quantity.batteryVolts),
  batteryChargingCurrent: field.amperes(quantity.chargingAmperes),
  batteryDischargeCurrent: field.amperes(quantity.dischargeAmperes),
  acInputVoltage: field.volts(quantity.gridVolts),
  acInputFrequency: field.hertz(quantity.gridHertz),
  acOutputVoltage: field.volts(quantity.outputVolts),
};

/**
 * MEGA-ECO. The powers with their units and signs, and the SOC, are in the field notes (3.1, 3.2);
 * filled in: battery voltage and currents and the AC voltages, under their commonest keys.
 */
export const megaEco: FamilyModel = {
  ...COMMON,
  gatherProtocolNumber: 'SIM0000005',
  deviceModel: null,
  fields: { ...FLOW_ONLY, ...ELSEWHERE_TOO },
  history: {
    ...PLAIN_HISTORY,
    keys: Object.keys(ELSEWHERE_TOO),
    lacking: 'all-null',
    lateKeys: { batteryVoltage: 1 },
  },
  latest: Object.keys(ELSEWHERE_TOO),
  flow: {
    nodes: {
      pvPanelFlow: ['generationPower', 'pvInputPower', 'pv2InputPower'],
      gridFlow: ['GridPower'],
      batteryFlow: [
        ...['batteryVoltage', 'batteryCapacity'],
        ...['batteryChargingCurrent', 'batteryDischargeCurrent'],
      ],
      loadFlow: ['acOutputActivePower'],
    },
    attributes: [],
  },
};
