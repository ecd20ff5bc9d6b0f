import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FILE_FORMATS } from '../../../src/history/formats.ts';
import { type MonthSeries, sampleCount } from '../../../src/history/month-series.ts';
import { collected, INVERTER, MINUTE_MS, partOf, pastReading } from '../../history/past-house.ts';
import { hasProgram } from '../../support/programs.ts';

const TARGET = { job: 'solar', instance: 'localhost:9877' };

/** Six hours of an inverter with a hostile name, and a gap in them. */
function sixHours(): Promise<MonthSeries> {
  const { fromMs } = partOf();
  const past = Array.from({ length: 72 }, (_, index) => {
    const pvPowerWatts = 1000 + index / 3;
    return pastReading(fromMs + 5 * index * MINUTE_MS, { pvPowerWatts, workingMode: 'line' });
  }).filter((_, index) => index < 20 || index > 50);
  return collected({
    past,
    devices: [{ ...INVERTER, name: 'a "quoted" \\ name\nwith two lines' }],
  });
}

/** Makes blocks of a file as docs/history.md says, and returns every sample that they hold. */
function storedSamples(text: string): readonly string[] {
  const directory = mkdtempSync(join(tmpdir(), 'solar-history-'));
  onTestFinished(() => {
    rmSync(directory, { recursive: true });
  });
  const file = join(directory, 'month.om');
  const blocks = join(directory, 'blocks');
  writeFileSync(file, text);
  const create = ['tsdb', 'create-blocks-from', 'openmetrics', '--quiet'];
  execFileSync('promtool', [...create, '--max-block-duration=1458h', file, blocks]);
  // A directory of blocks alone is no database to this command.
  mkdirSync(join(blocks, 'wal'));
  const dump = execFileSync('promtool', ['tsdb', 'dump', blocks], { encoding: 'utf8' });
  return dump.trimEnd().split('\n');
}

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test('makes blocks of a month that hold every sample', async () => {
    const month = await sixHours();
    const stored = storedSamples([...FILE_FORMATS.openmetrics.write(month, TARGET)].join(''));
    expect(stored).toHaveLength(sampleCount(month));
    const series =
      '{__name__="solar_pv_power_watts", device_id="inverter-1", instance="localhost:9877", job="solar", station_id="house"}';
    expect(stored.filter((line) => line.startsWith(series)).slice(0, 6)).toEqual(
      [0, 1, 2, 3, 4, 5].map(
        (minute) =>
          `${series} ${minute < 5 ? 1000 : 1000 + 1 / 3} ${partOf().fromMs + minute * MINUTE_MS}`,
      ),
    );
  });
});
