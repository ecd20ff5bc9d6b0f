import { describe, expect, test, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../collectors/collection-harness.ts';
import { deferred, settled } from '../support/deferred.ts';
import { reportOf } from '../support/device-report.ts';
import { createScraper, WAIT_MS, NEW_SESSION } from './scraper-harness.ts';

const PV = 'solar_pv_power_watts{station_id="house",device_id="inverter"}';

test('the memory of a page is given back when there is another one, and everybody has been answered', async () => {
  const { api, clock, scraper } = createScraper();
  const before = await scraper.scrape(WAIT_MS);
  expect(scraper.current()).toBe(before);
  api.answer('readings inverter', () => Promise.resolve(reportOf({ pvPowerWatts: 42 })));
  clock.advance(MINUTE_MS);
  const after = await scraper.scrape(WAIT_MS);
  // Somebody who has just been given it, and is about to send it.
  expect(before.body.toString()).toContain(`${PV} 1500\n`);
  await settled();
  expect(before.body).toHaveLength(0);
  expect(after.body.toString()).toContain(`${PV} 42\n`);
});

test('a page is whole although another one is made while the metrics of the process are rendered', async () => {
  const rendered = deferred<string>();
  const renderProcessMetrics = vi.fn(() => rendered.promise);
  const { api, clock, scraper } = createScraper({}, { renderProcessMetrics });
  const first = scraper.scrape(WAIT_MS);
  await settled();
  expect(renderProcessMetrics).toHaveBeenCalledTimes(1);
  api.answer('readings inverter', () => Promise.resolve(reportOf({ pvPowerWatts: 42 })));
  clock.advance(MINUTE_MS);
  const second = scraper.scrape(WAIT_MS);
  await settled();
  expect(renderProcessMetrics).toHaveBeenCalledTimes(2);
  await settled();
  rendered.resolve('process_made_up 1\n');
  const texts = (await Promise.all([first, second])).map(({ body }) => body.toString());
  expect(texts[0]).toContain(`${PV} 1500\n`);
  expect(texts[1]).toContain(`${PV} 42\n`);
  for (const text of texts) expect(text).toMatch(/process_made_up 1\n$/);
});

describe('the deadline of a scrape', () => {
  test.each([{ waitMs: 9500 }, { waitMs: 2000 }, { waitMs: 1 }])(
    'is kept while the service hangs: $waitMs ms',
    async ({ waitMs }) => {
      const { api, clock, begin } = createScraper();
      api.hang('stations');
      const answered = begin(waitMs);
      clock.advance(waitMs - 1);
      expect(await answered()).toBeUndefined();
      clock.advance(1);
      expect(await answered()).toContain('solar_up 0\n');
    },
  );

  test('leaves what has already come on the page', async () => {
    const { api, clock, begin } = createScraper({ stationIds: ['house', 'barn'] });
    api.hang('devices barn');
    const answered = begin(WAIT_MS);
    await settled();
    clock.advance(WAIT_MS);
    const page = await answered();
    expect(page).toContain(`${PV} 1500\n`);
    expect(page).toContain('solar_up{station_id="house"} 1\n');
    expect(page).toContain('solar_up{station_id="barn"} 0\n');
  });

  test('does not end the refresh, whose values the next scrape finds without asking again', async () => {
    const { api, clock, begin, page } = createScraper();
    const reply = api.hang('readings inverter');
    const answered = begin(WAIT_MS);
    await settled();
    clock.advance(WAIT_MS);
    expect(await answered()).not.toContain(PV);

    reply.resolve(reportOf({ pvPowerWatts: 42 }));
    await settled();
    expect(await page()).toContain(`${PV} 42\n`);
    expect(api.count('readings inverter')).toBe(1);
  });

  test('is each scrape’s own, while all wait for the same answer', async () => {
    const { api, clock, begin } = createScraper();
    const reply = api.hang('readings inverter');
    const patient = begin(WAIT_MS);
    const hasty = begin(1000);
    clock.advance(1000);
    expect(await hasty()).not.toContain(PV);
    expect(await patient()).toBeUndefined();
    reply.resolve(reportOf({ pvPowerWatts: 42 }));
    expect(await patient()).toContain(`${PV} 42\n`);
    expect(api.count('readings inverter')).toBe(1);
  });

  test('serves the last good values of a service that hangs', async () => {
    const { api, clock, page, begin } = createScraper();
    await page();
    clock.advance(MINUTE_MS);
    api.hang('readings inverter');
    const answered = begin(0);
    clock.advance(0);
    expect(await answered()).toContain(`${PV} 1500\n`);
  });

  test('wakes nobody once the service has answered', async () => {
    const { clock, page } = createScraper();
    const sleep = vi.spyOn(clock, 'sleep');
    await page();
    expect(sleep).toHaveBeenCalledTimes(1);
    expect(sleep.mock.calls[0]).toMatchObject([WAIT_MS, { aborted: true }]);
  });
});

describe('a scrape', () => {
  test('asks nothing before the first scrape, and nothing again while values are fresh', async () => {
    const { api, clock, page } = createScraper();
    expect(api.questions).toEqual([]);
    await page();
    const asked = api.questions.length;
    clock.advance(MINUTE_MS - 1);
    await page();
    expect(api.questions).toHaveLength(asked);
    clock.advance(1);
    await page();
    expect(api.questions).toHaveLength(asked + 1);
  });

  test('shares its requests with overlapping scrapes', async () => {
    const { api, scraper } = createScraper();
    await Promise.all([scraper.scrape(WAIT_MS), scraper.scrape(WAIT_MS), scraper.scrape(WAIT_MS)]);
    expect(api.counts).toEqual({
      stations: 1,
      'devices house': 1,
      'summary house': 1,
      'readings inverter': 1,
    });
  });

  test('that joins another one finds all that the other one finds', async () => {
    const { api, clock, begin } = createScraper();
    const reply = api.hang('readings inverter');
    const early = begin(WAIT_MS);
    await settled();
    clock.advance(5000);
    const late = begin(WAIT_MS);
    await settled();
    reply.resolve(reportOf({ pvPowerWatts: 42 }));
    const page = await late();
    expect(page).toContain('solar_up{station_id="house"} 1\n');
    expect(page).toContain(
      'solar_collector_duration_seconds{station_id="house",collector="readings"} 5\n',
    );
    expect(await early()).toBe(page);
  });

  test('is answered even when a refresh fails in a way that nobody thought of', async () => {
    const harness = createScraper();
    const bug = new TypeError('a bug');
    vi.spyOn(harness.collection, 'refresh').mockRejectedValue(bug);
    expect(await harness.page()).toContain('solar_exporter_build_info');
    expect(harness.log.lines).toEqual([
      { level: 'error', fields: { err: bug }, message: 'refresh failed unexpectedly' },
    ]);
  });
});

describe('the page', () => {
  test('is rendered once per change, not once per scrape', async () => {
    const { collection, clock, scraper } = createScraper();
    const renderings = vi.spyOn(collection, 'shownStations');
    const first = await scraper.scrape(WAIT_MS);
    clock.advance(15_000);
    const second = await scraper.scrape(WAIT_MS);
    expect(second).toBe(first);
    expect(await second.gzipped()).toBe(await first.gzipped());
    expect(renderings).toHaveBeenCalledTimes(1);

    clock.advance(45_000);
    expect(await scraper.scrape(WAIT_MS)).not.toBe(first);
    expect(renderings).toHaveBeenCalledTimes(2);
  });

  test('is returned without waiting until something is due, changed, or withdrawn', async () => {
    const { clock, scraper, self } = createScraper();
    expect(scraper.current()).toBeUndefined();
    const page = await scraper.scrape(WAIT_MS);
    clock.advance(59_999);
    expect(scraper.current()).toBe(page);
    self.countsOf().requestEnded('login', 'ok', 0.1);
    expect(scraper.current()).toBeUndefined();
    await scraper.scrape(WAIT_MS);
    expect(scraper.current()).toBeDefined();
    clock.advance(1);
    expect(scraper.current()).toBeUndefined();
  });

  test('is never returned without waiting when it has process metrics, which change all the time', async () => {
    const { scraper } = createScraper({}, { renderProcessMetrics: () => Promise.resolve('up 1') });
    await scraper.scrape(WAIT_MS);
    expect(scraper.current()).toBeUndefined();
  });

  test('is rendered once for overlapping scrapes', async () => {
    const { scraper } = createScraper();
    const [one, other] = await Promise.all([scraper.scrape(WAIT_MS), scraper.scrape(WAIT_MS)]);
    expect(other).toBe(one);
  });

  test('shows a new count at the next scrape', async () => {
    const { self, page } = createScraper();
    expect(await page()).not.toContain('operation="login"');
    self.countsOf().requestEnded('login', 'ok', 0.1);
    expect(await page()).toContain('solar_api_requests_total{operation="login",outcome="ok"} 1\n');
  });

  test('loses a value when its time is up, even while there is nothing to ask', async () => {
    const { api, clock, page } = createScraper({ lifetimes: { summaryTtlMs: HOUR_MS } });
    await page();
    api.fail('readings inverter', 'SERVICE_RATE_LIMITED', HOUR_MS);
    clock.advance(15 * MINUTE_MS - 1);
    expect(await page()).toContain(PV);
    const asked = api.questions.length;

    clock.advance(1);
    const left = await page();
    expect(left).not.toContain(PV);
    expect(left).toContain('solar_month_solar_ratio{station_id="house"} 0.75\n');
    expect(api.questions).toHaveLength(asked);
  });

  test('shows the session as it is', async () => {
    const { session, self, page } = createScraper();
    expect(await page()).not.toContain('solar_token_expiry');
    session.status = {
      ...NEW_SESSION,
      accessExpiresAtMs: 1_780_000_000_000,
      isReauthenticationRequired: true,
    };
    self.countsOf().renewalEnded('login', 'SERVICE_API_REFUSED');
    const text = await page();
    expect(text).toContain('solar_token_expiry_timestamp_seconds 1780000000\n');
    expect(text).toContain('solar_reauthentication_required 1\n');
  });

  test('ends with the metrics of the process, of this very scrape, when they are wanted', async () => {
    let scrapes = 0;
    const renderProcessMetrics = vi.fn(() => Promise.resolve(`process_x ${(scrapes += 1)}\n`));
    const { page } = createScraper({}, { renderProcessMetrics });
    expect(await page()).toMatch(/\nprocess_x 1\n$/);
    expect(await page()).toMatch(/\nprocess_x 2\n$/);
  });

  test('holds none of them otherwise', async () => {
    const { page } = createScraper();
    expect(await page()).not.toMatch(/^(process|nodejs)_/m);
  });
});
