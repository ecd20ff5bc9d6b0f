import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { startOnStorage, temporaryDirectory } from '../../support/prometheus.ts';
import { DAY_MS, MINUTE_MS } from '../../doors/house.ts';
import { promtool } from '../../support/promtool.ts';
import { type ByFlow, countedKwh, startHouse, truthKwh } from './counting-house.ts';

/** In Kyiv, the clocks go forward in the second of these nights: that day has 23 hours. */
const MIDNIGHTS = [
  '2026-03-28T00:00:00+02:00',
  '2026-03-29T00:00:00+02:00',
  '2026-03-30T00:00:00+03:00',
  '2026-03-31T00:00:00+03:00',
].map((midnight) => Date.parse(midnight));
const QUARTER_MS = 15 * MINUTE_MS;
const METRIC = 'solar_device_energy_kwh_total';

/** What a Prometheus has scraped every minute, for promtool. */
function openMetrics(pages: ReadonlyMap<number, ByFlow>): string {
  const lines = [`# TYPE ${METRIC.replace(/_total$/, '')} counter`];
  const flows = new Set([...pages.values()].flatMap((page) => Object.keys(page)));
  for (const flow of flows)
    for (const [atMs, page] of pages)
      // Every page is the same until the next count.
      for (let minute = 0; minute < 15 && page[flow] !== undefined; minute += 1)
        lines.push(`${METRIC}{flow="${flow}"} ${page[flow]} ${atMs / 1000 + 60 * minute}`);
  return [...lines, '# EOF', ''].join('\n');
}

describe.skipIf(!hasProgram('prometheus') || !hasProgram('promtool'))('in Prometheus', () => {
  test('the increase of the counters over each day is the energy of that day', async () => {
    const [beginsMs = NaN] = MIDNIGHTS;
    const endsMs = MIDNIGHTS.at(-1) ?? NaN;
    const house = await startHouse(new Date(beginsMs - QUARTER_MS).toISOString(), {
      timeZone: 'Europe/Kyiv',
    });
    const { clock, simulator, deviceId } = house;
    const pages = new Map<number, ByFlow>();
    for (let atMs = clock.nowMs(); atMs <= endsMs; atMs += QUARTER_MS) {
      pages.set(atMs, countedKwh(await house.scrape()));
      clock.advance(QUARTER_MS);
    }
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'pages.txt'), openMetrics(pages));
    const made = promtool([
      ...['tsdb', 'create-blocks-from', 'openmetrics', '--quiet', '--max-block-duration=168h'],
      join(directory, 'pages.txt'),
      join(directory, 'storage'),
    ]);
    expect(made.output).toBe('');
    expect(made.status).toBe(0);
    const prometheus = await startOnStorage(join(directory, 'storage'));
    for (const [index, toMs] of MIDNIGHTS.slice(1).entries()) {
      const fromMs = MIDNIGHTS[index] ?? NaN;
      const seconds = (toMs - fromMs) / 1000;
      const result = await prometheus.query(`increase(${METRIC}[${seconds}s])`, toMs);
      const truth = truthKwh(simulator, deviceId, [{ fromMs, toMs }]);
      expect(result).toHaveLength(6);
      for (const { metric, value } of result) {
        const { flow = '' } = metric;
        const kwh = truth[flow] ?? NaN;
        // Of a day alone, the minute in which the battery is full may be two of five away: 0.1 kWh.
        const differenceKwh = Math.abs(value - kwh);
        expect(differenceKwh, `${flow} ${kwh} kWh`).toBeLessThanOrEqual(0.005 * kwh + 0.1);
      }
      const ofPv = result.find(({ metric }) => metric['flow'] === 'pv')?.value ?? NaN;
      expect(Math.abs(ofPv / (truth['pv'] ?? NaN) - 1)).toBeLessThanOrEqual(0.005);
    }
    expect(endsMs - beginsMs).toBe(3 * DAY_MS - 60 * MINUTE_MS);
    expect((await prometheus.stop()) ?? 0).toBe(0);
  });
});
