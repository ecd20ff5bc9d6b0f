import { describe, expect, test } from 'vitest';
import { OPTION_BY_FLAG } from '../../../src/config/options.ts';
import { FAMILY_MODELS } from '../../../src/simulator/families/index.ts';
import { FAMILIES, type Family } from '../../../src/simulator/simulator.ts';
import { KEY_ROWS, type KeyRow, type Place } from './family-table.ts';
import { dataOf, PATHS, startSimulator, type RunningSimulator } from './running-simulator.ts';
import { SteppingClock } from './stepping-clock.ts';

// When the battery charges, when it is full and PV is fed in, when it discharges, and when it is
// empty and the grid helps.
const INSTANTS = [
  '2026-06-03T03:00:00Z',
  '2026-06-03T07:00:00Z',
  '2026-06-03T12:00:00Z',
  '2026-06-03T22:00:00Z',
];

interface Tagged {
  readonly key: string;
  readonly unit: string;
  readonly value: number | string;
}

type Element = number | string | null | { readonly vd: string };

interface Node {
  readonly value: Tagged | null;
  readonly extraValues: readonly Tagged[];
}

interface Flow extends Readonly<Record<string, unknown>> {
  readonly deviceAttributeState: { readonly fields: Readonly<Record<string, Tagged>> };
}

const READERS: Readonly<
  Record<Place, (running: RunningSimulator) => Promise<ReadonlyMap<string, unknown>>>
> = {
  latest: async ({ look, deviceId }) => {
    const answer = await look(PATHS.latestState, { deviceId, dataSource: '1' });
    const { fields } = dataOf<{ fields: Readonly<Record<string, Tagged>> }>(answer);
    return new Map(Object.values(fields).map((tagged) => [tagged.key, tagged]));
  },
  flow: async ({ look, deviceId }) => {
    const flow = dataOf<Flow>(await look(PATHS.energyFlow, { deviceId, dataSource: '1' }));
    const nodes = ['pvPanelFlow', 'gridFlow', 'batteryFlow', 'loadFlow'].map(
      (name) => flow[name] as Node,
    );
    const shown = nodes.flatMap(({ value, extraValues }) => [
      ...(value === null ? [] : [value]),
      ...extraValues,
    ]);
    const full = Object.values(flow.deviceAttributeState.fields);
    return new Map([...shown, ...full].map((tagged) => [tagged.key, tagged]));
  },
  history: async ({ ask, deviceId, clock }) => {
    const iso = (atMs: number): string => new Date(atMs).toISOString().replace('.000Z', 'Z');
    const answer = await ask(PATHS.readings, {
      ...{ deviceId, page: 1, count: 10, orderByTimeAsc: true },
      fromTime: iso(clock.nowMs() - 900_000),
      toTime: iso(clock.nowMs() - 900_000),
    });
    const { payload } = dataOf<{
      payload: { fields: Readonly<Record<string, readonly Element[]>> };
    }>(answer);
    return new Map(Object.entries(payload.fields).map(([key, [element]]) => [key, element]));
  },
};

test('the instants looked at see every flow in every direction', async () => {
  const { simulator, deviceId } = await startSimulator();
  const states = INSTANTS.map((instant) => simulator.truth(deviceId, Date.parse(instant)));
  expect(states.some(({ gridImportPowerWatts }) => gridImportPowerWatts > 20)).toBe(true);
  expect(states.some(({ gridFeedInPowerWatts }) => gridFeedInPowerWatts > 20)).toBe(true);
  expect(states.some(({ batteryPowerWatts }) => batteryPowerWatts > 20)).toBe(true);
  expect(states.some(({ batteryPowerWatts }) => batteryPowerWatts < -20)).toBe(true);
});

describe.each(INSTANTS)('at %s', (instant) => {
  test.each(
    FAMILIES.flatMap((family) =>
      (['history', 'latest', 'flow'] as const)
        .map((place) => ({ family, place, rows: rowsOf(family, place) }))
        .filter(({ rows }) => rows.length > 0),
    ),
  )('$family measures the physics in its $place', async ({ family, place, rows }) => {
    const running = await startSimulator({ family }, new SteppingClock(instant));
    const found = await READERS[place](running);
    // Three samples back, where nothing is late any more.
    const atMs = running.clock.nowMs() - (place === 'history' ? 900_000 : 0);
    const truth = running.simulator.truth(running.deviceId, atMs);
    for (const { key, unit, expected, tolerance } of rows) {
      const reading = found.get(key);
      const value = place === 'history' ? plain(reading as Element) : (reading as Tagged).value;
      if (place !== 'history') expect((reading as Tagged).unit, key).toBe(unit);
      expect(Math.abs(Number(value) - expected(truth)), key).toBeLessThanOrEqual(tolerance);
    }
  });
});

test.each(FAMILIES)(
  '%s shows no measured key where the field notes do not have it',
  async (family) => {
    const running = await startSimulator({ family });
    const { flow } = FAMILY_MODELS[family];
    for (const place of ['history', 'latest', ...(flow === undefined ? [] : ['flow'])] as Place[]) {
      const found = await READERS[place](running);
      for (const { key, places } of KEY_ROWS.filter((row) => row.family === family))
        expect(found.has(key), `${key} in ${place}`).toBe(places.includes(place));
    }
  },
);

describe('the table of families', () => {
  test.each(FAMILIES)('names no key for %s that it does not describe', (family) => {
    const { fields, history, latest, flow } = FAMILY_MODELS[family];
    const named = [history.keys, latest, flow?.attributes ?? [], Object.keys(history.lateKeys)]
      .filter((keys) => keys !== 'all')
      .flat();
    const nodes = Object.values(flow?.nodes ?? {}).flat();
    expect(Object.keys(fields)).toEqual(expect.arrayContaining([...named, ...nodes]));
  });

  test('is the list of words --family accepts', () => {
    expect(OPTION_BY_FLAG.get('family')?.choices).toEqual(FAMILIES);
  });

  test('shares two keys with the undescribed family and no others', () => {
    const known = new Set(
      FAMILIES.filter((family) => family !== 'undescribed').flatMap((family) =>
        Object.keys(FAMILY_MODELS[family].fields),
      ),
    );
    const shared = Object.keys(FAMILY_MODELS.undescribed.fields).filter((key) => known.has(key));
    expect(shared).toEqual(['batteryVoltage', 'gridVoltage']);
  });
});

test('hpvinv02 tells import from feed-in by a key of its own', async () => {
  const options = { family: 'hpvinv02', tokenLifetimeMs: 1e9 } as const;
  const running = await startSimulator(options, new SteppingClock('2026-06-03T05:00:00Z'));
  const directions = new Set<unknown>();
  for (let step = 0; step < 48; step += 1) {
    running.clock.advance(1_800_000);
    const found = await READERS.latest(running);
    const truth = running.simulator.truth(running.deviceId, running.clock.nowMs());
    const direction = found.get('mainsCurrentFlowDirection');
    const isFeedingIn = truth.gridFeedInPowerWatts > 0;
    expect(direction).toMatchObject({
      unit: '',
      value: isFeedingIn ? '-' : '+',
      valueDisplay: isFeedingIn ? 'Inverter To Mains' : 'Mains To Inverter',
    });
    directions.add((direction as Tagged).value);
  }
  expect(directions).toEqual(new Set(['+', '-']));
});

function rowsOf(family: Family, place: Place): readonly KeyRow[] {
  return KEY_ROWS.filter((row) => row.family === family && row.places.includes(place));
}

function plain(element: Element): number | string | null {
  return typeof element === 'object' && element !== null ? element.vd : element;
}
