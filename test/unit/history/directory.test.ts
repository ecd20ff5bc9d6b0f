import { readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../../../src/history/directory.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { collected, partOf } from './past-house.ts';

const MONTH = partOf();
const NAME = 'solar-house-20260731T160000Z-20260731T220000Z.om';

async function opened() {
  // Too long for a lock, which needs a socket.
  const path = join(temporaryDirectory(), 'd'.repeat(100));
  const options = { path, format: 'openmetrics', labels: {}, settings: '{}', nonce: '1' } as const;
  return { path, directory: await openDirectory(options), series: await collected() };
}

test.runIf(process.platform === 'linux')('a disk that is full says what helps', async () => {
  const { path, directory, series } = await opened();
  symlinkSync('/dev/full', join(path, `${NAME}.partial`));
  await expect(directory.write(MONTH, series)).rejects.toMatchObject({
    code: 'WRITE_FAILED',
    message: `"${join(path, NAME)}": ENOSPC`,
    remedy: expect.stringContaining('make room on the disk') as unknown,
  });
  expect(readdirSync(path)).not.toContain(`${NAME}.partial`);
});

test('a name too long, and a directory that is gone, say what helps', async () => {
  const { path, directory, series } = await opened();
  const station = { ...MONTH.station, stationId: 'x'.repeat(300) };
  await expect(directory.write({ ...MONTH, station }, series)).rejects.toMatchObject({
    message: expect.stringContaining('ENAMETOOLONG') as unknown,
    remedy: expect.stringContaining('choose another --output') as unknown,
  });
  await directory.write(MONTH, series);
  rmSync(path, { recursive: true });
  await expect(directory.keep(MONTH)).rejects.toMatchObject({
    message: expect.stringContaining('ENOENT') as unknown,
  });
});
