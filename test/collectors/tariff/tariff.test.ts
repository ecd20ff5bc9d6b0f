import { describe, expect, test } from 'vitest';
import { indexOf, PRICES_OF_YEAR, quarterHourAt, type Tariff } from '../../../src/model/tariff.ts';
import { createCollection, HOUR_MS, MINUTE_MS } from '../collection-harness.ts';

/** A kWh costs 1 before noon and 2 after it. */
const TARIFF: Tariff = {
  currency: 'EUR',
  priceLists: {
    import: [
      {
        prices: Array.from({ length: PRICES_OF_YEAR }, (_, index) =>
          quarterHourAt(index).quarter < 48 ? 1 : 2,
        ),
      },
    ],
  },
};

const PRICE = 'solar_tariff_price{house,import,EUR}';

describe('the price at a station', () => {
  test('changes on the quarter hour by its own clock, without asking the service', async () => {
    // It is 10:00 in Berlin, and the page is made anew every quarter of an hour.
    const harness = createCollection({ timeZone: 'Europe/Berlin', tariff: TARIFF });
    expect(await harness.scrape()).toMatchObject({ [PRICE]: 1 });
    const { length } = harness.api.questions;
    const { clock, collection } = harness;
    expect(collection.nextWithdrawalAtMs).toBeLessThanOrEqual(clock.nowMs() + 15 * MINUTE_MS);

    clock.advance(2 * HOUR_MS - 1);
    expect(harness.series()).toMatchObject({ [PRICE]: 1 });
    clock.advance(1);
    expect(harness.series()).toMatchObject({ [PRICE]: 2 });
    clock.advance(12 * HOUR_MS);
    expect(harness.series()).toMatchObject({ [PRICE]: 1 });
    expect(harness.api.questions).toHaveLength(length);
  });

  test('is there while the service is down', async () => {
    const harness = createCollection({ stationIds: ['house'], tariff: TARIFF });
    for (const question of ['devices house', 'summary house'] as const)
      harness.api.fail(question, 'SERVICE_UNREACHABLE');
    await harness.scrape();
    expect(harness.names()).toContain(PRICE);
  });

  test('is unknown without a tariff', async () => {
    const harness = createCollection();
    await harness.scrape();
    expect(harness.names()).not.toContain(PRICE);
    expect(harness.outcome('house', 'tariff')).toBeUndefined();
  });
});

describe('the quarter hours of a year', () => {
  test('each have one place in a list of prices', () => {
    for (let index = 0; index < PRICES_OF_YEAR; index += 1)
      expect(indexOf(quarterHourAt(index))).toBe(index);
  });
});
