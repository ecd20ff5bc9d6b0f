import type { FieldRule } from './field-rule.ts';
import { EVERYWHERE, HISTORY_AND_LATEST, LATEST_AND_FLOW, STRING_NUMBERS } from './sources.ts';

/** PV power (field notes 3.1): sums before parts, which are never added to a sum. */
export const PV_RULES: readonly FieldRule[] = [
  {
    key: 'generationPower',
    reads: 'pvPowerWatts',
    unit: 'kW',
    families: ['a-phase-hybrid', 'pi30', 'uwb1', 'mega-eco', 'hpvinv02'],
    sources: EVERYWHERE,
    confidence: 'high',
  },
  {
    key: 'generationPower',
    reads: 'pvPowerWatts',
    unit: 'W',
    families: ['sierro'],
    sources: EVERYWHERE,
    confidence: 'medium',
  },
  {
    key: 'pvPower',
    reads: 'pvPowerWatts',
    unit: 'kW',
    families: ['hpvinv02'],
    sources: EVERYWHERE,
    confidence: 'high',
  },
  // Seen in both units.
  {
    key: 'pvPower',
    reads: 'pvPowerWatts',
    families: ['techfine'],
    sources: EVERYWHERE,
    confidence: 'low',
  },
  {
    key: 'pvInputPower',
    reads: 'pvPowerWatts',
    unit: 'W',
    families: ['classic'],
    sources: HISTORY_AND_LATEST,
    confidence: 'medium',
  },
  {
    key: 'solarPower',
    reads: 'pvPowerWatts',
    families: [],
    sources: EVERYWHERE,
    confidence: 'low',
  },
  // On this family the key of the interface is the first string alone.
  {
    key: 'pvInputPower',
    reads: 'stringPowerWatts',
    part: '1',
    unit: 'kW',
    families: ['mega-eco'],
    sources: ['flow'],
    confidence: 'high',
  },
  {
    key: 'pv2InputPower',
    reads: 'stringPowerWatts',
    part: '2',
    unit: 'kW',
    families: ['mega-eco'],
    sources: ['flow'],
    confidence: 'high',
  },
  ...STRING_NUMBERS.flatMap((part): FieldRule[] => [
    {
      key: `pv${part}Power`,
      reads: 'stringPowerWatts',
      part,
      unit: 'W',
      families: ['uwb1'],
      sources: EVERYWHERE,
      confidence: 'high',
    },
    {
      key: `pv${part}Power`,
      reads: 'stringPowerWatts',
      part,
      unit: 'kW',
      families: ['a-phase-hybrid', 'msdc'],
      sources: EVERYWHERE,
      confidence: 'high',
    },
    {
      key: `PV${part}ChargingPower`,
      reads: 'stringPowerWatts',
      part,
      unit: 'W',
      families: ['pi30'],
      sources: LATEST_AND_FLOW,
      confidence: 'medium',
    },
    {
      key: `pv${part}RealTimePower`,
      reads: 'stringPowerWatts',
      part,
      families: ['maniy'],
      sources: ['latest'],
      confidence: 'low',
    },
  ]),
];
