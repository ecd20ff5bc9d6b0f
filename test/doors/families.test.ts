import { describe, expect, test } from 'vitest';
import { type Family, FAMILIES, type InverterState } from '../../src/simulator/simulator.ts';
import { HOUR_MS, startBoth } from './house.ts';
import { readingRequests } from '../support/reading-requests.ts';

/** Two in the morning of a day on which the first seed's weather lets the battery run empty and full. */
const NIGHT = '2026-06-21T18:00:00Z';
/** Every four hours. */
const ROUNDS = 6;

/** Half of the last digit that the service gives. */
const WATT = 0.5;
const AMPERE = 0.05;
const VOLT = 0.05;
const SOC = 0.005;

/** How far current times voltage may be off, each of them rounded. */
function terminalTolerance(state: InverterState): number {
  const amperes = state.batteryChargingCurrentAmperes + state.batteryDischargeCurrentAmperes;
  return (amperes + AMPERE) * VOLT + state.batteryVoltageVolts * AMPERE;
}

interface Quantity {
  readonly metric: string;
  readonly truth: (state: InverterState) => number;
  readonly tolerance: (state: InverterState) => number;
}

const QUANTITIES = {
  // A sum of two strings is rounded twice.
  pv: quantity('solar_pv_power_watts', (state) => state.pvPowerWatts, 2 * WATT),
  load: quantity('solar_load_power_watts', (state) => state.loadPowerWatts, WATT),
  feedIn: quantity('solar_grid_feed_in_power_watts', (state) => state.gridFeedInPowerWatts, WATT),
  soc: quantity('solar_battery_soc_ratio', (state) => state.batterySocRatio, SOC),
  battery: {
    metric: 'solar_battery_power_watts',
    truth: (state: InverterState) => state.batteryPowerWatts,
    tolerance: terminalTolerance,
  },
  gridImport: {
    metric: 'solar_grid_import_power_watts',
    truth: (state: InverterState) => state.gridImportPowerWatts,
    // By the balance of everything above, where it is not measured.
    tolerance: (state: InverterState) => 4 * WATT + terminalTolerance(state),
  },
  voltage: quantity('solar_battery_voltage_volts', (state) => state.batteryVoltageVolts, VOLT),
} satisfies Record<string, Quantity>;

type QuantityName = keyof typeof QUANTITIES;

/**
 * By which name each goes and where it is read once it is known, and what nobody can know of it, because no key or
 * no confirmed sign says it.
 */
const FACTS: Readonly<
  Record<Family, readonly [family: string, source: string, unknown?: readonly QuantityName[]]>
> = {
  classic: ['classic', 'history'],
  hpvinv02: ['hpvinv02', 'latest'],
  uwb1: ['uwb1', 'flow'],
  pi30: ['pi30', 'latest', ['feedIn']],
  'mega-eco': ['mega-eco', 'flow'],
  sierro: ['sierro', 'history', ['feedIn']],
};

function quantity(
  metric: string,
  truth: (state: InverterState) => number,
  tolerance: number,
): Quantity {
  return { metric, truth, tolerance: () => tolerance };
}

describe('over a simulated day', () => {
  test.each(FAMILIES)(
    'of a %s, every value is true or absent, and costs little',
    async (family) => {
      const { clock, simulator, scrape, deviceId } = await startBoth({
        now: NIGHT,
        simulator: { family },
        // Counting asks for readings as well, for itself.
        flags: { 'collect.energy': 'false' },
      });
      const flows = new Set<string>();
      let whileLearning: number | undefined;
      for (let round = 0; round < ROUNDS; round += 1) {
        // The second scrape asks nothing, and shows everything.
        if (round === 0) await scrape();
        whileLearning ??= readingRequests(simulator);
        expect(whileLearning).toBeLessThanOrEqual(5);
        const page = await scrape();
        expect(readingRequests(simulator)).toBe(whileLearning + round);
        const [known, source, unknown = []] = FACTS[family];
        expect(page.value('solar_device_dialect_info', { family: known, source })).toBe(1);
        const state = simulator.truth(deviceId, clock.nowMs());
        for (const [name, { metric, truth, tolerance }] of Object.entries<Quantity>(QUANTITIES)) {
          const at = `${metric} after ${4 * round} hours`;
          const shown = page.value(metric, { device_id: deviceId });
          if (unknown.includes(name as QuantityName)) expect(shown, at).toBeUndefined();
          else {
            expect(shown, at).toBeDefined();
            const error = Math.abs((shown ?? NaN) - truth(state));
            expect(error, at).toBeLessThanOrEqual(tolerance(state) + 1e-6);
          }
        }
        expect(page.value('solar_device_reporting')).toBe(1);
        if (state.pvPowerWatts > 0) flows.add('sun');
        if (state.gridImportPowerWatts > 20) flows.add('import');
        if (state.gridFeedInPowerWatts > 20) flows.add('feed-in');
        if (state.batteryPowerWatts > 20) flows.add('discharging');
        if (state.batteryPowerWatts < -20) flows.add('charging');
        clock.advance(4 * HOUR_MS);
      }
      // Otherwise the day has shown nothing of some sign.
      expect([...flows].sort()).toEqual(['charging', 'discharging', 'feed-in', 'import', 'sun']);
    },
  );
});
