import { describe, expect, test } from 'vitest';
import { pageAssets } from '../../../src/http/status-page/assets.ts';
import type { Status } from '../../../src/status/status.ts';
import { MINUTE_MS } from '../../doors/house.ts';
import { startTwoAccounts } from '../../doors/two-accounts.ts';

interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Two accounts that have the same stations, by their ids. */
const SAME = { roof: { seed: 1 }, annex: { seed: 1, account: 'other@example.com' } };

describe('the service discovery of two accounts', () => {
  test('says of which account each station is', async () => {
    const { ask, roof, annex } = await startTwoAccounts();
    const groups = JSON.parse((await ask('/sd')).text) as readonly TargetGroup[];
    const listed = groups.map(({ targets, labels }) => [
      targets[0],
      labels['__meta_solar_account'],
    ]);
    expect(listed).toEqual([
      ...roof.simulator.stationIds.map((id) => [id, 'roof']),
      ...annex.simulator.stationIds.map((id) => [id, 'annex']),
    ]);
  });

  test('lists one account while the other one is refused', async () => {
    const { ask, roof } = await startTwoAccounts({ changes: { annex: { password: 'wrong' } } });
    const { status, text } = await ask('/sd');
    expect(status).toBe(200);
    const groups = JSON.parse(text) as readonly TargetGroup[];
    expect(groups.map(({ targets }) => targets)).toEqual([[roof.stationId]]);
  });
});

describe('a probe of two accounts', () => {
  test('needs no account where the id is unique', async () => {
    const { probe, annex } = await startTwoAccounts();
    const page = await probe(`/probe?target=${annex.stationId}`);
    expect(page.status).toBe(200);
    expect(new Set(page.samples.map(({ labels }) => labels['account']))).toEqual(
      new Set(['annex']),
    );
  });

  test('names the account where several have a station of that id', async () => {
    const { probe, ask, scrape, roof } = await startTwoAccounts(SAME);
    await scrape();
    const unnamed = await ask(`/probe?target=${roof.stationId}`);
    expect(unnamed.status).toBe(400);
    expect(unnamed.text).toContain('several accounts have a station of that id');
    for (const account of ['roof', 'annex']) {
      const page = await probe(`/probe?target=${roof.stationId}&account=${account}`);
      expect(page.all('solar_up')).toMatchObject([
        { labels: { account, station_id: roof.stationId }, value: 1 },
      ]);
    }
  });

  test('knows no other account, and no station of another one', async () => {
    const { ask, roof } = await startTwoAccounts();
    expect((await ask(`/probe?target=${roof.stationId}&account=attic`)).status).toBe(404);
    expect((await ask(`/probe?target=${roof.stationId}&account=annex`)).status).toBe(404);
  });
});

describe('the status of two accounts', () => {
  test('tells each account with its session, and of what account everything is', async () => {
    const { ask, scrape } = await startTwoAccounts({ changes: { annex: { password: 'wrong' } } });
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
  });

  test('has values of both where they have stations of the same ids', async () => {
    const { ask, scrape, roof } = await startTwoAccounts({
      ...SAME,
      annex: { ...SAME.annex, family: 'hpvinv02' },
    });
    await scrape();
    const { stations } = JSON.parse((await ask('/api/v1/status')).text) as Status;
    const seen = stations.map(({ account, stationId, devices }) => [
      account,
      stationId,
      devices[0]?.family,
    ]);
    expect(seen).toEqual([
      ['roof', roof.stationId, 'classic'],
      ['annex', roof.stationId, 'hpvinv02'],
    ]);
  });

  test('says on the page which account is in trouble', async () => {
    const { ask, scrape, roof } = await startTwoAccounts({
      changes: { annex: { password: 'wrong' } },
    });
    await scrape();
    const { text } = await ask('/');
    expect(text).toContain(
      '<p class="notice serious">Account <bdi>annex</bdi>: <strong>New credentials are needed.</strong>',
    );
    expect(text).not.toContain('Account <bdi>roof</bdi>:');
    expect(text).toMatch(
      /<bdi>annex<\/bdi><\/th>\n<td data-label="State"><span class="badge bad">/,
    );
    expect(text).toMatch(
      /<bdi>roof<\/bdi><\/th>\n<td data-label="State"><span class="badge good">/,
    );
    expect(text).toMatch(new RegExp(`probe\\?target=${roof.stationId}&[#\\w]+;account=roof`));
  });

  test('is a page of less than 50 KB with everything that it loads', async () => {
    const options = { family: 'hpvinv02' as const };
    const { ask, scrapeAfter } = await startTwoAccounts({
      roof: { seed: 1, ...options },
      annex: { seed: 2, ...options },
    });
    await scrapeAfter(MINUTE_MS);
    let bytes = Buffer.byteLength((await ask('/')).text);
    for (const path of [...pageAssets().keys()].filter((name) => !name.endsWith('.png')))
      bytes += Buffer.byteLength((await ask(path)).text);
    expect(bytes).toBeLessThan(50_000);
  });
});
