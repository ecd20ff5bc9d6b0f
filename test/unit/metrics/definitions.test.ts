import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';

test('every metric of the catalogue is there once, named as Prometheus wants it, and explained', () => {
  expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
  for (const { name, type, labelNames, help } of CATALOGUE) {
    expect(name).toMatch(/^solar_[a-z][a-z0-9_]*[a-z0-9]$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    expect(new Set(labelNames).size, name).toBe(labelNames.length);
    for (const label of labelNames) expect(label).toMatch(/^[a-z][a-z_]*$/);
    expect(help, name).toMatch(/^[A-Z].*\.$/);
  }
});
