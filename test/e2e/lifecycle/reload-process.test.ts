import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { credentialsFor, scrapePage, startService } from '../../doors/house.ts';
import { startServe } from '../../support/running-process.ts';

/** A program that reads its password, its web configuration and the rest from files. */
async function startReadingFiles(...more: readonly string[]) {
  const { simulator, serviceUrl } = await startService();
  const directory = temporaryDirectory();
  const files = {
    password: join(directory, 'password'),
    config: join(directory, 'exporter.yaml'),
    web: join(directory, 'web.yml'),
  };
  writeFileSync(files.password, `${simulator.options.password}\n`);
  writeFileSync(files.config, '');
  writeFileSync(files.web, 'http_server_config:\n  headers:\n    X-Frame-Options: deny\n');
  const { SOLAR_PASSWORD, ...env } = credentialsFor(simulator);
  expect(SOLAR_PASSWORD).toBeDefined();
  const started = await startServe(
    [
      `--base-url=${serviceUrl}`,
      `--config.file=${files.config}`,
      `--web.config.file=${files.web}`,
      ...more,
    ],
    { ...env, SOLAR_PASSWORD_FILE: files.password },
  );
  return { ...started, simulator, files };
}

const post = (url: string, headers = {}) =>
  fetch(new URL('/-/reload', url), { method: 'POST', headers });

describe('SIGHUP', () => {
  test('takes up a changed password, and one log-in follows', async () => {
    const { exporter, url, simulator, files } = await startReadingFiles();
    writeFileSync(files.password, 'mistyped');
    exporter.kill('SIGHUP');
    await exporter.printed('stderr', /"msg":"configuration reloaded"/);
    expect((await scrapePage(url)).value('solar_reauthentication_required')).toBe(1);
    writeFileSync(files.password, simulator.options.password);
    exporter.kill('SIGHUP');
    await exporter.printed('stderr', /configuration reloaded"[^]*configuration reloaded"/);
    const page = await scrapePage(url);
    expect(page.value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(2);
  });

  test('changes the level of the log', async () => {
    const { exporter, url, files } = await startReadingFiles();
    writeFileSync(files.config, 'log.level: error\ncollect.process: true\n');
    exporter.kill('SIGHUP');
    await eventually(async () => {
      const page = await scrapePage(url);
      expect(page.value('process_cpu_seconds_total')).toBeGreaterThan(0);
    });
    exporter.kill('SIGTERM');
    expect(await exporter.exited).toEqual({ status: 0, signal: null });
    expect(exporter.stderr).not.toContain('"msg":"stopping"');
  });

  test('many times at once ends nothing', async () => {
    const { exporter, url, simulator } = await startReadingFiles();
    await scrapePage(url);
    for (let times = 0; times < 50; times += 1) exporter.kill('SIGHUP');
    await exporter.printed('stderr', /"msg":"configuration reloaded"/);
    expect((await scrapePage(url)).value('solar_up')).toBe(1);
    expect(simulator.requests('login')).toBe(1);
    exporter.kill('SIGTERM');
    expect(await exporter.exited).toEqual({ status: 0, signal: null });
  });
});

describe('POST /-/reload', () => {
  test('takes up the web configuration with the rest, or nothing of either', async () => {
    const { url, files } = await startReadingFiles('--web.enable-lifecycle');
    const framing = async () => (await fetch(url)).headers.get('x-frame-options');
    expect(await framing()).toBe('deny');
    writeFileSync(files.config, 'collect.process: true\n');
    writeFileSync(files.web, 'nonsense: true\n');
    const refused = await post(url);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toBe(
      'Not reloaded; the log says why. The configuration before goes on.\n',
    );
    const page = await scrapePage(url);
    expect(page.value('process_cpu_seconds_total')).toBeUndefined();
    expect(page.value('solar_config_last_reload_successful')).toBe(0);
    expect(await framing()).toBe('deny');

    writeFileSync(files.web, 'http_server_config:\n  headers:\n    X-Frame-Options: sameorigin\n');
    const taken = await post(url);
    expect([taken.status, await taken.text()]).toEqual([200, 'Reloaded.\n']);
    expect(await framing()).toBe('sameorigin');
    expect((await scrapePage(url)).value('process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  test('is refused unless it is turned on, and to web pages', async () => {
    const off = await startReadingFiles();
    expect((await post(off.url)).status).toBe(403);
    const on = await startReadingFiles('--web.enable-lifecycle');
    expect((await post(on.url, { origin: 'https://page.example' })).status).toBe(403);
    expect((await post(on.url)).status).toBe(200);
  });
});
