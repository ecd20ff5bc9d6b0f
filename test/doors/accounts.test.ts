import { describe, expect, onTestFinished, test } from 'vitest';
import { join } from 'node:path';
import type { Status } from '../../src/status/status.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { eventually } from '../support/eventually.ts';
import { FakeProcess } from './commands/fake-process.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  type PageSample,
  type ScrapedPage,
  scrapePage,
  SECOND_MS,
  startExporterFor,
  SteeredClock,
} from './house.ts';
import { type Entry, ofAccount, startAnnexAndRoof, startTwoAccounts } from './two-accounts.ts';

const WRONG = { changes: { annex: { password: 'wrong' } } };
/** Two accounts that have the same stations, by their ids. */
const SAME = { roof: { seed: 1 }, annex: { seed: 1, account: 'other@example.com' } };

function comparable(samples: readonly PageSample[]): readonly string[] {
  return samples
    .filter(({ name }) => !/^solar_(config|exporter|log|series_dropped)/.test(name))
    .filter(({ name }) => !name.includes('_duration_seconds') || name.endsWith('_count'))
    .map(({ name, labels, value }) => `${name} ${JSON.stringify(labels)} ${value}`)
    .toSorted();
}

/** How all stations of an account are doing. */
function upOf(name: string, page: ScrapedPage): readonly number[] {
  return ofAccount(name, page.all('solar_up')).map(({ value }) => value);
}

