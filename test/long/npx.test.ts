import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startRegistry } from '../support/local-registry.ts';
import { scrapePage } from '../doors/house.ts';
import { RunningProcess } from '../support/running-process.ts';

const FREE_PORTS = ['--web.listen-address=127.0.0.1:0', '--simulator.listen-address=127.0.0.1:0'];

test('npx solar-exporter demo works in an empty folder', async () => {
  const root = mkdtempSync(join(tmpdir(), 'solar-npx-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, 'empty');
  const cache = join(root, 'cache');
  mkdirSync(folder);
  const env = {
    HOME: root,
    npm_config_cache: cache,
    npm_config_registry: await startRegistry(join(root, 'registry')),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
  };
  const words = ['--yes', 'solar-exporter', 'demo', ...FREE_PORTS];
  const demo = new RunningProcess('npx', words, env, { folder, isGroup: true });
  const metricsUrl = await demo.printed('stdout', /metrics +(http\S+)/);
  await eventually(async () => {
    const page = await scrapePage(metricsUrl);
    expect(page.value('solar_simulated')).toBe(1);
    expect(page.value('solar_battery_soc_ratio')).toBeGreaterThan(0);
  });
  expect(demo.stderr).not.toMatch(/warn|deprecated/i);

  // As Ctrl+C does; all programs have ended when nothing holds its standard output any more.
  demo.kill('SIGINT');
  await demo.exited;
  expect(readdirSync(folder)).toEqual([]);
  const installed = readdirSync(cache, { recursive: true, encoding: 'utf8' });
  expect(installed.some((path) => path.endsWith('node_modules/solar-exporter/dist/cli.js'))).toBe(
    true,
  );
  expect(installed.filter((path) => path.endsWith('node_modules/typescript'))).toEqual([]);
});
