import { describe, expect, test } from 'vitest';
import { AccountCounts } from '../../../src/metrics/account-counts.ts';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { parseExposition } from '../../support/exposition.ts';

const labelNamesOf = new Map(CATALOGUE.map(({ name, labelNames }) => [name, labelNames]));

describe('the catalogue of metrics', () => {
  test('names every metric once', () => {
    expect(labelNamesOf.size).toBe(CATALOGUE.length);
  });

  test.each(CATALOGUE)('$name is named as Prometheus wants it', ({ name, type, labelNames }) => {
    expect(name).toMatch(/^solar_[a-z][a-z0-9_]*[a-z0-9]$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(new Set(labelNames).size).toBe(labelNames.length);
    for (const label of labelNames) expect(label).toMatch(/^[a-z][a-z_]*$/);
  });

  test.each(CATALOGUE)('$name is explained in one line', ({ help }) => {
    expect(help).toMatch(/^[A-Z].*\.$/);
  });

  test('holds every count, with exactly its labels', async () => {
    const counts = new AccountCounts();
    counts.requestEnded('readings', 'ok', 0.2);
    counts.renewalEnded('login', 'ok');
    for (const { name, type, help, samples } of parseExposition(await counts.render())) {
      expect(CATALOGUE).toContainEqual(expect.objectContaining({ name, type, help }));
      for (const { labels } of samples) {
        const names = Object.keys(labels).filter((label) => label !== 'le');
        expect(names).toEqual(labelNamesOf.get(name));
      }
    }
  });
});
