import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startPrefixProxy } from '../http/status-page/prefix-proxy.ts';
import { useBrowser } from '../../support/browser.ts';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import {
  MINUTE_MS,
  type ScrapedPage,
  SECOND_MS,
  startBoth,
} from '../../doors/house.ts';

/** Noon of the stations. */
const NOW = '2026-03-14T04:02:20Z';
/** How often an open page asks. */
const UPDATE_MS = 10 * SECOND_MS;

/** What the corners of the drawing show, by the class of their group; absent where it is unknown. */
const CORNERS: Readonly<Record<string, (page: ScrapedPage) => number | undefined>> = {
  sun: (page) => sum(page, 'solar_pv_power_watts'),
  house: (page) => sum(page, 'solar_load_power_watts'),
  battery: (page) => Math.abs(sum(page, 'solar_battery_power_watts') ?? NaN),
  grid: (page) => {
    const imported = sum(page, 'solar_grid_import_power_watts');
    const fedIn = sum(page, 'solar_grid_feed_in_power_watts') ?? 0;
    return imported === undefined && fedIn < 1 ? undefined : Math.max(imported ?? 0, fedIn);
  },
};

/** What a device's row shows, in this order. */
const ROW = [
  'solar_pv_power_watts',
  'solar_load_power_watts',
  'solar_battery_soc_ratio',
  'solar_battery_power_watts',
];

function sum(page: ScrapedPage, name: string): number | undefined {
  const samples = page.all(name);
  return samples.length === 0 ? undefined : samples.reduce((total, { value }) => total + value, 0);
}

async function expectSameAsMetrics(page: Page, metrics: ScrapedPage): Promise<void> {
  for (const [corner, expected] of Object.entries(CORNERS)) {
    const shown = page.locator(`.node.${corner} .value`);
    const value = await shown.getAttribute('data-value');
    expect(value === null ? undefined : Number(value), corner).toBe(expected(metrics));
  }
  for (const { labels } of metrics.all('solar_device_info')) {
    const deviceId = labels['device_id'] ?? '';
    const cells = page.locator(`tr[data-device="${deviceId}"] data`);
    const shown = await cells.evaluateAll((all) =>
      all.map((cell) => Number(cell.getAttribute('value'))),
    );
    const expected = ROW.map((name) => metrics.value(name, { device_id: deviceId }));
    expect(shown).toEqual(expected.filter((value) => value !== undefined));
  }
  const generated = page.locator('.energy tr', { hasText: /^Generated/ }).locator('data');
  const shown = await generated.evaluateAll((all) =>
    all.map((cell) => Number(cell.getAttribute('value'))),
  );
  const periods = ['today', 'yesterday', 'month', 'year'];
  expect(shown).toEqual(
    periods.map((period) => metrics.value(`solar_energy_${period}_kwh`, { flow: 'pv' })),
  );
}

/** Counts what a page asks the exporter for, by path. */
function countRequests(page: Page): (path: string) => number {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return (path) => paths.filter((asked) => asked === path).length;
}

/** Waits for the next answer that an open page has asked for. */
function nextAnswer(page: Page) {
  return page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/'));
}

