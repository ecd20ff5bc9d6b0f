import { expect, test } from 'vitest';
import { MEASUREMENT_METRICS } from '../../../src/collectors/reading-metrics.ts';
import { CATALOGUE } from '../../../src/metrics/definitions.ts';
import { QUANTITIES, readingsAt } from '../../../src/model/readings.ts';

test('every metric of the catalogue is there once, well named and explained', () => {
  expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
  for (const { name, type, labelNames, help } of CATALOGUE) {
    expect(name).toMatch(/^solar_[a-z][a-z0-9_]*[a-z0-9]$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    expect(new Set(labelNames).size, name).toBe(labelNames.length);
    for (const label of labelNames) expect(label).toMatch(/^[a-z][a-z_]*$/);
    expect(help, name).toMatch(/^[A-Z].*\.$/);
  }
});

test('every quantity that a device can measure is in a metric', () => {
  const dialect = { family: 'any', source: 'latest', missing: [], unknownKeys: [] } as const;
  const hidden = QUANTITIES.filter((quantity) => {
    const value = quantity === 'workingMode' ? 'line' : 1;
    const measurements = [{ quantity, part: '1', value }];
    const readings = readingsAt({ measurements, dialect, serviceAheadMs: 0 }, 0, 'auto');
    return MEASUREMENT_METRICS.every(({ read }) => [...read(readings)].length === 0);
  });
  expect(hidden).toEqual([]);
});
