import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaksIn, startPlanted } from '../doors/planted.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { scrapePage } from '../support/page.ts';
import { startServe } from '../support/running-process.ts';

/** Lets the first signature fail with a secret cause, and the program die of a rejection when it gets a signal. */
const FAULTS = `
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const { createHmac } = crypto;
crypto.createHmac = (algorithm, key) => {
  crypto.createHmac = createHmac;
  syncBuiltinESMExports();
  throw Object.assign(new Error('signing'), { cause: new Error(String(key)), input: String(key) });
};
syncBuiltinESMExports();
process.on('SIGUSR2', () => void Promise.reject(new Error('provoked')));
`;

test('a fault inside of a log-in, and a fatal one, show no secret', async () => {
  const { env, secrets } = await startPlanted();
  // Loaded into the program before its own code.
  const path = join(temporaryDirectory(), 'faults.cjs');
  writeFileSync(path, FAULTS);
  const debug = { NODE_DEBUG: 'undici,fetch,http,https,net,tls,stream,timer' };
  const given = { ...env, NODE_OPTIONS: `--require=${path}`, ...debug };
  const { exporter, url } = await startServe(['--log.level=trace'], given);
  const failed = await scrapePage(url);
  await exporter.printed('stderr', /signing/);
  const cmdline = readFileSync(`/proc/${exporter.pid}/cmdline`, 'utf8');
  expect(cmdline).toContain('serve');
  await eventually(async () => expect((await scrapePage(url)).value('solar_up')).toBe(1));
  await exporter.printed('stderr', /(?:UNDICI|FETCH) \d+: .*\/apis\/login\/account/);
  exporter.kill('SIGUSR2');
  expect((await exporter.exited).status).not.toBe(0);
  const { stdout, stderr } = exporter;
  expect(stderr).toContain('provoked');
  expect(leaksIn({ stdout, stderr, text: failed.text, cmdline }, secrets())).toEqual([]);
});