describe.skipIf(!hasProgram('chromium'))('the status page in a browser', () => {
  const browser = useBrowser();

  test.each(['classic', 'hpvinv02', 'pi30'] as const)(
    'shows the values of /metrics of the same moment, with and without scripts: %s',
    async (family) => {
      const { url, scrape } = await startBoth({
        now: NOW,
        simulator: { family, devicesPerStation: 2 },
      });
      // The page does not wait for long, and this makes everything known before it is opened.
      await scrape();
      const pages = [
        await browser.open(url),
        await browser.open(url, { javaScriptEnabled: false }),
      ];
      const metrics = await scrape();
      expect(metrics.all('solar_pv_power_watts')).toHaveLength(2);
      for (const page of pages) await expectSameAsMetrics(page, metrics);
    },
  );

  test('updates by itself, without being loaded again', async () => {
    const { url, clock, scrape } = await startBoth({ now: NOW });
    const page = await browser.open(url, { now: NOW });
    const before = await scrape();
    await page.evaluate(() => document.body.setAttribute('data-loaded', 'once'));
    clock.advance(30 * MINUTE_MS);
    const after = await eventually(async () => {
      const metrics = await scrape();
      await page.clock.fastForward(UPDATE_MS);
      await expectSameAsMetrics(page, metrics);
      return metrics;
    });
    expect(sum(after, 'solar_pv_power_watts')).not.toBe(sum(before, 'solar_pv_power_watts'));
    expect(await page.getAttribute('body', 'data-loaded')).toBe('once');
  });

  test('asks for nothing while nobody sees it, and at once when somebody does', async () => {
    const { url } = await startBoth({ now: NOW });
    const page = await browser.open(url, { now: NOW });
    const asked = countRequests(page);
    await page.evaluate(() =>
      Object.defineProperty(document, 'hidden', {
        value: true,
        configurable: true,
      }),
    );
    await page.clock.runFor(MINUTE_MS);
    expect(asked('/')).toBe(0);
    const answered = nextAnswer(page);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await answered;
    expect(asked('/')).toBe(1);
  });

  test('says when the exporter is gone, and no longer when it is back', async () => {
    const { url } = await startBoth({ now: NOW });
    const proxy = await startPrefixProxy(url, '/');
    const page = await browser.open(proxy.url, { now: NOW, expectsOutage: true });
    const banner = page.locator('#connection');
    expect(await banner.isVisible()).toBe(false);
    await proxy.stop();
    await page.clock.fastForward(UPDATE_MS);
    await banner.filter({ hasText: 'does not answer' }).waitFor();
    expect(await page.locator('body.lost main').count()).toBe(1);
    await proxy.start();
    await page.clock.fastForward(UPDATE_MS);
    await banner.waitFor({ state: 'hidden' });
    expect(await page.locator('body.lost').count()).toBe(0);
  });

  test('works below a path of a reverse proxy: assets, updates and links', async () => {
    const { url, stationId } = await startBoth({ now: NOW });
    const proxy = await startPrefixProxy(url, '/solar/');
    const page = await browser.open(proxy.url, { now: NOW });
    const sheets = await page.evaluate(() => document.styleSheets.length);
    expect(sheets).toBe(1);
    const answered = nextAnswer(page);
    await page.clock.fastForward(UPDATE_MS);
    expect((await answered).status()).toBe(200);
    const links = await page
      .locator('a[href]')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href));
    expect(links).toContain(`${proxy.url}metrics`);
    expect(links).toContain(`${proxy.url}probe?target=${stationId}`);
    for (const link of links) expect((await fetch(link)).status, link).toBe(200);
  });

  test('opened twenty times and left open, asks the service no more than one scraper would', async () => {
    const setup = {
      now: NOW,
      flags: { 'cache.readings-ttl': '1m' },
      simulator: { devicesPerStation: 2 },
    } as const;
    const [watched, scraped] = [await startBoth(setup), await startBoth(setup)];
    const page = await browser.open(watched.url, { now: NOW });
    for (let opened = 1; opened < 20; opened += 1) await page.reload();
    await scraped.scrape();
    for (let passedMs = 0; passedMs < 10 * MINUTE_MS; passedMs += UPDATE_MS) {
      watched.clock.advance(UPDATE_MS);
      const answered = nextAnswer(page);
      await page.clock.fastForward(UPDATE_MS);
      await (await answered).finished();
      await scraped.scrapeAfter(UPDATE_MS);
    }
    expect(watched.simulator.requests()).toBe(scraped.simulator.requests());
    // What is live every minute, and what is counted once in 15 minutes.
    expect(watched.simulator.requests('readings')).toBe(2 * (11 + 1));
  });
});
