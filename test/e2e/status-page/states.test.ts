import { describe, expect, test } from 'vitest';
import { formatInstant } from '../../../src/http/status-page/format.js';
import { useBrowser } from '../../support/browser.ts';
import { hasProgram } from '../../support/programs.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, startBoth } from '../../doors/house.ts';

/** Noon of the stations, days after they were installed: the simulator then has little energy to sum up. */
const NOW = '2024-01-02T04:02:20Z';
const UPDATE_MS = 10 * SECOND_MS;

describe.skipIf(!hasProgram('chromium'))('the status page shows', () => {
  const browser = useBrowser();

  async function start(setup: Parameters<typeof startBoth>[0] = {}) {
    const both = await startBoth({ now: NOW, ...setup });
    const open = async () => {
      // The page does not wait for long; a scrape before it makes everything known, however long that takes.
      await both.scrape();
      const page = await browser.open(both.url, { now: NOW });
      return {
        page,
        notices: page.locator('#notices'),
        /** Lets time pass and waits until the page has taken notice. */
        after: async (durationMs: number) => {
          await both.scrapeAfter(durationMs);
          await page.clock.fastForward(UPDATE_MS);
          await page.getByText(formatInstant(both.clock.nowMs())).waitFor();
        },
      };
    };
    return { ...both, open };
  }

  test('a reading that grows old, then that there is none, and never a zero', async () => {
    const { simulator, deviceId, clock, scrape, open } = await start();
    const { page, after } = await open();
    const reading = page.locator('td[data-label="Reading"]');
    expect(await reading.locator('.old').count()).toBe(0);
    simulator.setOffline(deviceId, clock.nowMs());

    await after(9 * MINUTE_MS);
    expect(await reading.locator('.old').textContent()).toMatch(/^1[0-4] min ago/);
    expect(await page.locator('.node.sun [data-value]').count()).toBe(1);

    await after(15 * MINUTE_MS);
    expect((await scrape()).all('solar_pv_power_watts')).toEqual([]);
    expect(await reading.textContent()).toMatch(/no reading.*2\d min ago/s);
    expect(await page.locator('.flow [data-value]').count()).toBe(0);
    expect(await page.locator('.node.unknown').count()).toBe(4);
    expect(await page.locator('.devices data').count()).toBe(0);
    expect(await page.locator('.flow').textContent()).not.toMatch(/\d/);
    expect(await page.getByText('0 of 1 devices reporting').count()).toBe(1);
  });

  test('a device of several that is offline, and that sums are without it', async () => {
    const { simulator, stationId, clock, scrape, open } = await start({
      flags: { 'cache.devices-ttl': '1m' },
      simulator: { devicesPerStation: 2 },
    });
    const [, second = ''] = simulator.deviceIds(stationId);
    const { page, after } = await open();
    simulator.setOffline(second, clock.nowMs());
    await after(30 * MINUTE_MS);
    expect(await page.locator(`tr[data-device="${second}"]`).textContent()).toContain('offline');
    expect(await page.getByText('1 of 2 devices reporting').count()).toBe(1);
    expect(await page.getByText('Not every device says its PV').count()).toBe(1);
    const shown = await page.locator('.node.sun [data-value]').getAttribute('data-value');
    expect(Number(shown)).toBe((await scrape()).value('solar_pv_power_watts'));
  });

  test('an alarm while it fires, at its device, by how serious it is', async () => {
    const { simulator, deviceId, open } = await start({
      flags: { 'cache.alarms-ttl': '1m' },
      simulator: { family: 'hpvinv02', devicesPerStation: 2 },
    });
    const { page, after } = await open();
    const alarms = page.locator(`tr[data-device="${deviceId}"] td[data-label="Alarms"]`);
    expect(await alarms.textContent()).toBe('none');
    simulator.setAlarms(deviceId, [
      { key: 'fanSpeedLow', level: 2 },
      { key: '<img src=x onerror=alert(1)>', level: 3 },
    ]);
    // An alarm comes with a reading, and is shown as the list of alarms is asked the next time.
    await after(6 * MINUTE_MS);
    await after(3 * MINUTE_MS);
    expect(await alarms.locator('.warn').textContent()).toBe('warning: fanSpeedLow');
    expect(await alarms.locator('.bad').textContent()).toBe(
      'critical: <img src=x onerror=alert(1)>',
    );
    expect(await page.locator('td[data-label="Alarms"] .badge').count()).toBe(2);
    simulator.setAlarms(deviceId, []);
    await after(6 * MINUTE_MS);
    await after(3 * MINUTE_MS);
    expect(await alarms.textContent()).toBe('none');
  });

  test('an inverter of an unknown family, and what to do about it', async () => {
    const { open } = await start({ simulator: { family: 'undescribed' } });
    const { page, notices } = await open();
    expect(await notices.textContent()).toMatch(
      /Unknown inverter family: .*solar-exporter devices --explain/,
    );
    const link = await notices.getByRole('link').getAttribute('href');
    expect(link).toMatch(/docs\/families\.md#an-unknown-family$/);
    expect(await page.locator('.devices tbody th .old').textContent()).toBe('unknown family');
  });

  test('that new credentials are needed, and until when no log-in is tried', async () => {
    const { scrape, open } = await start({ env: { SOLAR_PASSWORD: 'mistyped' } });
    const { page, notices, after } = await open();
    const blockedUntilSeconds = (await scrape()).value(
      'solar_login_blocked_until_timestamp_seconds',
    );
    expect(await notices.textContent()).toContain('New credentials are needed.');
    expect(await notices.textContent()).toContain(
      formatInstant((blockedUntilSeconds ?? NaN) * 1000),
    );
    expect(await page.locator('.session .bad').textContent()).toBe('needed');
    expect(await page.locator('body').textContent()).not.toContain('mistyped');
    await after(UPDATE_MS);
    expect(await notices.textContent()).toContain('New credentials are needed.');
  });

  test('that the account has no stations, and one as soon as it has', async () => {
    const { simulator, open } = await start();
    simulator.setStations(0);
    const { page, notices, after } = await open();
    expect(await notices.textContent()).toContain('The account has no stations.');
    expect(await page.locator('article').count()).toBe(0);
    simulator.setStations(1);
    await after(HOUR_MS);
    expect(await page.locator('article h2').textContent()).toBe('Station 1');
    expect(await notices.textContent()).toBe('');
  });

  test('that the service is down at the start, and everything when it is back', async () => {
    const { simulator, open } = await start();
    await simulator.stop();
    const { page, notices, after } = await open();
    expect(await notices.textContent()).toMatch(/No station is known.*SERVICE_UNREACHABLE/);
    await simulator.start();
    await after(MINUTE_MS);
    expect(await notices.textContent()).toBe('');
    expect(await page.locator('.node.sun [data-value]').count()).toBe(1);
  });

  test('that readings could not be refreshed, and what was last known', async () => {
    const { simulator, open } = await start();
    const { page, after } = await open();
    expect(await page.locator('article header .good').count()).toBe(1);
    simulator.setFault('*', { kind: 'status', status: 500 });
    // The next question is the one for the next reading.
    await after(6 * MINUTE_MS);
    expect(await page.locator('article header .bad').count()).toBe(1);
    expect(await page.locator('.node.sun [data-value]').count()).toBe(1);
    expect(
      await page.getByRole('row').filter({ hasText: 'readings' }).first().textContent(),
    ).toContain('SERVICE_SERVER_ERROR');
  });

  test('several stations, each with its own devices and metrics', async () => {
    const { simulator, open } = await start({ simulator: { stations: 3, devicesPerStation: 2 } });
    const { page } = await open();
    for (const stationId of simulator.stationIds) {
      const station = page.locator(`article[data-station="${stationId}"]`);
      const devices = await station
        .locator('tr[data-device]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-device')));
      expect(devices).toEqual(simulator.deviceIds(stationId));
      const link = station.locator(`a[href="probe?target=${stationId}"]`);
      expect(await link.count()).toBe(1);
    }
    expect(await page.locator('article').count()).toBe(3);
  });
});
