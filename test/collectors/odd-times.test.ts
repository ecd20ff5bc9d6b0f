import { describe, expect, test } from 'vitest';
import { createHouse, DAY_MS, MINUTE_MS, type Script } from './wrong-clock-harness.ts';

/** Times that a `Date` can hold and no working clock shows. */
const ODD = [
  '+275760-09-13T00:00:00.000Z',
  '+020000-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.000Z',
  '1969-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '-271821-04-20T00:00:00.000Z',
];
const POWER = 'solar_pv_power_watts{house,inverter}';

/** What the service says with an odd time in one of its places, and whether readings are shown all the same. */
const PLACES: readonly {
  readonly place: string;
  readonly script: (odd: string) => Script;
  readonly isShown: boolean;
}[] = [
  {
    place: 'the last data of a device',
    script: (odd) => ({
      devices: () => ({ list: [{ id: 'inverter', lastDataAt: odd, dailyProducedQuantity: 4 }] }),
    }),
    isShown: true,
  },
  {
    // A value whose time nobody believes must not look live.
    place: 'a time series',
    script: (odd) => ({
      readings: () => ({
        payload: {
          timeSeries: [odd],
          fields: { pvInputPower: [1200], acOutputActivePower: [1] },
        },
      }),
    }),
    isShown: false,
  },
  ...[(odd: string): unknown => odd, (odd: string): unknown => Date.parse(odd)].map((spelled) => ({
    place: `a latest state, as ${typeof spelled(ODD[0] ?? '')}`,
    script: (odd: string): Script => ({
      readings: () => ({ payload: null }),
      latestState: () => ({
        time: spelled(odd),
        fields: { pvInputPower: { value: 1200, unit: 'W' } },
        firingAlarms: [{ key: 'fire', level: 3 }],
      }),
    }),
    isShown: false,
  })),
];

describe.each(ODD)('the time %s', (odd) => {
  test('as the date of answers is ignored, and said once', async () => {
    const house = createHouse(0, false);
    house.transport.date = () => Date.parse(odd);
    await house.refresh();
    await house.live(20 * MINUTE_MS);
    expect(house.outcomes().map(({ code }) => code)).toEqual(house.outcomes().map(() => 'ok'));
    expect(house.series()[POWER]).toBe(1200);
    expect(house.log.lines.filter(({ message }) => message.includes('date'))).toHaveLength(1);
  });

  test.each(PLACES)('in $place breaks nothing', async ({ script, isShown }) => {
    const house = createHouse(0, true, script(odd));
    await house.refresh();
    await house.live(5 * MINUTE_MS);
    expect(house.outcomes().map(({ code }) => code)).toEqual(house.outcomes().map(() => 'ok'));
    expect(POWER in house.series()).toBe(isShown);
  });
});

test.each([1971, 2000, 2107])('a service that is in %i is followed', async (year) => {
  const house = createHouse(0, false);
  const atMs = Date.UTC(year, 5, 1);
  const startedAtMs = house.trueMs();
  house.transport.date = () => atMs + (house.trueMs() - startedAtMs);
  await house.refresh();
  await house.live(2 * MINUTE_MS);
  expect(house.serviceClock.nowMs()).toBe(house.transport.date());
  expect(Math.abs(house.serviceClock.aheadMs)).toBeGreaterThan(365 * DAY_MS);
});
