import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../../src/collectors/metric-words.ts';
import { MEASUREMENT_METRICS } from '../../../src/collectors/reading-metrics.ts';

describe('the words of a metric', () => {
  test.each([
    { name: 'solar_pv_power_watts', quantity: 'PV power', unit: 'W', scale: 1 },
    { name: 'solar_grid_import_power_watts', quantity: 'grid import power', unit: 'W', scale: 1 },
    { name: 'solar_grid_feed_in_power_watts', quantity: 'grid feed-in power', unit: 'W', scale: 1 },
    { name: 'solar_battery_soc_ratio', quantity: 'battery SOC', unit: '%', scale: 100 },
    { name: 'solar_ac_output_voltage_volts', quantity: 'AC output voltage', unit: 'V', scale: 1 },
    {
      name: 'solar_battery_temperature_celsius',
      quantity: 'battery temperature',
      unit: '°C',
      scale: 1,
    },
    { name: 'solar_device_working_mode', quantity: 'working mode', unit: '', scale: 1 },
  ])('$name are $quantity', ({ name, ...words }) => {
    expect(wordsOf(name)).toEqual(words);
  });

  test.each([
    { name: 'solar_pv_string_power_watts', labels: { string: '2' }, quantity: 'PV string 2 power' },
    {
      name: 'solar_device_temperature_celsius',
      labels: { sensor: 'heat_sink' },
      quantity: 'temperature (heat_sink)',
    },
    {
      name: 'solar_pv_string_power_watts',
      labels: { string: '$&' },
      quantity: 'PV string $& power',
    },
  ])('$name with $labels are $quantity', ({ name, labels, quantity }) => {
    expect(wordsOf(name, labels).quantity).toBe(quantity);
  });

  test('tell all measured quantities apart, and each has a unit or is a mode', () => {
    const words = MEASUREMENT_METRICS.map(({ name }) => wordsOf(name));
    expect(new Set(words.map(({ quantity }) => quantity)).size).toBe(words.length);
    expect(words.filter(({ unit }) => unit === '').map(({ quantity }) => quantity)).toEqual([
      'working mode',
    ]);
  });
});
