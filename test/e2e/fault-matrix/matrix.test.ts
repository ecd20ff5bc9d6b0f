import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/client/endpoints.ts';
import { FAULTS, type KindCase, standInAt } from './fault-cases.ts';
import { meetFault, type Observed } from './cell.ts';
import { ENDPOINT_PLANS, NOT_REACHED } from './endpoints.ts';
import { drawTable, type LeftOut } from './table.ts';

const cells: (Observed | LeftOut)[] = [];

const PROMPT = FAULTS.filter(({ code }) => code !== 'SERVICE_TIMEOUT');
const SLOW = FAULTS.filter(({ code }) => code === 'SERVICE_TIMEOUT');

afterAll(() => {
  const notes = Object.entries(NOT_REACHED).map(([endpoint, why]) => `no ${endpoint}: ${why}`);
  process.stdout.write(drawTable(cells, notes));
});

/** Meets these faults at every endpoint, all side by side: each has a service and an exporter of its own. */
async function meetEverywhere(...faults: readonly KindCase[]): Promise<void> {
  const pairs = faults.flatMap((faulty) => ENDPOINT_PLANS.map((plan) => ({ plan, faulty })));
  const ended = await Promise.allSettled(
    pairs.map(async ({ plan, faulty }) => {
      const { endpoint } = plan;
      const standIn = standInAt(endpoint, faulty);
      if (standIn !== undefined) return { endpoint, fault: faulty.name, standIn };
      return meetFault(plan, faulty);
    }),
  );
  cells.push(...ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : [])));
  const failures = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  expect(failures).toEqual([]);
}

test('every endpoint has a column, or a reason why it has none', () => {
  const reached = ENDPOINT_PLANS.map(({ endpoint }) => endpoint);
  expect([...reached, ...Object.keys(NOT_REACHED)].sort()).toEqual([...OPERATIONS].sort());
});

test('every fault that is left out somewhere has a stand-in that is met there', () => {
  for (const { endpoint } of ENDPOINT_PLANS)
    for (const faulty of FAULTS) {
      const standIn = FAULTS.find(({ name }) => name === standInAt(endpoint, faulty));
      if (standIn === undefined) expect(standInAt(endpoint, faulty)).toBeUndefined();
      else expect(standInAt(endpoint, standIn)).toBeUndefined();
    }
});

describe('an exporter at work, when any endpoint begins to answer', () => {
  test.each(PROMPT)('$name, says so, asks sparingly, withdraws and recovers', async (faulty) => {
    await meetEverywhere(faulty);
  });
});

test('where an endpoint says nothing, or a byte at a time, no scrape waits longer than it may', async () => {
  await meetEverywhere(...SLOW);
});