describe('two accounts on one page', () => {
  test('are what an exporter of each alone would show', async () => {
    const flags = { 'collect.settings': 'true' };
    const { clock, roof, annex, scrape } = await startTwoAccounts({ more: flags });
    const { samples, text } = await scrape();
    for (const [name, service] of [
      ['roof', roof],
      ['annex', annex],
    ] as const) {
      const { simulator, serviceUrl } = service;
      const alone = await startExporterFor(simulator, serviceUrl, clock, { flags });
      const expected = comparable((await alone.scrape()).samples);
      expect(comparable(ofAccount(name, samples))).toEqual(expected);
      expect(expected.length).toBeGreaterThan(50);
    }
    // Each family is in one place, and what is of no account is of the program.
    const headers = text.match(/^# TYPE .*$/gm) ?? [];
    expect(new Set(headers).size).toBe(headers.length);
    const ofNone = samples.filter(({ labels }) => labels['account'] === undefined);
    expect(ofNone.map(({ name, labels }) => [name, labels['reason']])).toEqual([
      ['solar_series_dropped_total', 'series'],
      ['solar_series_dropped_total', 'page_bytes'],
      ['solar_config_last_reload_successful', undefined],
      ['solar_log_lines_dropped_total', undefined],
      ['solar_exporter_build_info', undefined],
    ]);
  });

  test('of which one has a wrong password: one log-in fails, and the other account goes on', async () => {
    const { scrape, keepScraping, annex, roof } = await startTwoAccounts(WRONG);
    // Whoever is refused waits a minute before the second time.
    await keepScraping(MINUTE_MS, 10 * SECOND_MS, (page) => {
      expect(upOf('roof', page)).toEqual([1]);
      expect(page.value('solar_pv_power_watts', { account: 'roof' })).toBeDefined();
    });
    expect(annex.simulator.requests()).toBe(1);
    expect(roof.simulator.requests('login')).toBe(1);
    const last = await scrape();
    const byAccount = (name: string) =>
      last.all(name).map(({ labels, value }) => [labels['account'], value]);
    expect(byAccount('solar_reauthentication_required')).toEqual([
      ['roof', 0],
      ['annex', 1],
    ]);
    expect(byAccount('solar_login_blocked_until_timestamp_seconds')).toEqual([
      ['annex', expect.any(Number)],
    ]);
    expect(upOf('annex', last)).toEqual([0]);
  });

  test('of which one fails do not touch each other', async () => {
    const { scrape, scrapeAfter, annex } = await startTwoAccounts();
    await scrape();
    annex.simulator.setFault('*', { kind: 'reply', status: 500 });
    const page = await scrapeAfter(5 * MINUTE_MS);
    expect([upOf('roof', page), upOf('annex', page)]).toEqual([[1], [0, 0]]);
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
      if (operation === 'readings') await scrape();
      const headers = { 'retry-after': '600' };
      annex.simulator.setFault(operation, { kind: 'reply', status: 429, headers });
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
    const { clock, scrape, annex, roof } = await startTwoAccounts();
    await scrape();
    annex.simulator.setFault('*', { kind: 'hang' });
    const before = roof.simulator.requests('readings');
    clock.advance(5 * MINUTE_MS);
    const page = await scrape({ 'x-prometheus-scrape-timeout-seconds': '1' });
    // What is known of the one that hangs is still shown.
    expect(upOf('annex', page)).toEqual([1, 1]);
    const probed = await scrape({}, `/probe?target=${roof.stationId}&account=roof`);
    expect(probed.value('solar_up', { account: 'roof' })).toBe(1);
    expect(roof.simulator.requests('readings')).toBeGreaterThan(before);
  });
});

describe('the discovery of two accounts', () => {
  test('lists the stations of both, with their account', async () => {
    const { ask, roof, annex } = await startTwoAccounts();
    const { status, text } = await ask('/sd');
    expect(status).toBe(200);
    const groups = JSON.parse(text) as readonly {
      readonly targets: readonly string[];
      readonly labels: Readonly<Record<string, string>>;
    }[];
    const listed = groups.map(({ targets, labels }) => [
      targets[0],
      labels['__meta_solar_account'],
    ]);
    expect(listed).toEqual([
      ...roof.simulator.stationIds.map((id) => [id, 'roof']),
      ...annex.simulator.stationIds.map((id) => [id, 'annex']),
    ]);
  });

  test('fails until each was listed once, so that Prometheus drops no station', async () => {
    const { ask, annex, clock } = await startTwoAccounts();
    annex.simulator.setFault('*', { kind: 'reply', status: 500 });
    expect((await ask('/sd')).status).toBe(503);
    annex.simulator.setFault('*', undefined);
    clock.advance(MINUTE_MS);
    expect((await ask('/sd')).status).toBe(200);
    annex.simulator.setFault('*', { kind: 'reply', status: 500 });
    clock.advance(2 * HOUR_MS);
    expect((await ask('/sd')).status).toBe(200);
  });
});

describe('a probe of two accounts', () => {
  test('needs no account where the id is unique, and knows no other', async () => {
    const { scrape, ask, annex, roof } = await startTwoAccounts();
    const page = await scrape({}, `/probe?target=${annex.stationId}`);
    expect(page.status).toBe(200);
    expect(new Set(page.samples.map(({ labels }) => labels['account']))).toEqual(
      new Set(['annex']),
    );
    for (const account of ['attic', 'annex'])
      expect((await ask(`/probe?target=${roof.stationId}&account=${account}`)).status).toBe(404);
  });

  test('names the account where several have a station of that id', async () => {
    const { ask, scrape, roof } = await startTwoAccounts(SAME);
    await scrape();
    const unnamed = await ask(`/probe?target=${roof.stationId}`);
    expect(unnamed.status).toBe(400);
    expect(unnamed.text).toContain('several accounts have a station of that id');
    for (const account of ['roof', 'annex']) {
      const page = await scrape({}, `/probe?target=${roof.stationId}&account=${account}`);
      expect(page.all('solar_up')).toMatchObject([
        { labels: { account, station_id: roof.stationId }, value: 1 },
      ]);
    }
  });
});

describe('the status of two accounts', () => {
  test('tells each account with its session, and of what account everything is', async () => {
    const { ask, scrape, roof } = await startTwoAccounts(WRONG);
    await scrape();
    const status = JSON.parse((await ask('/api/v1/status')).text) as Status;
    expect(status.accounts).toMatchObject([
      {
        account: 'roof',
        isSimulated: true,
        session: { mode: 'account', isReauthenticationRequired: false },
        collectors: [{ collector: 'stations', code: 'ok' }],
      },
      {
        account: 'annex',
        session: { isReauthenticationRequired: true },
        collectors: [{ collector: 'stations', code: 'SERVICE_AUTH_REJECTED' }],
      },
    ]);
    // Who reads one session alone sees the one in trouble.
    expect(status.session).toEqual(status.accounts?.[1]?.session);
    expect(status.account.map(({ account, code }) => [account, code])).toEqual([
      ['roof', 'ok'],
      ['annex', 'SERVICE_AUTH_REJECTED'],
    ]);
    expect(status.stations.map(({ account }) => account)).toEqual(['roof']);
    const logins = status.requests.filter(({ operation }) => operation === 'login');
    expect(logins.map(({ account, count }) => [account, count])).toEqual([
      ['roof', 1],
      ['annex', 1],
    ]);
    const { text } = await ask('/');
    expect(text).toContain(
      '<p class="notice serious">Account <bdi>annex</bdi>: <strong>New credentials are needed.</strong>',
    );
    expect(text).not.toContain('Account <bdi>roof</bdi>:');
    expect(text).toContain('<strong><bdi>annex: credentials refused</bdi></strong>');
    expect(text).toMatch(new RegExp(`probe\\?target=${roof.stationId}&[#\\w]+;account=roof`));
  });

  test('has values of both where they have stations of the same ids', async () => {
    const { ask, scrapeAfter, roof } = await startTwoAccounts({
      ...SAME,
      annex: { ...SAME.annex, family: 'hpvinv02' },
    });
    await scrapeAfter(MINUTE_MS);
    const { stations } = JSON.parse((await ask('/api/v1/status')).text) as Status;
    const seen = stations.map(({ account, devices: [device] }) => [account, device?.family]);
    expect(seen).toEqual([
      ['roof', 'classic'],
      ['annex', 'hpvinv02'],
    ]);
    expect(new Set(stations.map(({ stationId }) => stationId))).toEqual(new Set([roof.stationId]));
  });
});

/** A process whose configuration file has two accounts, `roof` and `annex`. */
async function startShell(changes: Readonly<Record<string, Entry>> = {}) {
  const shell = new FakeProcess(new SteeredClock('2026-01-02T04:00:00Z'));
  const { roof, annex, fileWith } = await startAnnexAndRoof({ clock: shell.clock, changes });
  shell.files = { 'solar.yaml': fileWith() };
  shell.env = { SOLAR_CONFIG_FILE: 'solar.yaml' };
  return { shell, roof: roof.simulator, annex: annex.simulator };
}

describe('a command about one of several accounts', () => {
  const MISSING =
    '--use-account: is missing, and there are several accounts; accepted: roof, annex\n';

  test.each([
    ['devices', MISSING],
    ['readings', MISSING],
    ['settings get 1', MISSING],
    ['settings set 1 a=b --yes', MISSING],
    ['history --from=2026-01-01 --dry-run', MISSING],
    ['devices --use-account=anex', 'is no account; did you mean annex? accepted: roof, annex\n'],
    ['serve --use-account=roof', '--use-account belongs to check, devices, readings'],
  ])('is refused without a request: %s', async (line, says) => {
    const { shell, roof, annex } = await startShell();
    const { status, complaints } = await shell.run(...line.split(' '));
    expect(status).toBe(2);
    expect(complaints).toContain(says);
    expect([roof.requests(), annex.requests()]).toEqual([0, 0]);
  });

  test('asks that account alone, and check tries every one unless it is told', async () => {
    const { shell, roof, annex } = await startShell({ annex: { password: 'wrong' } });
    const devices = await shell.run('devices', '--use-account=roof');
    expect(devices.status).toBe(0);
    expect(devices.out).toContain(roof.stationIds[0]);
    expect((await shell.run('check', '--use-account=roof')).status).toBe(0);
    expect(annex.requests()).toBe(0);
    const { status, out } = await shell.run('check');
    expect(status).toBe(1);
    expect(out).toMatch(/^account +step +result/);
    expect(out).toMatch(/^roof +summary +ok/m);
    expect(out).toMatch(/^annex +log-in +failed/m);
    expect(out).toContain('log-in of annex: SERVICE_AUTH_REJECTED');
    const { steps } = JSON.parse((await shell.run('check', '--json')).out) as {
      steps: readonly { readonly account: string }[];
    };
    expect(new Set(steps.map(({ account }) => account))).toEqual(new Set(['roof', 'annex']));
  });

  test('prints what holds for each account, without secrets', async () => {
    const { shell, roof } = await startShell();
    const { status, out } = await shell.run('config');
    expect(status).toBe(0);
    expect(out).toMatch(/^accounts\.roof\.account +\[secret\] +file$/m);
    expect(out).toMatch(/^accounts\.annex\.request\.concurrency +8 +default$/m);
    const { accounts } = JSON.parse((await shell.run('config', '--json')).out) as {
      accounts: readonly { readonly name: string }[];
    };
    expect(accounts.map(({ name }) => name)).toEqual(['roof', 'annex']);
    for (const secret of [roof.options.account, roof.options.password, roof.options.appSecret])
      expect(out).not.toContain(secret);
    expect((await shell.run('config', '--check')).out).toBe('The configuration is valid.\n');
  });
});

describe('a command beside an exporter of two accounts', () => {
  /** Starts the exporter, lets it be scraped once, and returns the shell beside it. */
  async function startBeside(changes: Readonly<Record<string, Entry>> = {}) {
    const { shell, roof, annex } = await startShell(changes);
    shell.env = { ...shell.env, SOLAR_STATE_DIR: join(temporaryDirectory(), 'state') };
    const exporter = new FakeProcess(shell.clock);
    Object.assign(exporter, { files: shell.files, env: shell.env });
    const serving = exporter.run('serve', '--web.listen-address=127.0.0.1:0');
    const listening = () => exporter.log.lines.find(({ message }) => message === 'listening');
    await eventually(() => expect(listening()).toBeDefined());
    onTestFinished(async () => {
      exporter.requestStop();
      expect((await serving).status).toBe(0);
    });
    await scrapePage(String(listening()?.fields['url']));
    const logIns = () => [roof, annex].map((service) => service.requests('login'));
    expect(logIns()).toEqual([1, 1]);
    return { shell, roof, annex, logIns };
  }

  test('uses the session of the account it is about, and logs in nowhere', async () => {
    const { shell, roof, annex, logIns } = await startBeside();
    for (const [name, asked, other] of [
      ['roof', roof, annex],
      ['annex', annex, roof],
    ] as const) {
      const before = other.requests();
      const ran = await shell.run('readings', `--use-account=${name}`);
      expect(ran).toMatchObject({ status: 0, complaints: '' });
      expect(ran.out).toContain(asked.deviceIds(asked.stationIds[0] ?? '')[0]);
      expect(other.requests()).toBe(before);
    }
    const checked = await shell.run('check');
    expect(checked).toMatchObject({ status: 0, complaints: '' });
    for (const name of ['roof', 'annex'])
      expect(checked.out).toMatch(new RegExp(`^${name} +summary +ok`, 'm'));
    expect(logIns()).toEqual([1, 1]);
    expect([roof, annex].map((service) => service.requests('refresh'))).toEqual([0, 0]);
  });
});
