import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { QueriedSample } from './prometheus.ts';

/** What speaks the API of Prometheus. */
export interface QueriedServer {
  query(expression: string): Promise<readonly QueriedSample[]>;
}

/** Of the stations alone: the exporters themselves have an address as their instance. */
export const UP = 'up{instance!~".*:.*"}';

/** The instances that an expression finds, of each server. */
export function instancesOf(
  expression: string,
  servers: readonly QueriedServer[],
): Promise<readonly ReadonlySet<string>[]> {
  return Promise.all(
    servers.map(async (server) => {
      const found = await server.query(expression);
      return new Set(found.map(({ metric: { instance = '' } }) => instance));
    }),
  );
}

/**
 * Waits until the servers together find so many stations. It asks for the number alone, because a list of
 * thousands, asked for again and again, keeps a server from scraping them. Patience is for each quarter: a
 * busy machine needs long for all of them.
 */
export async function untilFound(
  expression: string,
  count: number,
  servers: readonly QueriedServer[],
): Promise<void> {
  for (const share of [0.25, 0.5, 0.75])
    await eventually(async () => {
      expect(await found(expression, servers)).toBeGreaterThanOrEqual(count * share);
    });
  await eventually(async () => {
    expect(await found(expression, servers)).toBe(count);
  });
}

async function found(expression: string, servers: readonly QueriedServer[]): Promise<number> {
  const counts = await Promise.all(servers.map((server) => server.query(`count(${expression})`)));
  return counts.flat().reduce((sum, { value }) => sum + value, 0);
}

/** All that is in any of the sets. */
export function union(sets: readonly ReadonlySet<string>[]): ReadonlySet<string> {
  return new Set(sets.flatMap((set) => [...set]));
}
