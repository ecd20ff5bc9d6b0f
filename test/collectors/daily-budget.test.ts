import { describe, expect, test } from 'vitest';
import { greatestOf, leastOf } from '../../src/model/extremes.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createBudgeted, DAY_MS, memoryFile } from './budget-harness.ts';
import { HOUR_MS, MINUTE_MS } from './collection-harness.ts';

const NOON = 12 * HOUR_MS;

type Budgeted = Awaited<ReturnType<typeof createBudgeted>>;

/** The difference between the device that was asked most often and the one that was asked least. */
function unevenness({ readings }: Budgeted): number {
  return greatestOf(readings()) - leastOf(readings());
}

describe('a day with a budget', () => {
  // What the devices would be asked: 2,520, 16,344 and 163,224 times.
  test.each([
    { devices: 1, dailyRequests: 100 },
    { devices: 1, dailyRequests: 1000 },
    { devices: 10, dailyRequests: 500 },
    { devices: 10, dailyRequests: 5500 },
    { devices: 100, dailyRequests: 5000 },
  ])(
    'of $dailyRequests requests serves $devices devices evenly, to its end, and so does the next',
    async ({ devices, dailyRequests }) => {
      const devicesPerStation = Math.min(10, devices);
      const harness = await createBudgeted({ devices, dailyRequests, devicesPerStation });
      const { api, budget, collection, run } = harness;
      let fewestLeft = dailyRequests;
      for (let day = 1; day <= 2; day += 1) {
        const before = api.questions.length;
        await run(DAY_MS, MINUTE_MS, () => {
          fewestLeft = Math.min(fewestLeft, budget.status().remainingRequests);
          expect(collection.status().every(({ isUp }) => isUp)).toBe(true);
        });
        const sent = api.questions.length - before;
        expect(sent).toBeLessThanOrEqual(dailyRequests);
        // One round of everything is kept in hand.
        expect(sent).toBeGreaterThan(0.9 * dailyRequests - 2 * devices - 5 * (devices / 10 + 1));
        expect(unevenness(harness)).toBeLessThanOrEqual(1);
      }
      expect(fewestLeft).toBeGreaterThan(0);
      expect(harness.budgetLog.lines).toEqual([]);
    },
  );

  test('that does for all changes nothing', async () => {
    const harness = await createBudgeted({ devices: 10, dailyRequests: 20_000 });
    await harness.run(6 * HOUR_MS, MINUTE_MS);
    expect(new Set(harness.readings())).toEqual(new Set([6 * 60]));
    expect(harness.collection.effectiveIntervalMs).toBe(MINUTE_MS);
    expect(harness.log.messages('warn')).toEqual([]);
  });

  test('that does not even do for one round lets no device starve', async () => {
    const harness = await createBudgeted({ devices: 50, dailyRequests: 40, devicesPerStation: 5 });
    for (let day = 1; day <= 10; day += 1) {
      const before = harness.api.questions.length;
      await harness.run(DAY_MS, 5 * MINUTE_MS);
      expect(harness.api.questions.length - before).toBeLessThanOrEqual(40);
    }
    // Who was left out one day comes first the next.
    expect(harness.readings()).toHaveLength(50);
    expect(unevenness(harness)).toBeLessThanOrEqual(2);
  });

  test('asks nothing at its end, says so once, and goes on the next day', async () => {
    const harness = await createBudgeted({ devices: 3, dailyRequests: 1000 });
    const { api, budget, budgetLog, collection, log, outcome, run } = harness;
    await run(HOUR_MS, MINUTE_MS);
    // Something else uses the budget up, such as a command.
    while (budget.status().remainingRequests > 0) await budget.spend();
    const before = api.questions.length;
    await run(NOON, MINUTE_MS);
    expect(api.questions).toHaveLength(before);
    expect(harness.isUp('station-0')).toBe(false);
    expect(outcome('station-0', 'readings')).toMatchObject({ code: 'SERVICE_BUDGET_USED_UP' });
    expect(collection.nextFetchAtMs).toBe(Date.parse('2026-08-25T00:00:00Z'));

    harness.clock.advance(11 * HOUR_MS);
    await run(HOUR_MS, MINUTE_MS);
    expect(api.questions.length).toBeGreaterThan(before);
    expect(outcome('station-0', 'readings')).toMatchObject({ isSuccess: true });
    expect(log.messages('warn')).not.toContain('collector failed');
    expect(budgetLog.messages('warn')).toHaveLength(1);
    expect(budgetLog.messages('info')).toHaveLength(1);
  });

  test('that is used up in the first round fails the collectors by its own code, with one line', async () => {
    const harness = await createBudgeted({ devices: 10, dailyRequests: 8 });
    const { api, budgetLog, isUp, log, outcome, run } = harness;
    await run(HOUR_MS, MINUTE_MS);
    expect(outcome('station-0', 'readings')).toMatchObject({
      isSuccess: false,
      code: 'SERVICE_BUDGET_USED_UP',
    });
    expect(isUp('station-0')).toBe(false);
    expect(log.messages('warn')).toEqual([
      'so few requests are allowed that readings are withdrawn before they are asked for again',
    ]);
    expect(budgetLog.messages('warn')).toEqual([
      'the requests of the day are used up: the service is not asked',
    ]);
    await run(HOUR_MS, MINUTE_MS);
    expect(api.questions).toHaveLength(8);
  });

  test('is not exceeded by a service that fails, whose devices are asked again and again', async () => {
    const harness = await createBudgeted({ devices: 10, dailyRequests: 2000 });
    const { api, run } = harness;
    await run(HOUR_MS, MINUTE_MS);
    for (let device = 0; device < 5; device += 1)
      api.fail(`readings device-0-${device}`, 'SERVICE_SERVER_ERROR');
    await run(DAY_MS - HOUR_MS, MINUTE_MS);
    expect(api.questions.length).toBeLessThanOrEqual(2000);
    const counts = Array.from({ length: 10 }, (_, device) =>
      api.count(`readings device-0-${device}`),
    );
    // What fails takes nothing from what works.
    expect(leastOf(counts.slice(5))).toBeGreaterThan(100);
    expect(greatestOf(counts)).toBeLessThan(1.2 * leastOf(counts));
  });

  test('is not exceeded by a program that is killed and started all day long', async () => {
    const clock = new FakeClock('2026-08-24T00:00:00Z');
    const file = memoryFile();
    let sent = 0;
    for (let start = 0; start < 48; start += 1) {
      const { run } = await createBudgeted({
        devices: 10,
        dailyRequests: 1000,
        clock,
        file,
        sent: () => (sent += 1),
      });
      await run(HOUR_MS / 2, MINUTE_MS);
    }
    expect(sent).toBeLessThanOrEqual(1000);
    expect(sent).toBeGreaterThan(700);
  });

  test.each([
    { name: 'back by an hour', byMs: -HOUR_MS },
    { name: 'back over midnight', byMs: -18 * HOUR_MS },
    { name: 'back by years', byMs: -3000 * DAY_MS },
  ])('is not given away when the clock is set $name, and ends with the day', async ({ byMs }) => {
    const harness = await createBudgeted({ devices: 10, dailyRequests: 1000 });
    const { api, clock, run } = harness;
    await run(NOON, MINUTE_MS);
    const before = api.questions.length;
    clock.advance(byMs);
    await run(6 * HOUR_MS, MINUTE_MS);
    clock.advance(-byMs);
    await run(6 * HOUR_MS, MINUTE_MS);
    const byMidnight = api.questions.length;
    expect(byMidnight).toBeLessThanOrEqual(byMs === -18 * HOUR_MS ? 2000 : 1000);
    expect(byMidnight).toBeGreaterThan(before);
    await run(HOUR_MS, MINUTE_MS);
    expect(api.questions.length).toBeGreaterThan(byMidnight);
  });
});

test('the interval that the page states is the one by which devices are asked', async () => {
  const harness = await createBudgeted({ devices: 10, dailyRequests: 5500 });
  const { api, clock, collection, run } = harness;
  await run(6 * HOUR_MS, MINUTE_MS);
  const statedMs = collection.effectiveIntervalMs ?? 0;
  const before = api.count('readings device-0-0');
  const startedAtMs = clock.nowMs();
  await run(2 * HOUR_MS, 5000);
  const intervalMs = (clock.nowMs() - startedAtMs) / (api.count('readings device-0-0') - before);
  expect(intervalMs / statedMs).toBeGreaterThan(0.9);
  expect(intervalMs / statedMs).toBeLessThan(1.1);
});
