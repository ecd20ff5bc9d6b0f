import { describe, expect, test } from 'vitest';
import { dataOf, envelopeOf, type RunningSimulator, startSimulator } from '../running-simulator.ts';
import { SteppingClock } from '../stepping-clock.ts';

const ENERGY = 'pvInverterElectricityQuantityClass';
const POWER = 'pvInverterPowerClass';

interface Point {
  readonly time: string;
  readonly timeDisplay: string;
  readonly value: number;
  readonly isRealValue: boolean;
}

interface Summary {
  readonly properties: readonly {
    readonly property: { readonly key: string; readonly unit: string };
    readonly timePoints: readonly Point[];
  }[];
}

/** A quarter past noon in Manila, on the 21st of June. */
const start = () =>
  startSimulator(
    { family: 'uwb1', stations: 2, devicesPerStation: 2 },
    new SteppingClock('2026-06-21T04:15:00Z'),
  );

const SCOPES = [
  { scope: 'stationOverView', id: 'stationId' },
  { scope: 'deviceOverView', id: 'deviceId' },
  { scope: 'ownerOverView/station', id: undefined },
] as const;

async function summaryOf(
  running: RunningSimulator,
  { scope, id }: (typeof SCOPES)[number],
  span: string,
  category: string,
  time: string,
): Promise<Summary> {
  const query = new URLSearchParams({ summaryCategoryKey: category });
  if (id !== undefined) query.set(id, running[id]);
  const path = `/apis/${scope}/stateAttributeSummary/category/${span}?${query.toString()}`;
  return dataOf<Summary>(await running.ask(path, { time }));
}

function pointsOf({ properties }: Summary, key: string): readonly Point[] {
  return properties.find(({ property }) => property.key === key)?.timePoints ?? [];
}

const total = (points: readonly Point[]): number =>
  points.reduce((sum, { value }) => sum + value, 0);

describe.each(SCOPES)('the summary of $scope', (scope) => {
  test('has the days of a month, and together they are the month', async () => {
    const running = await start();
    const days = await summaryOf(running, scope, 'monthly', ENERGY, '2026-06');
    const pv = pointsOf(days, 'pvGeneratedEnergy');
    expect(pv).toHaveLength(30);
    expect(pv[0]).toMatchObject({ time: '2026-06-01', timeDisplay: '01', isRealValue: true });
    expect(pv.map(({ isRealValue }) => isRealValue)).toEqual(pv.map((_, index) => index < 21));
    const months = await summaryOf(running, scope, 'yearly', ENERGY, '2026');
    const june = pointsOf(months, 'pvGeneratedEnergy')[5];
    expect(june).toMatchObject({ time: '2026-06', isRealValue: true });
    expect(total(pv)).toBeCloseTo(june?.value ?? 0, 0);
    const bought = pointsOf(days, 'buyElectricityQuantity');
    expect(total(bought)).toBeCloseTo(pointsOf(months, 'buyElectricityQuantity')[5]?.value ?? 0, 0);
  });

  test('has the years since the installation, of which the last is the sum of its months', async () => {
    const running = await start();
    const asked = '2026-06-21T12:15:00+08:00';
    const years = await summaryOf(running, scope, 'total', ENERGY, asked);
    const pv = pointsOf(years, 'pvGeneratedEnergy');
    expect(pv.map(({ time }) => time)).toEqual(['2024', '2025', '2026']);
    const months = await summaryOf(running, scope, 'yearly', ENERGY, '2026');
    expect(pv[2]?.value).toBeCloseTo(total(pointsOf(months, 'pvGeneratedEnergy')), 0);
  });

  test('has the powers of a day by local half hours, in kW, none of the future', async () => {
    const running = await start();
    const day = await summaryOf(running, scope, 'daily', POWER, '2026-06-21');
    expect(day.properties.map(({ property }) => property)).toMatchObject(
      ['generationPower', 'loadPower', 'batteryPower', 'gridPower'].map((key) => ({
        key,
        unit: 'kW',
      })),
    );
    const pv = pointsOf(day, 'generationPower');
    expect(pv).toHaveLength(48);
    expect(pv[1]).toMatchObject({ time: '2026-06-21 00:30:00', timeDisplay: '00:30', value: 0 });
    expect(pv[24]).toMatchObject({ time: '2026-06-21 12:00:00', isRealValue: true });
    expect(pv[24]?.value).toBeGreaterThan(0.5);
    expect(pv[25]).toMatchObject({ isRealValue: false, value: 0 });
    const at = (key: string): number => pointsOf(day, key)[24]?.value ?? NaN;
    const balance = at('generationPower') + at('batteryPower') + at('gridPower') - at('loadPower');
    expect(balance).toBeCloseTo(0, 2);
  });

  test.each([
    { span: 'daily', category: POWER, time: '2026-06' },
    { span: 'daily', category: POWER, time: '2026-13-01' },
    { span: 'daily', category: ENERGY, time: '2026-06-21' },
    { span: 'monthly', category: ENERGY, time: '2026' },
    { span: 'monthly', category: POWER, time: '2026-06' },
    { span: 'yearly', category: ENERGY, time: 'this year' },
  ])('refuses $span of $category for $time with code 20101', async ({ span, category, time }) => {
    const running = await start();
    await expect(summaryOf(running, scope, span, category, time)).rejects.toThrow('20101');
  });
});

test('what the owner has is what the stations have together', async () => {
  const running = await start();
  const [station, , owner] = SCOPES;
  const of = async (scope: (typeof SCOPES)[number], stationId = running.stationId) =>
    total(
      pointsOf(
        await summaryOf({ ...running, stationId }, scope, 'yearly', ENERGY, '2026'),
        'pvGeneratedEnergy',
      ),
    );
  const stations = await Promise.all(
    running.simulator.stationIds.map((stationId) => of(station, stationId)),
  );
  expect(await of(owner)).toBeCloseTo(total(stations.map((value) => ({ value }) as Point)), 0);
});

test('a family that measures nothing but PV has placeholders for the days as well', async () => {
  const running = await startSimulator({ family: 'hpvinv02' });
  const days = await summaryOf(running, SCOPES[0], 'monthly', ENERGY, '2026-06');
  expect(pointsOf(days, 'buyElectricityQuantity')).toContainEqual({
    ...{ time: '2026-06-01', timeDisplay: '01', value: 0, isRealValue: false },
  });
});

test.each([
  { span: 'monthly', time: '2026-06', length: 30 },
  { span: 'yearly', time: '2026', length: 12 },
  { span: 'total', time: undefined, length: 3 },
])('the generated energy, $span, is a flat list', async ({ span, time, length }) => {
  const { ask, stationId } = await start();
  const path = `/apis/stationOverView/generatedEnergy/${span}?stationId=${stationId}`;
  const points = dataOf<readonly object[]>(await ask(path, { time }));
  expect(points).toHaveLength(length);
  expect(points[0]).toMatchObject({ generatedEnergy: expect.any(Number) as number });
  expect(envelopeOf(await ask(path.replace(stationId, '1'), { time })).code).toBe(20_101);
});
