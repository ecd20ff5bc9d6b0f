import { describe, expect, test } from 'vitest';
import type { Family } from '../../../../src/simulator/simulator.ts';
import { dataOf, envelopeOf, PATHS, startSimulator } from '../running-simulator.ts';
import { SteppingClock } from '../stepping-clock.ts';

const CATEGORY = 'pvInverterElectricityQuantityClass';

interface Property {
  readonly property: { readonly key: string; readonly unit: string };
  readonly hasRealTimePoints: boolean;
  readonly timePoints: readonly {
    readonly time: string;
    readonly timeDisplay: string;
    readonly value: number;
    readonly isRealValue: boolean;
  }[];
}

interface Summary {
  readonly category: unknown;
  readonly hasRealTimePoints: boolean;
  readonly properties: readonly Property[];
}

const NOW = '2026-03-02T04:00:00Z';

async function summaryOf(family: Family, time: string) {
  const running = await startSimulator({ family }, new SteppingClock(NOW));
  const { stationId, ask } = running;
  const query = new URLSearchParams({ stationId, summaryCategoryKey: CATEGORY }).toString();
  return { ...running, summary: dataOf<Summary>(await ask(`${PATHS.summary}?${query}`, { time })) };
}

describe("the portal's yearly summary", () => {
  test('has twelve months per property, those to come as zeros that are not real', async () => {
    const { summary } = await summaryOf('a-phase-hybrid', '2026');
    expect(summary.category).toMatchObject({ key: CATEGORY });
    expect(summary.hasRealTimePoints).toBe(true);
    expect(summary.properties.map(({ property }) => property.key)).toEqual([
      'pvGeneratedEnergy',
      'chargeElectricityQuantity',
      'dischargeElectricityQuantity',
      'consumeElectricityQuantity',
      'buyElectricityQuantity',
      'sellElectricityQuantity',
    ]);
    for (const { property, hasRealTimePoints, timePoints } of summary.properties) {
      expect(property.unit).toBe('kWh');
      expect(hasRealTimePoints).toBe(true);
      expect(timePoints.map(({ time }) => time)).toEqual(
        Array.from({ length: 12 }, (_, month) => `2026-${String(month + 1).padStart(2, '0')}`),
      );
      expect(timePoints[2]?.timeDisplay).toBe('03');
      for (const [index, { value, isRealValue }] of timePoints.entries()) {
        expect(isRealValue).toBe(index < 3);
        if (index >= 3) expect(value).toBe(0);
        if (index < 2) expect(value).toBeGreaterThan(1);
      }
    }
  });

  test('adds up what the month has brought so far', async () => {
    const { summary, simulator, deviceId, clock } = await summaryOf('uwb1', '2026');
    const { thisMonth } = simulator.truth(deviceId, clock.nowMs()).energy();
    const march = summary.properties.map(({ timePoints }) => timePoints[2]?.value ?? NaN);
    const expected = [
      thisMonth.pvWattHours,
      thisMonth.batteryChargedWattHours,
      thisMonth.batteryDischargedWattHours,
      thisMonth.loadWattHours,
      thisMonth.gridImportWattHours,
      thisMonth.gridFeedInWattHours,
    ].map((wattHours) => wattHours / 1000);
    for (const [index, value] of march.entries())
      expect(Math.abs(value - (expected[index] ?? NaN))).toBeLessThan(0.006);
  });

  test('of hpvinv02 measures PV alone', async () => {
    const { summary } = await summaryOf('hpvinv02', '2026');
    expect(summary.properties.map(({ hasRealTimePoints }) => hasRealTimePoints)).toEqual([
      ...[true, false, false, false, false, false],
    ]);
    for (const { timePoints } of summary.properties.slice(1))
      for (const { value, isRealValue } of timePoints) {
        expect(value).toBe(0);
        expect(isRealValue).toBe(false);
      }
  });

  test.each([
    { time: '2025', real: 12 },
    { time: '2027', real: 0 },
  ])('of $time has $real real months', async ({ time, real }) => {
    const { summary } = await summaryOf('uwb1', time);
    const months = summary.properties[0]?.timePoints ?? [];
    expect(months).toHaveLength(12);
    expect(months.filter(({ isRealValue }) => isRealValue)).toHaveLength(real);
    expect(summary.hasRealTimePoints).toBe(real > 0);
  });

  test('is refused with code 20101 for an unknown station', async () => {
    const { ask } = await startSimulator({ family: 'uwb1' });
    const query = `?stationId=1&summaryCategoryKey=${CATEGORY}`;
    expect(envelopeOf(await ask(PATHS.summary + query, { time: '2026' })).code).toBe(20_101);
  });
});
