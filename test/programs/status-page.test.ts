import { describe, expect, test } from 'vitest';
import { formatInstant, zoneOf } from '../../src/http/status-page/format.ts';
import type { DeviceStatus } from '../../src/status/status.ts';
import { MINUTE_MS, SECOND_MS, startBoth } from '../doors/house.ts';
import { useBrowser } from '../support/browser.ts';
import { deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { HOSTILE_NAMES } from '../support/hostile-names.ts';
import { hasProgram } from '../support/programs.ts';
import { startServer } from '../support/running-server.ts';
import { AT_MS, sampleDevice, sampleStation, sampleStatus } from '../support/sample-status.ts';

const NOW = '2026-06-21T12:00:00Z';
/** How often an open page asks. */
const UPDATE_MS = 10 * SECOND_MS;

describe.skipIf(!hasProgram('chromium'))('the status page in a real browser', () => {
  const browser = useBrowser();

  /** Opens the page of an exporter whose answers the test decides on. */
  async function open(first = sampleStatus(), visit = {}) {
    let answer = () => Promise.resolve(first);
    const { server } = await startServer({ readStatus: () => answer() });
    const page = await browser.open(server.url, { now: NOW, ...visit });
    return {
      page,
      banner: page.locator('#connection'),
      answerWith: (next: typeof answer) => (answer = next),
      /** Answers with this status a second later from now on, and waits until that is on the page. */
      update: async (next = first) => {
        const atMs = next.atMs + SECOND_MS;
        answer = () => Promise.resolve({ ...next, atMs });
        await page.clock.fastForward(UPDATE_MS);
        await page.getByText(formatInstant(atMs, zoneOf(next.stations))).waitFor();
      },
    };
  }

  test('shows what /metrics does, updates by itself, but not while hidden', async () => {
    const { url, clock, scrape } = await startBoth({ now: '2026-03-14T04:02:20Z' });
    await scrape();
    const page = await browser.open(url, { now: NOW });
    const value = '.node.sun .value';
    clock.advance(30 * MINUTE_MS);
    await eventually(async () => {
      const expected = String((await scrape()).value('solar_pv_power_watts'));
      await page.clock.fastForward(UPDATE_MS);
      expect(await page.locator(value).getAttribute('data-value')).toBe(expected);
    });
    const hide = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, isHidden);
    await hide(true);
    let asked = 0;
    page.on('request', () => (asked += 1));
    await page.clock.runFor(MINUTE_MS);
    expect(asked).toBe(0);
    const answered = page.waitForResponse((response) => response.url() === `${url}/`);
    await hide(false);
    await answered;
    expect(asked).toBe(1);
  });

  test('asks one question at a time, and says when there is no answer', async () => {
    const { page, banner, answerWith, update } = await open(undefined, { expectsOutage: true });
    const reply = deferred<ReturnType<typeof sampleStatus>>();
    let waiting = 0;
    answerWith(() => {
      waiting += 1;
      return reply.promise;
    });
    await page.clock.runFor(UPDATE_MS);
    await eventually(() => expect(waiting).toBe(1));
    // Within its patience, after which it gives the question up.
    await page.clock.runFor(UPDATE_MS / 2);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    reply.resolve(sampleStatus({ atMs: AT_MS + MINUTE_MS }));
    await page.getByText('15:01:00 Europe/Kyiv').waitFor();
    expect(waiting).toBe(1);

    answerWith(() => Promise.reject(new Error('broken')));
    await page.clock.fastForward(UPDATE_MS);
    await banner.filter({ hasText: 'does not answer' }).waitFor();
    expect(await page.locator('body.lost main').count()).toBe(1);
    await update();
    expect(await banner.textContent()).toBe('');
    expect(await page.locator('body.lost').count()).toBe(0);
    await page.route('**/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Log in</h1>' }),
    );
    await page.clock.fastForward(UPDATE_MS);
    await banner.filter({ hasText: 'does not answer' }).waitFor();
    await page.unroute('**/');
    answerWith(() => Promise.resolve({ ...sampleStatus({ stations: [] }), version: '2.0.0' }));
    await page.clock.fastForward(UPDATE_MS);
    await banner.filter({ hasText: 'another version' }).waitFor();
    expect(await page.locator('article').count()).toBe(1);
  });

  test('renews what changes, and can be used by keyboard and without seeing it', async () => {
    const { page, update } = await open(undefined, { reducedMotion: 'no-preference' });
    const sentence =
      'PV: generating 4,200 W; House: using 900 W; Battery 63 %: charging 2,000 W; Grid: feeding in 1,300 W.';
    expect(await page.getByRole('img', { name: sentence, exact: true }).count()).toBe(1);
    for (const landmark of ['banner', 'navigation', 'main'] as const)
      expect(await page.getByRole(landmark).count(), landmark).toBe(1);
    expect(await page.getByRole('table', { name: 'Devices' }).count()).toBe(1);
    expect(await page.locator('th:not([scope])').count()).toBe(0);
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      () => document.activeElement && getComputedStyle(document.activeElement).outlineStyle,
    );
    expect(outline).not.toBe('none');
    const moving = () => page.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBe(4);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await moving()).toBe(0);

    const figure = await page.locator('article figure').first().elementHandle();
    await page.locator('a[href^="probe"]').focus();
    const before = await page.locator('*').count();
    await update();
    expect(await figure.evaluate((element) => element.isConnected)).toBe(true);
    const atMs = AT_MS + MINUTE_MS;
    await update(sampleStatus({ atMs, stations: [sampleStation({ name: 'Renamed' })] }));
    expect(await page.locator('h2').first().textContent()).toBe('Renamed');
    expect(await page.locator('*').count()).toBe(before);
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('href'));
    expect(await focused()).toContain('probe');
    await page.evaluate(() => {
      const heading = document.querySelector('h2');
      if (heading !== null) document.getSelection()?.selectAllChildren(heading);
    });
    await update(sampleStatus({ atMs: atMs + MINUTE_MS }));
    expect(await page.locator('h2').first().textContent()).toBe('Renamed');
    await page.evaluate(() => document.getSelection()?.removeAllRanges());
    // The list of stations changes, and so all of the page.
    const barn = sampleStation({ stationId: '7', name: 'Barn' });
    await update(sampleStatus({ atMs: atMs + 2 * MINUTE_MS, stations: [sampleStation(), barn] }));
    await page.locator('a[href="probe?target=7"]').focus();
    const shed = sampleStation({ stationId: '6', name: 'Shed' });
    await update(sampleStatus({ atMs: atMs + 3 * MINUTE_MS, stations: [shed, barn] }));
    expect(await page.locator('h2').allTextContents()).toEqual(['Shed', 'Barn']);
    expect(await focused()).toBe('probe?target=7');
  });

  test('shows hostile names harmlessly, and whole, at every width', async () => {
    const names = HOSTILE_NAMES.map(([, name]) => name);
    const stationOf = (stationId: string, name: string, devices: readonly DeviceStatus[] = []) =>
      sampleStation({ stationId, name, timeZone: name, devices });
    const devices = names.map((name) => {
      const alarms = [{ alarm: name, level: name }];
      return sampleDevice({ deviceId: name, name, model: name, workingMode: name, alarms });
    });
    const stations = [
      stationOf('all', names.join(' '), devices),
      ...names.map((name, index) => stationOf(`${index}`, name)),
    ];
    // A script that runs, a dialog, or a request elsewhere fails the test by itself.
    const { page, update } = await open(sampleStatus({ stations }));
    const look = async (selector: string, count: number) => {
      expect(await page.locator(selector).count()).toBe(count);
      expect(await page.locator('h1').count()).toBe(1);
      expect(await page.locator('img, main script').count()).toBe(0);
      for (const width of [1280, 768, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(wide).toBeLessThanOrEqual(width);
      }
    };
    await update();
    await look('#overview li', stations.length);
    // Its line leads to a page of one station, and that is renewed as such.
    await page.locator('#overview a[href="?target=all"]').click();
    await update(sampleStatus({ atMs: AT_MS + MINUTE_MS, stations }));
    expect(await page.locator('article').count()).toBe(1);
    await look('table.devices tbody tr', devices.length);
  });
});
