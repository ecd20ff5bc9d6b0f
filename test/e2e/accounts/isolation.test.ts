import { describe, expect, test } from 'vitest';
import { MINUTE_MS, type PageSample, type ScrapedPage, SECOND_MS } from '../../doors/house.ts';
import { ofAccount, startAlone, startTwoAccounts } from '../../doors/two-accounts.ts';

/** What depends on how fast a machine is. */
const TIMED = '_duration_seconds';

function comparable(samples: readonly PageSample[]): readonly string[] {
  return samples
    .filter(({ name }) => !name.includes(TIMED) || name.endsWith('_count'))
    .map(({ name, labels, value }) => `${name} ${JSON.stringify(labels)} ${value}`)
    .toSorted();
}

/** How all stations of an account are doing. */
function upOf(name: string, page: ScrapedPage): readonly number[] {
  return ofAccount(name, page.all('solar_up')).map(({ value }) => value);
}

describe('two accounts on one page', () => {
  test('are what an exporter of each alone would show', async () => {
    const { clock, roof, annex, scrape } = await startTwoAccounts({
      more: { 'collect.settings': 'true' },
    });
    const page = await scrape();
    const { samples } = page;
    for (const [name, service] of [
      ['roof', roof],
      ['annex', annex],
    ] as const) {
      // The same service again, because the first one knows the log-in and its tokens already.
      const own = ofAccount(name, samples);
      const alone = await startAloneLike(service, clock);
      const program = /^solar_(config|exporter|log|series_dropped)/;
      const expected = alone.samples.filter(({ name: metric }) => !program.test(metric));
      expect(comparable(own.filter(({ name: metric }) => !program.test(metric)))).toEqual(
        comparable(expected),
      );
      expect(expected.length).toBeGreaterThan(50);
    }
    // Each family is in one place, and what is of no account is of the program.
    const headers = page.text.match(/^# TYPE .*$/gm) ?? [];
    expect(new Set(headers).size).toBe(headers.length);
    const ofNone = samples.filter(({ labels }) => labels['account'] === undefined);
    expect(new Set(ofNone.map(({ name }) => name))).toEqual(
      new Set([
        'solar_config_last_reload_successful',
        'solar_log_lines_dropped_total',
        'solar_series_dropped_total',
        'solar_exporter_build_info',
      ]),
    );
    const dropped = ofNone.filter(({ name }) => name === 'solar_series_dropped_total');
    expect(dropped.map(({ labels }) => labels['reason'])).toEqual(['series', 'page_bytes']);
  });

  test('of which one has a wrong password: one log-in fails, and the other account goes on', async () => {
    const { scrape, keepScraping, annex, roof } = await startTwoAccounts({
      changes: { annex: { password: 'planted-wrong' } },
    });
    const first = await scrape();
    expect(upOf('roof', first)).toEqual([1]);
    // The breaker waits a minute before it tries the second time.
    await keepScraping(50 * SECOND_MS, 10 * SECOND_MS, (page) => {
      expect(upOf('roof', page)).toEqual([1]);
      expect(page.value('solar_pv_power_watts', { account: 'roof' })).toBeDefined();
    });
    const last = await scrape();
    expect(annex.simulator.requests('login')).toBe(1);
    expect(annex.simulator.requests()).toBe(1);
    expect(roof.simulator.requests('login')).toBe(1);
    const ofMetric = (name: string) =>
      new Map(last.all(name).map(({ labels, value }) => [labels['account'], value]));
    expect(ofMetric('solar_reauthentication_required')).toEqual(
      new Map([
        ['roof', 0],
        ['annex', 1],
      ]),
    );
    expect([...ofMetric('solar_login_blocked_until_timestamp_seconds').keys()]).toEqual(['annex']);
    expect(upOf('annex', last)).toEqual([0]);
    expect(last.value('solar_token_renewals_total', { account: 'annex', outcome: 'ok' })).toBe(
      undefined,
    );
    expect(last.value('solar_token_renewals_total', { account: 'roof', outcome: 'ok' })).toBe(1);
  });

  test.each([
    ['fails', { kind: 'status', status: 500 }],
    ['is down', { kind: 'refuse' }],
  ] as const)('of which one %s do not touch each other', async (_what, fault) => {
    const { scrape, scrapeAfter, annex } = await startTwoAccounts();
    await scrape();
    annex.simulator.setFault('*', fault);
    const page = await scrapeAfter(5 * MINUTE_MS);
    expect(upOf('roof', page)).toEqual([1]);
    expect(upOf('annex', page)).toEqual([0, 0]);
    const failed = page
      .all('solar_api_requests_total')
      .filter(({ labels }) => labels['outcome'] !== 'ok');
    expect(new Set(failed.map(({ labels }) => labels['account']))).toEqual(new Set(['annex']));
  });

  test.each(['readings', 'login'] as const)(
    'of which one is throttled at %s: it waits as long as it is told, and the other does not',
    async (operation) => {
      const { scrape, keepScraping, scrapeAfter, annex, roof } = await startTwoAccounts({
        more: { 'cache.readings-ttl': '60s' },
      });
      const throttled = {
        kind: 'status',
        status: 429,
        headers: { 'retry-after': '600' },
      } as const;
      if (operation === 'readings') await scrape();
      annex.simulator.setFault(operation, throttled);
      await scrapeAfter(MINUTE_MS);
      const asked = annex.simulator.requests(operation);
      const before = roof.simulator.requests('readings');
      await keepScraping(10 * MINUTE_MS, MINUTE_MS, (page) => {
        expect(upOf('roof', page)).toEqual([1]);
        expect(page.value('solar_pv_power_watts', { account: 'roof' })).toBeDefined();
      });
      expect(annex.simulator.requests(operation)).toBe(asked);
      // The first of the ten scrapes is at once, when what it has is fresh.
      expect(roof.simulator.requests('readings') - before).toBe(9);
      annex.simulator.setFault(operation, undefined);
      expect(upOf('annex', await scrape())).toEqual([1, 1]);
      expect(roof.simulator.requests('login')).toBe(1);
    },
  );

  test('of which one hangs: the other is refreshed, and its probe does not wait', async () => {
    const { clock, scrape, probe, annex, roof } = await startTwoAccounts();
    await scrape();
    annex.simulator.setFault('*', { kind: 'hang' });
    const before = roof.simulator.requests('readings');
    clock.advance(5 * MINUTE_MS);
    const page = await scrape({ 'x-prometheus-scrape-timeout-seconds': '1' });
    // What is known of the one that hangs is still shown.
    expect(upOf('annex', page)).toEqual([1, 1]);
    const probed = await probe(`/probe?target=${roof.stationId}&account=roof`);
    expect(probed.value('solar_up', { account: 'roof' })).toBe(1);
    expect(roof.simulator.requests('readings')).toBeGreaterThan(before);
  });
});

/** The page of an exporter that has the account of a service alone, scraped once. */
async function startAloneLike(
  service: Parameters<typeof startAlone>[0],
  clock: Parameters<typeof startAlone>[1],
): Promise<ScrapedPage> {
  const { scrape } = await startAlone(service, clock, { SOLAR_COLLECT_SETTINGS: 'true' });
  return scrape();
}
