import { describe, expect, test } from 'vitest';
import { catalogueOf, type DeviceAnswers, devicesAnswering, stateOf } from './device-answers.ts';
import { MINUTE_MS, openHouse } from './house.ts';
import { CLASSIC, liveHistory, type Scripted, type TaggedFields } from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const LOAD = 'solar_load_power_watts';
const IMPORT = 'solar_grid_import_power_watts';
/** So many readings after the start, the device begins to speak otherwise. */
const CHANGE_MS = Date.parse('2026-08-24T09:00:00Z');

type Page = Readonly<Record<string, number | undefined>>;
type Values = Readonly<Record<string, number>>;

/** A series of these values before the change and after it, in turns of five minutes. */
const series = (before: Values, after: Values): Scripted =>
  liveHistory((atMs) => (atMs < CHANGE_MS ? before : after));
/** A latest state before the change and after it. */
const state =
  (before: TaggedFields, after: TaggedFields): Scripted =>
  (request) => {
    const scripted = stateOf(request.atMs < CHANGE_MS ? before : after);
    return typeof scripted === 'function' ? scripted(request) : scripted;
  };

/** Reads a device every five minutes until an hour after the change. */
async function watch(answers: DeviceAnswers) {
  const house = await openHouse(devicesAnswering({ '7': answers }), {
    now: '2026-08-24T08:01:00Z',
    flags: { 'collect.energy': 'false', 'cache.readings-ttl': '1m' },
  });
  await house.scrape();
  const count = () =>
    ['readings', 'latestState', 'energyFlow', 'attributes'].reduce(
      (sum, name) => sum + house.asked(name as 'readings').length,
      0,
    );
  const pages: {
    readonly atMs: number;
    readonly page: Awaited<ReturnType<typeof house.scrape>>;
  }[] = [];
  const start = count();
  for (let step = 0; step < 24; step += 1) {
    const page = await house.scrapeAfter(5 * MINUTE_MS);
    pages.push({ atMs: house.clock.nowMs(), page });
  }
  return { pages, more: count() - start - 24, log: house.log };
}

const CLASSIC_UNITS: TaggedFields = {
  pvInputPower: [1200, 'W'],
  acOutputActivePower: [0.85, 'kW'],
};
const UNITS_BUT_PV: TaggedFields = { acOutputActivePower: [0.85, 'kW'] };
const KILO = { ...CLASSIC, pvInputPower: 1.2 };
const WATTS = { ...CLASSIC, acOutputActivePower: 850 };
const HPVINV02: TaggedFields = {
  pvPower: [1.2, 'kW'],
  outputActivePower: [0.85, 'kW'],
  mainsPower: [0, 'kW'],
  mainsCurrentFlowDirection: ['+', ''],
  batteryCapacity: [88, '%'],
  batteryVoltage: [52, 'V'],
  batteryChargingCurrent: [5, 'A'],
  batteryDischargeCurrent: [0, 'A'],
};
const valuesOf = (fields: TaggedFields): Values =>
  Object.fromEntries(Object.entries(fields).map(([key, [value]]) => [key, value as number]));
const without = <Fields extends object>(fields: Fields, key: string): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key)) as Fields;
const OTHERS = without(HPVINV02, 'pvPower');
const CLASSIC_OTHERS: Values = without(CLASSIC, 'pvInputPower');

describe('a device that begins to speak otherwise is learnt again at once', () => {
  const right = { [PV]: 1200, [LOAD]: 850, [IMPORT]: 0 };
  test.each<[what: string, answers: DeviceAnswers, page: Page, more: number]>([
    [
      'PV in kW',
      {
        series: series(CLASSIC, KILO),
        latest: state(CLASSIC_UNITS, { ...CLASSIC_UNITS, pvInputPower: [1.2, 'kW'] }),
      },
      right,
      1,
    ],
    [
      'the load in W',
      {
        series: series(CLASSIC, WATTS),
        latest: state(CLASSIC_UNITS, { ...CLASSIC_UNITS, acOutputActivePower: [850, 'W'] }),
      },
      right,
      1,
    ],
    [
      'PV in W of another family, which its catalogue says',
      {
        series: series(valuesOf(HPVINV02), { ...valuesOf(HPVINV02), pvPower: 1200 }),
        catalogue: (request) =>
          catalogueOf({
            ...Object.fromEntries(Object.entries(HPVINV02).map(([key, [, unit]]) => [key, unit])),
            pvPower: request.atMs < CHANGE_MS ? 'kW' : 'W',
          }),
      },
      right,
      4,
    ],
    [
      'PV by another key',
      {
        series: series(CLASSIC, { ...CLASSIC_OTHERS, generationPower: 1.2 }),
        latest: state(CLASSIC_UNITS, { ...UNITS_BUT_PV, generationPower: [1.2, 'kW'] }),
      },
      right,
      6,
    ],
    [
      'PV by another key of another family',
      {
        series: series(valuesOf(HPVINV02), { ...valuesOf(OTHERS), generationPower: 1.2 }),
        latest: state(HPVINV02, { ...OTHERS, generationPower: [1.2, 'kW'] }),
      },
      right,
      6,
    ],
    [
      'all by keys of another family',
      {
        series: series(CLASSIC, valuesOf(HPVINV02)),
        latest: state(CLASSIC_UNITS, HPVINV02),
      },
      right,
      6,
    ],
  ])('%s', async (_what, answers, page, more) => {
    const { pages, more: asked } = await watch(answers);
    const said = pages.map(({ page: one }) => one.like(page));
    expect(said).toEqual(pages.map(() => page));
    expect(asked).toBeLessThanOrEqual(more);
  });
});

test('a unit that changes twice is learnt once an hour, unshown between', async () => {
  const isKilo = (atMs: number) => atMs >= CHANGE_MS && atMs < CHANGE_MS + 20 * MINUTE_MS;
  const { pages, more } = await watch({
    series: liveHistory((atMs) => (isKilo(atMs) ? KILO : CLASSIC)),
    latest: (request) => {
      const unit = isKilo(request.atMs) ? ([1.2, 'kW'] as const) : ([1200, 'W'] as const);
      const scripted = stateOf({ ...CLASSIC_UNITS, pvInputPower: unit });
      return typeof scripted === 'function' ? scripted(request) : scripted;
    },
  });
  const shown = new Set(pages.map(({ page }) => page.value(PV)));
  expect(shown).toEqual(new Set([1200, undefined]));
  expect(pages.at(-1)?.page.value(PV)).toBe(1200);
  expect(more).toBe(2);
});

test('a value that jumps in the same unit is shown', async () => {
  const loads = [0.002, 2, 0.002, 2, 0.7];
  const turn = (atMs: number) => Math.floor(atMs / (5 * MINUTE_MS)) % loads.length;
  const { pages, more } = await watch({
    series: liveHistory((atMs) => ({ ...CLASSIC, acOutputActivePower: loads[turn(atMs)] })),
    latest: stateOf(CLASSIC_UNITS),
  });
  const shown = pages.map(({ page }) => page.value(LOAD));
  expect(new Set(shown)).toEqual(new Set([2, 2000, 700]));
  expect(more).toBeLessThanOrEqual(3);
});

test('what nothing brings back is asked for once: PV that sleeps by night', async () => {
  const { pages, more } = await watch({
    series: series(CLASSIC, CLASSIC_OTHERS),
    latest: stateOf(without(CLASSIC_UNITS, 'pvInputPower')),
    flow: { envelope: { code: 70132, message: 'no rule', data: null } },
  });
  expect(pages.at(0)?.page.value(PV)).toBe(1200);
  expect(more).toBeLessThanOrEqual(8);
});
