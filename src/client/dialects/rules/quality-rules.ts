import type { Quantity } from '../../../model/readings.ts';
import { EVERYWHERE, type Family, type FieldRule, STRING_NUMBERS } from '../field-rule.ts';

function rules(
  reads: Quantity,
  unit: string,
  confidence: FieldRule['confidence'],
  keys: readonly (readonly [key: string, part?: string, families?: readonly Family[]])[],
): readonly FieldRule[] {
  return keys.map(([key, part, families = []]) => ({
    key,
    reads,
    unit,
    ...(part !== undefined && { part }),
    families,
    sources: EVERYWHERE,
    confidence,
  }));
}

const GRID_AND_OUTPUT_RULES: readonly FieldRule[] = [
  ...rules('gridVoltageVolts', 'V', 'high', [
    ['gridVoltage'],
    ['acInputVoltage'],
    ['l1AcInputVoltage'],
  ]),
  ...rules('gridFrequencyHertz', 'Hz', 'high', [
    ['gridFrequency'],
    ['mainsFrequency'],
    ['acInputFrequency'],
    ['aPhaseGridFrequency'],
  ]),
  ...rules('acOutputVoltageVolts', 'V', 'high', [
    ['acOutputVoltage'],
    ['outputVoltage'],
    ['aPhaseOutputVoltage'],
  ]),
  ...rules('acOutputFrequencyHertz', 'Hz', 'high', [['acOutputFrequency'], ['outputFrequency']]),
];

const STRING_RULES: readonly FieldRule[] = [
  ...rules('stringVoltageVolts', 'V', 'high', [
    ['pvVoltage', '1'],
    ['pvInputVoltage', '1'],
    ['PVVoltage', '1'],
  ]),
  ...STRING_NUMBERS.flatMap((part) => [
    ...rules('stringVoltageVolts', 'V', 'high', [
      [`pv${part}Voltage`, part],
      [`pvInputVoltage${part}`, part],
      [`PV${part}InputVoltage`, part],
    ]),
    ...rules('stringCurrentAmperes', 'A', 'medium', [
      [`pv${part}Current`, part],
      [`pv${part}InputCurrent`, part],
      [`pv${part}InputCurrentForBattery`, part],
    ]),
  ]),
];

/** The part is the value of the `sensor` label. */
const TEMPERATURE_RULES: readonly FieldRule[] = rules('temperatureCelsius', '°C', 'medium', [
  ['inverterTemperature', 'inverter'],
  ['inverterHeatSinkTemperature', 'heat_sink'],
  ['maxHeatSinkTemperature', 'heat_sink'],
  ['radiatorTemperature', 'heat_sink'],
  ['ntcMaximumTemperature', 'ntc_maximum'],
  ['transformerTemperature', 'transformer'],
  ['pvTemperature', 'pv'],
  ['pv2Temperature', 'pv2'],
  ['boostTemperature', 'boost'],
  ['mpptTemperature', 'mppt'],
  ['dcdcTemperature', 'dc_dc'],
  ['bmsMosTemperature', 'bms_mos'],
  ['bmsAmbientTemperature', 'bms_ambient'],
]);

/** Voltages, frequencies and temperatures (field notes 3.3). They mean the same in every family. */
export const QUALITY_RULES: readonly FieldRule[] = [
  ...GRID_AND_OUTPUT_RULES,
  ...STRING_RULES,
  ...TEMPERATURE_RULES,
];
