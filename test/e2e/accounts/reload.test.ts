import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../doors/house.ts';
import { type Entry, startTwoAccounts, type TwoAccountsSetup } from './two-accounts.ts';

async function startReloadable(setup: TwoAccountsSetup = {}) {
  const started = await startTwoAccounts(setup);
  const entry = (name: string): Entry => started.entries.get(name) ?? {};
  return { ...started, roofEntry: entry('roof'), annexEntry: entry('annex') };
}

function stateDirectory(): string {
  const parent = mkdtempSync(join(tmpdir(), 'solar-accounts-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return join(parent, 'state');
}

describe('a reload of several accounts', () => {
  test('that changes the credentials of one touches no other', async () => {
    const { reloadWith, scrape, roof, annex, roofEntry, annexEntry, log } = await startReloadable();
    await scrape();
    const before = roof.simulator.requests();
    await reloadWith([roofEntry, { ...annexEntry, password: 'wrong' }]);
    const page = await scrape();
    expect(roof.simulator.requests()).toBe(before);
    expect(page.value('solar_up', { account: 'roof' })).toBe(1);
    // What was collected of the same account is still shown.
    expect(page.value('solar_reauthentication_required', { account: 'roof' })).toBe(0);
    expect(annex.simulator.requests('login')).toBe(1);
    expect(log.lines.at(-1)).toMatchObject({ fields: { session: 'new' } });
  });

  test('adds an account, and the page has the label then', async () => {
    const { reloadWith, scrape, roof, roofEntry, annexEntry } = await startReloadable();
    await scrape();
    await reloadWith([roofEntry]);
    const alone = await scrape();
    expect(alone.all('solar_up').map(({ labels }) => Object.keys(labels))).toEqual([
      ['station_id'],
    ]);
    expect(alone.text).not.toContain('account="');
    const requests = roof.simulator.requests();
    // What the counters of this account have counted goes on without the label.
    expect(alone.requests('login', 'ok')).toBe(1);

    await reloadWith([roofEntry, annexEntry]);
    const both = await scrape();
    expect(new Set(both.all('solar_up').map(({ labels }) => labels['account']))).toEqual(
      new Set(['roof', 'annex']),
    );
    expect(both.value('solar_pv_power_watts', { account: 'roof' })).toBe(
      alone.value('solar_pv_power_watts'),
    );
    expect(roof.simulator.requests()).toBe(requests);
    // The account that was removed begins to count anew.
    const login = { operation: 'login', outcome: 'ok' };
    expect(both.value('solar_api_requests_total', { account: 'annex', ...login })).toBe(1);
    expect(both.value('solar_api_requests_total', { account: 'roof', ...login })).toBe(1);
  });

  test('goes on with the session of an account that is only renamed', async () => {
    const { reloadWith, scrape, annex, roofEntry, annexEntry } = await startReloadable();
    await scrape();
    await reloadWith([roofEntry, { ...annexEntry, name: 'attic' }]);
    const page = await scrape();
    expect(annex.simulator.requests('login')).toBe(1);
    expect(page.all('solar_up').map(({ labels }) => labels['account'])).toEqual([
      ...['roof', 'attic', 'attic'],
    ]);
  });

  test('with a mistake changes nothing', async () => {
    const { reloadWith, scrape, roofEntry, annexEntry } = await startReloadable();
    const before = await scrape();
    await expect(reloadWith([roofEntry, { ...annexEntry, name: 'roof' }])).rejects.toThrow(
      'one name for two accounts',
    );
    const after = await scrape();
    expect(after.all('solar_up')).toEqual(before.all('solar_up'));
    expect(after.value('solar_config_last_reload_successful')).toBe(0);
  });
});

describe('the state directory of several accounts', () => {
  test('has files of each, which a removed account leaves behind and finds again', async () => {
    const directory = stateDirectory();
    const { reloadWith, scrape, scrapeAfter, annex, roofEntry, annexEntry } = await startReloadable(
      {
        more: { 'state.dir': directory },
      },
    );
    await scrape();
    await scrapeAfter(20 * MINUTE_MS);
    const names = ['roof', 'annex'].flatMap((name) => [
      `energy-counters.${name}.json`,
      `session.${name}.json`,
    ]);
    expect(
      readdirSync(directory)
        .filter((name) => name.endsWith('.json'))
        .toSorted(),
    ).toEqual(names.toSorted());
    const kept = readFileSync(join(directory, 'session.annex.json'), 'utf8');

    await reloadWith([roofEntry]);
    await scrapeAfter(SECOND_MS);
    expect(readFileSync(join(directory, 'session.annex.json'), 'utf8')).toBe(kept);
    expect(existsSync(join(directory, 'session.json'))).toBe(false);

    const logins = annex.simulator.requests('login');
    await reloadWith([roofEntry, annexEntry]);
    const page = await scrapeAfter(SECOND_MS);
    expect(page.value('solar_up', { account: 'annex' })).toBe(1);
    expect(annex.simulator.requests('login')).toBe(logins);
  });
});
