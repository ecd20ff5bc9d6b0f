import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { eventually } from '../support/eventually.ts';
import { scrapePage } from '../doors/house.ts';
import { startProgram } from '../support/running-process.ts';

const FREE_PORT = '--simulator.listen-address=127.0.0.1:0';

/** Starts the demo on free ports; resolves to the address of its metrics. */
async function startDemo(flags = [FREE_PORT], env: Readonly<Record<string, string>> = {}) {
  const demo = startProgram(['demo', '--web.listen-address=127.0.0.1:0', ...flags], env);
  const metricsUrl = await demo.printed('stdout', /metrics +(http\S+)/);
  await demo.printed('stdout', /Stop with/);
  const { stdout, stderr } = demo;
  return { stdout, stderr, metricsUrl, pageUrl: /page +(\S+)/.exec(stdout)?.[1] ?? '' };
}

/**
 * What the interface's own family does not measure, or lack; families.test.ts shows the families that do.
 * And nobody is refused here, or has a file of prices, or a budget of requests.
 */
const ELSEWHERE =
  /^solar_(?:battery_(?:soh|temperature)|grid_(?:voltage|frequency)|ac_output_(?:voltage|frequency)|pv_string|device_(?:temperature|working_mode|alarm)|month_(?:grid_feed_in|battery|quantity_assumed)|device_quantity_missing|login_blocked_until|tariff|api_budget|api_effective_interval)(?:_|$)/;

/** A zone in which it is about noon: after midnight, a figure of the day may still be that of the day before. */
function zoneOfNoon(): string {
  const aheadHours = 12 - new Date().getUTCHours();
  return `Etc/GMT${aheadHours > 0 ? '-' : '+'}${Math.abs(aheadHours)}`;
}

test('the demo serves every metric of the interface', async () => {
  const { metricsUrl } = await startDemo([FREE_PORT, `--time-zone=${zoneOfNoon()}`]);
  await eventually(async () => {
    const { text } = await scrapePage(metricsUrl);
    const shown = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    const expected = CATALOGUE.filter(({ name }) => !ELSEWHERE.test(name));
    expect(shown).toEqual(expected.map(({ name, type }) => ({ name, type })));
  });
});

test("the demo's page changes while one looks", async () => {
  const { metricsUrl } = await startDemo();
  const measuredAt = async (): Promise<number> =>
    (await scrapePage(metricsUrl)).value('solar_reading_timestamp_seconds') ?? 0;
  const first = await eventually(async () => {
    const newest = await measuredAt();
    expect(newest).toBeGreaterThan(0);
    return newest;
  });
  await eventually(async () => expect(await measuredAt()).toBeGreaterThan(first));
});

test("the demo's energy counters count", async () => {
  const { metricsUrl } = await startDemo();
  const counted = { flow: 'load' };
  await eventually(async () => {
    const page = await scrapePage(metricsUrl);
    expect(page.value('solar_device_energy_kwh_total', counted)).toBeGreaterThan(0);
  });
});

test('the demo takes a free port for its service when the default one is taken, and says which', async () => {
  const taken = createServer();
  // Somebody else may have the port already: then it is taken as well.
  await new Promise<void>((resolve) => {
    taken.once('error', () => resolve()).listen(9878, '127.0.0.1', () => resolve());
  });
  onTestFinished(() => void taken.close());
  const { stdout, metricsUrl } = await startDemo([]);
  const [, serviceUrl = '', remark] = /service +(\S+) \((.*)\)/.exec(stdout) ?? [];
  expect(new URL(serviceUrl).port).not.toBe('9878');
  expect(remark).toBe('a free port, because 9878 is taken');
  await eventually(async () => expect((await scrapePage(metricsUrl)).value('solar_up')).toBe(1));
});

test('the demo prints where all is and how to see an alert, and says that all is simulated', async () => {
  const { stdout, stderr, metricsUrl, pageUrl } = await startDemo();
  expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const serviceUrl = /service +(\S+)/.exec(stdout)?.[1] ?? '';
  expect((await fetch(serviceUrl)).status).toBe(404);
  expect(stdout).toContain('--drain');

  expect((await scrapePage(metricsUrl)).value('solar_simulated')).toBe(1);
  const page = await (await fetch(pageUrl)).text();
  expect(page).toContain('<h1>solar-exporter</h1>');
  expect(page).toMatch(/<p id="simulated"[^>]*><strong>Simulated/);
  const status: unknown = await (await fetch(`${pageUrl}api/v1/status`)).json();
  expect(status).toMatchObject({ isSimulated: true, areCredentialsIgnored: false });
  expect(stderr).not.toContain('account');
});

test('the demo says at its start and on its page that it does not use the account that is there', async () => {
  const { stderr, pageUrl, metricsUrl } = await startDemo(undefined, {
    SOLAR_ACCOUNT: 'you@example.org',
    SOLAR_PASSWORD: 'planted-password',
    SOLAR_ACCESS_TOKEN: 'planted-token',
  });
  expect(stderr).toMatch(/^solar-exporter: an account or tokens are configured, but .*demo/m);
  expect((await scrapePage(metricsUrl)).value('solar_up')).toBe(1);
  const page = await (await fetch(pageUrl)).text();
  expect(page).toContain('Your account is not used.');
  expect(`${stderr}${page}`).not.toMatch(/you@example|planted/);
});

test('a draining battery is announced with its alerts, and falls', async () => {
  const { stdout, metricsUrl } = await startDemo([FREE_PORT, '--drain']);
  expect(stdout).toMatch(/SolarBatteryCritical +fires about ([5-9]|10) minutes from now/);
  const charge = async (): Promise<number> =>
    (await scrapePage(metricsUrl)).value('solar_battery_soc_ratio') ?? 1;
  const first = await eventually(async () => {
    const ratio = await charge();
    expect(ratio).toBeLessThanOrEqual(0.25);
    return ratio;
  });
  // Three points a minute.
  await eventually(async () => expect(await charge()).toBeLessThan(first));
});
