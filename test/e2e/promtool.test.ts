import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { checkMetrics } from '../support/prometheus.ts';
import { SteeredClock, startBoth, startExporterFor, startService } from '../doors/house.ts';
import { rewriting, startProxy } from '../support/proxy.ts';

const NOW = '2024-01-02T04:00:00Z';
const RECORDED_PAGES = new URL('../fixtures/metrics/', import.meta.url);
const CLEAN = { status: 0, output: '' };
const HOSTILE = 'a "quoted" \\ name\n# TYPE solar_up counter\nsolar_up{x="y"} 9\r\u0000{}=,🌞';

describe.skipIf(!hasProgram('promtool'))('promtool finds nothing wrong with the page', () => {
  // One of them has no values where they differ every time.
  const pages = readdirSync(RECORDED_PAGES).filter((name) => name !== 'one-station.prom');

  test.each(pages)('that is recorded in %s', (name) => {
    expect(checkMetrics(readFileSync(new URL(name, RECORDED_PAGES), 'utf8'))).toEqual(CLEAN);
  });

  test.each([
    { of: 'a healthy exporter', flags: {} },
    { of: 'one with --collect.process', flags: { 'collect.process': 'true' } },
    { of: 'one with --collect.settings', flags: { 'collect.settings': 'true' } },
  ])('of $of', async ({ flags }) => {
    const { scrape } = await startBoth({ now: NOW, flags });
    const page = await scrape();
    expect(page.value('solar_up')).toBe(1);
    expect(checkMetrics(page.text)).toEqual(CLEAN);
  });

  test('of one whose service is down from the start', async () => {
    const { simulator, scrape } = await startBoth({ now: NOW });
    await simulator.stop();
    const page = await scrape();
    expect(page.value('solar_up')).toBe(0);
    expect(checkMetrics(page.text)).toEqual(CLEAN);
  });

  test('of one whose service went down', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({ now: NOW });
    await scrape();
    await simulator.stop();
    expect(checkMetrics((await scrapeAfter(120_000)).text)).toEqual(CLEAN);
    expect(checkMetrics((await scrapeAfter(24 * 3_600_000)).text)).toEqual(CLEAN);
  });

  test('of one whose stations, devices and settings have hostile names', async () => {
    const { page, stationId } = await scrapeHostile();
    expect(page.value('solar_up')).toBe(1);
    expect(page.all('solar_up').map(({ labels }) => labels)).toEqual([{ station_id: stationId }]);
    expect(checkMetrics(page.text)).toEqual(CLEAN);
  });
});

test('hostile names arrive on the page as they are', async () => {
  const { page } = await scrapeHostile();
  for (const metric of ['solar_station_info', 'solar_device_info'])
    expect(page.all(metric).map(({ labels }) => labels['name'])).toEqual([HOSTILE]);
  expect(page.all('solar_device_setting_info').map(({ labels }) => labels['value'])).toContain(
    HOSTILE,
  );
  expect(page.all('solar_device_setting_enabled').map(({ labels }) => labels['setting'])).toContain(
    HOSTILE,
  );
});

async function scrapeHostile() {
  const clock = new SteeredClock(NOW);
  const { simulator, serviceUrl, stationId } = await startService({}, clock);
  const proxyUrl = await startProxy(
    serviceUrl,
    rewriting((body) =>
      ['Station 1', 'Inverter 1', 'Self-Use', 'backupModeEnabled'].reduce(
        (renamed, name) => renamed.replaceAll(JSON.stringify(name), JSON.stringify(HOSTILE)),
        body,
      ),
    ),
  );
  const flags = { 'collect.settings': 'true' };
  const { scrape } = await startExporterFor(simulator, proxyUrl, clock, { flags });
  return { page: await scrape(), stationId };
}
