import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FakeProcess, startProcess } from '../doors/commands/fake-process.ts';
import { SteeredClock } from '../doors/house.ts';
import { temporaryDirectory } from '../support/prometheus.ts';

test('history says what the service does not have, as one gap where it goes on in the next month', async () => {
  const { shell, simulator, deviceId } = await startProcess(
    {},
    new FakeProcess(new SteeredClock('2026-01-02T04:00:00Z')),
  );
  const range = ['--from=2025-11-29', '--to=2025-12-05', '--request.rate=1000', '--interval=4m'];
  const gaps = [
    ['2025-11-30T02:00Z', '2025-12-01T04:00Z'],
    ...Array.from({ length: 22 }, (_, index) => {
      const hour = (index: number) => new Date(Date.UTC(2025, 11, 1, 6 + index)).toISOString();
      return [hour(2 * index), hour(2 * index + 1)];
    }),
  ];
  for (const [from = '', to = ''] of gaps)
    simulator.setGap(deviceId, Date.parse(from), Date.parse(to));
  const { status, out } = await shell.run(
    'history',
    `--output=${join(temporaryDirectory(), 'past')}`,
    ...range,
  );
  expect(status).toBe(0);
  const lines = out.trimEnd().split('\n').slice(3);
  expect(lines[0]).toBe(`the service has no readings of Inverter 1 (${deviceId}):`);
  expect(lines[1]).toBe('  2025-11-30T01:55Z to 2025-12-01T04:00Z');
  expect(lines[2]).toBe('  2025-12-01T05:55Z to 2025-12-01T07:00Z');
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('  and 3 times more');
});
