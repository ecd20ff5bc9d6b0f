import { describe, expect, test } from 'vitest';
import { wordsOf } from '../../../src/commands/metric-words.ts';
import { MEASUREMENT_METRICS } from '../../../src/collectors/reading-metrics.ts';

describe('the words of a metric', () => {
  test.each([
    ['solar_pv_power_watts', 'PV power', 'W', 1],
    ['solar_grid_feed_in_power_watts', 'grid feed-in power', 'W', 1],
    ['solar_battery_soc_ratio', 'battery SOC', '%', 100],
    ['solar_ac_output_voltage_volts', 'AC output voltage', 'V', 1],
    ['solar_battery_temperature_celsius', 'battery temperature', '°C', 1],
    ['solar_device_working_mode', 'working mode', '', 1],
  ])('%s are %s', (name, quantity, unit, scale) => {
    expect(wordsOf(name)).toEqual({ quantity, unit, scale });
  });

  test.each([
    ['solar_pv_string_power_watts', { string: '2' }, 'PV string 2 power'],
    ['solar_device_temperature_celsius', { sensor: 'heat_sink' }, 'temperature (heat_sink)'],
    ['solar_pv_string_power_watts', { string: '$&' }, 'PV string $& power'],
  ])('%s with %j are %s', (name, labels, quantity) => {
    expect(wordsOf(name, labels).quantity).toBe(quantity);
  });

  test('tell all measured quantities apart; all but two have a unit', () => {
    const words = MEASUREMENT_METRICS.map(({ name }) => wordsOf(name));
    expect(new Set(words.map(({ quantity }) => quantity)).size).toBe(words.length);
    expect(words.filter(({ unit }) => unit === '').map(({ quantity }) => quantity)).toEqual([
      'battery BMS connected',
      'working mode',
    ]);
  });
});
