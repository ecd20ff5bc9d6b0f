import { EVERYWHERE, type FieldRule, HISTORY_AND_LATEST } from '../field-rule.ts';

/** Power of the house and AC output of the inverter (field notes 3.1). */
export const LOAD_RULES: readonly FieldRule[] = [
  {
    key: 'acOutputActivePower',
    reads: 'acOutputPowerWatts',
    unit: 'kW',
    families: ['classic', 'pi30'],
    sources: EVERYWHERE,
    confidence: 'high',
  },
  {
    key: 'acOutputActivePower',
    reads: 'acOutputPowerWatts',
    unit: 'W',
    families: ['mega-eco'],
    sources: ['flow'],
    confidence: 'high',
  },
  {
    key: 'outputActivePower',
    reads: 'acOutputPowerWatts',
    unit: 'kW',
    families: ['hpvinv02'],
    sources: HISTORY_AND_LATEST,
    confidence: 'high',
  },
  {
    key: 'load_power',
    reads: 'loadPowerWatts',
    unit: 'kW',
    families: ['uwb1', 'msdc', 'charge-controller'],
    sources: EVERYWHERE,
    confidence: 'medium',
  },
  {
    key: 'totalLoadPower',
    reads: 'loadPowerWatts',
    unit: 'kW',
    families: ['a-phase-hybrid'],
    sources: HISTORY_AND_LATEST,
    confidence: 'medium',
  },
  {
    key: 'offGridPortTotalPower',
    reads: 'loadPowerWatts',
    unit: 'kW',
    families: ['a-phase-hybrid'],
    sources: ['latest'],
    confidence: 'low',
  },
  {
    key: 'outputPower',
    reads: 'loadPowerWatts',
    unit: 'W',
    families: ['sierro'],
    sources: EVERYWHERE,
    confidence: 'low',
  },
  {
    key: 'loadPower',
    reads: 'loadPowerWatts',
    families: [],
    sources: EVERYWHERE,
    confidence: 'low',
  },
];
