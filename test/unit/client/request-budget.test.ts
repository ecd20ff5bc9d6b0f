import { describe, expect, test } from 'vitest';
import { isBudgetUsedUp, RequestBudget } from '../../../src/client/exchange/request-budget.ts';
import { SpentRequests } from '../../../src/client/exchange/spent-requests.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { HOUR_MS } from '../../support/durations.ts';

function budgetOf(dailyRequests: number) {
  const clock = new FakeClock('2026-08-24T08:00:00Z');
  const log = new SilentLog();
  const spent = new SpentRequests({ clock, log });
  return {
    budget: new RequestBudget({ dailyRequests, spent, clock, log }),
    spent,
    clock,
    log,
  };
}

describe('a budget of requests', () => {
  test('says what is left, and until when', async () => {
    const { budget } = budgetOf(3);
    await budget.spend();
    expect(budget.status()).toEqual({
      dailyRequests: 3,
      remainingRequests: 2,
      resetsAtMs: Date.parse('2026-08-25T00:00:00Z'),
    });
  });

  test('refuses every request once it is used up, says when to come back, and logs it once', async () => {
    const { budget, log } = budgetOf(1);
    await budget.spend();
    expect(() => budget.check()).toThrow('the 1 requests of the day (--request.daily-budget)');
    const error: unknown = await budget.spend().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'SERVICE_BUDGET_USED_UP', retryAfterMs: 16 * HOUR_MS });
    expect(isBudgetUsedUp(error)).toBe(true);
    expect(log.lines).toHaveLength(1);
    expect(log.lines[0]).toMatchObject({
      level: 'warn',
      fields: { dailyRequests: 1, until: '2026-08-25T00:00:00.000Z' },
    });
  });

  test('goes on the next day, and says so', async () => {
    const { budget, clock, log } = budgetOf(1);
    await budget.spend();
    await budget.spend().catch(() => undefined);
    clock.advance(16 * HOUR_MS);
    budget.check();
    await budget.spend();
    expect(log.messages('info')).toEqual(['the service is asked again: a new day']);
  });

  test('that becomes smaller than what was sent has nothing left', async () => {
    const { spent, clock, log } = budgetOf(5);
    for (let sent = 0; sent < 5; sent += 1) await spent.spend(5);
    const smaller = new RequestBudget({ dailyRequests: 3, spent, clock, log });
    expect(smaller.status().remainingRequests).toBe(0);
    const larger = new RequestBudget({ dailyRequests: 7, spent, clock, log });
    expect(larger.status().remainingRequests).toBe(2);
  });
});
