import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../../../src/history/directory.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { collected, partOf } from './past-house.ts';

const PART = { ...partOf(), isWhole: true };
const NAME = 'solar-house-2026-08.om';

async function opened() {
  // Too long for a lock, which needs a socket.
  const path = join(temporaryDirectory(), 'd'.repeat(100));
  const options = { path, format: 'openmetrics', labels: {}, settings: '{}', nonce: '1' } as const;
  const target = await openDirectory({ ...options, isDryRun: false });
  return { path, target, month: await collected() };
}

test.runIf(process.platform === 'linux')('a disk that is full says what helps', async () => {
  const { path, target, month } = await opened();
  symlinkSync('/dev/full', join(path, `${NAME}.partial`));
  await expect(target.write(PART, month)).rejects.toMatchObject({
    code: 'WRITE_FAILED',
    message: `"${join(path, NAME)}": ENOSPC`,
    remedy: expect.stringContaining('make room on the disk') as unknown,
  });
  expect(readdirSync(path)).not.toContain(`${NAME}.partial`);
});

test('a name that is too long, and a directory that is there no more, say what helps', async () => {
  const { path, target, month } = await opened();
  const station = { ...PART.station, stationId: 'x'.repeat(300) };
  await expect(target.write({ ...PART, station }, month)).rejects.toMatchObject({
    message: expect.stringContaining('ENAMETOOLONG') as unknown,
    remedy: expect.stringContaining('--push') as unknown,
  });
  const written = await target.write(PART, month);
  rmSync(path, { recursive: true });
  await expect(written.keep()).rejects.toMatchObject({
    message: expect.stringContaining('ENOENT') as unknown,
  });
});
