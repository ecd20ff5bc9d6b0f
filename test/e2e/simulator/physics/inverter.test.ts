import { describe, expect, test } from 'vitest';
import { startSimulator } from '../running-simulator.ts';

const HOUR_MS = 3_600_000;

describe('the truth about an inverter', () => {
  test('splits PV over two strings whose voltage and current make up their power', async () => {
    const { simulator, deviceId, clock } = await startSimulator();
    const { pvPowerWatts, pvStrings } = simulator.truth(deviceId, clock.nowMs());
    const [first, second] = pvStrings;
    expect(first.powerWatts / pvPowerWatts).toBeCloseTo(0.55, 9);
    expect(first.powerWatts + second.powerWatts).toBeCloseTo(pvPowerWatts, 9);
    for (const { powerWatts, voltageVolts, currentAmperes } of pvStrings) {
      expect(voltageVolts).toBeGreaterThan(250);
      expect(voltageVolts * currentAmperes).toBeCloseTo(powerWatts, 9);
    }
  });

  test('has strings without voltage at night', async () => {
    const { simulator, deviceId, clock } = await startSimulator();
    const { pvStrings } = simulator.truth(deviceId, clock.nowMs() - 12 * HOUR_MS);
    const dark = { powerWatts: 0, voltageVolts: 0, currentAmperes: 0 };
    expect(pvStrings).toEqual([dark, dark]);
  });

  test('wobbles with the seed and stays where a house can live', async () => {
    const { simulator, deviceId, clock } = await startSimulator({ seed: 3 });
    const voltages = new Set<number>();
    for (let hour = 0; hour < 24; hour += 1) {
      const state = simulator.truth(deviceId, clock.nowMs() - hour * HOUR_MS);
      voltages.add(state.gridVoltageVolts);
      expect(Math.abs(state.gridVoltageVolts - 230)).toBeLessThanOrEqual(7);
      expect(Math.abs(state.gridFrequencyHertz - 50)).toBeLessThanOrEqual(0.08);
      expect(Math.abs(state.outputVoltageVolts - 230)).toBeLessThanOrEqual(1.5);
      expect(Math.abs(state.outputFrequencyHertz - 50)).toBeLessThanOrEqual(0.03);
      expect(Math.abs(state.busVoltageVolts - 390)).toBeLessThanOrEqual(8);
      expect(state.inverterTemperatureCelsius).toBeGreaterThan(20);
      expect(state.inverterTemperatureCelsius).toBeLessThan(65);
      expect(state.batterySohRatio).toBeGreaterThanOrEqual(0.95);
      expect(state.batterySohRatio).toBeLessThan(1);
      expect(state.outputApparentPowerVoltAmperes).toBeGreaterThan(state.loadPowerWatts);
    }
    expect(voltages.size).toBe(24);
    const other = await startSimulator({ seed: 4 });
    expect(other.simulator.truth(other.deviceId, clock.nowMs()).gridVoltageVolts).not.toBe(
      simulator.truth(deviceId, clock.nowMs()).gridVoltageVolts,
    );
  });

  test('scales the counters with the device', async () => {
    const { simulator, stationId, clock } = await startSimulator({ devicesPerStation: 2 });
    const [one, other] = simulator
      .deviceIds(stationId)
      .map((deviceId) => simulator.truth(deviceId, clock.nowMs()));
    const weight = (other?.pvPowerWatts ?? NaN) / (one?.pvPowerWatts ?? NaN);
    for (const read of ['today', 'thisMonth', 'lifetime'] as const)
      expect(
        (other?.energy()[read].loadWattHours ?? NaN) / (one?.energy()[read].loadWattHours ?? NaN),
      ).toBeCloseTo(weight, 9);
  });
});
