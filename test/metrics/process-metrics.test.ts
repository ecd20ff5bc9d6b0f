import { expect, test } from 'vitest';
import { startProcessMetrics } from '../../src/metrics/process-metrics.ts';
import { parseExposition } from './exposition.ts';

test('the metrics of the process are read anew each time', async () => {
  const render = startProcessMetrics();
  const names = parseExposition(await render()).map(({ name }) => name);
  expect(names).toContain('process_resident_memory_bytes');
  expect(names).toContain('nodejs_version_info');
  expect(names.filter((name) => name.startsWith('solar_'))).toEqual([]);
  expect(await render()).not.toBe('');
});
