import { describe, expect, test } from 'vitest';
import { openHouse, PLAIN } from './house.ts';
import type { PortalAnswer } from './scripted-service.ts';

const PV = 'solar_month_pv_generated_kwh';
const LOAD = 'solar_month_consumption_kwh';
const IMPORT = 'solar_month_grid_import_kwh';
const RATIO = 'solar_month_solar_ratio';

/** The month as the portal measured it, and items of the flat form beside it. */
function month(
  measured: Readonly<Record<string, number>>,
  flat: Readonly<Record<string, number>> = {},
): PortalAnswer {
  const properties = Object.entries(measured).map(([key, value]) => ({
    property: { key, unit: 'kWh' },
    hasRealTimePoints: true,
    timePoints: [{ time: '2026-08', value, isRealValue: true }],
  }));
  const list = Object.entries(flat).map(([key, value]) => ({ key, value }));
  return { data: { hasRealTimePoints: true, properties, list } };
}

test.each<[what: string, summary: PortalAnswer, page: Record<string, number | undefined>]>([
  [
    'measured goes before every total',
    month(
      { pvGeneratedEnergy: 140, buyElectricityQuantity: 60, consumeElectricityQuantity: 0 },
      { pvTotal: 9000, '2026-08': 8000, gridImport: 7000, totalConsumption: 6000 },
    ),
    { [PV]: 140, [IMPORT]: 60, [LOAD]: 0 },
  ],
  [
    'not measured is what a total says',
    month({ pvGeneratedEnergy: 140 }, { pv: 9000, buy: 60, load: 280 }),
    { [PV]: 140, [IMPORT]: 60, [LOAD]: 280, [RATIO]: 0.5 },
  ],
])('what was %s', async (_what, summary, page) => {
  const house = await openHouse({ summary }, { flags: PLAIN });
  await house.follow({ page });
});

describe('a share of next to nothing', () => {
  test.each([1e-300, '1e-305', 5e-324, 0.0009])('(%s kWh) is unknown', async (consumption) => {
    const summary = month({
      pvGeneratedEnergy: 300,
      consumeElectricityQuantity: consumption as number,
    });
    const house = await openHouse({ summary }, { flags: PLAIN });
    await house.follow({ page: { [PV]: 300, [RATIO]: undefined } });
    const status = await (await fetch(new URL('/api/v1/status', house.url))).text();
    expect(status).not.toContain('solarRatio');
    expect(await (await fetch(new URL('/metrics', house.url))).text()).not.toMatch(/ [+-]?Inf|NaN/);
  });
});
