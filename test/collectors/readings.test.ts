import { describe, expect, test } from 'vitest';
import { readingsCollector } from '../../src/collectors/readings.ts';
import { pointsOf } from './collector-samples.ts';

const NOTHING_DERIVED = {
  solar_load_power_watts: 0,
  solar_grid_power_watts: 0,
  solar_grid_import_power_watts: 0,
  solar_battery_power_watts: 0,
};

describe('the readings of a device', () => {
  test('give every gauge when every value is there', () => {
    const points = pointsOf(readingsCollector, {
      pvPowerWatts: 1000,
      acOutputPowerWatts: 2500,
      gridFeedInPowerWatts: 10,
      batteryVoltageVolts: 50,
      batteryChargingCurrentAmperes: 2,
      batteryDischargeCurrentAmperes: 12,
      batterySocRatio: 0.42,
      measuredAtMs: 1_780_000_000_500,
    });
    expect(points).toEqual({
      solar_pv_power_watts: 1000,
      solar_ac_output_power_watts: 2500,
      solar_load_power_watts: 2500,
      solar_grid_power_watts: 2010,
      solar_grid_import_power_watts: 1010,
      solar_grid_feed_in_power_watts: 10,
      solar_battery_power_watts: 500,
      solar_battery_voltage_volts: 50,
      solar_battery_charging_current_amperes: 2,
      solar_battery_discharge_current_amperes: 12,
      solar_battery_soc_ratio: 0.42,
      solar_reading_timestamp_seconds: 1_780_000_000.5,
      solar_device_reporting: 1,
    });
  });

  test.each([
    {
      when: 'the window is empty',
      readings: {},
      expected: { solar_device_reporting: 0 },
    },
    {
      when: 'only the state of charge is known',
      readings: { batterySocRatio: 0.5 },
      expected: { ...NOTHING_DERIVED, solar_battery_soc_ratio: 0.5, solar_device_reporting: 1 },
    },
    {
      when: 'the load is missing',
      readings: { pvPowerWatts: 800 },
      expected: { ...NOTHING_DERIVED, solar_pv_power_watts: 800, solar_device_reporting: 1 },
    },
    {
      when: 'the sun is missing',
      readings: { acOutputPowerWatts: 800 },
      expected: {
        solar_ac_output_power_watts: 800,
        solar_load_power_watts: 800,
        solar_grid_power_watts: 800,
        solar_grid_import_power_watts: 800,
        solar_battery_power_watts: 0,
        solar_device_reporting: 1,
      },
    },
    {
      when: 'a zero was measured',
      readings: { pvPowerWatts: 0 },
      expected: { ...NOTHING_DERIVED, solar_pv_power_watts: 0, solar_device_reporting: 1 },
    },
  ])('leave out what is unknown and derive with 0: $when', ({ readings, expected }) => {
    expect(pointsOf(readingsCollector, readings)).toEqual(expected);
  });
});
