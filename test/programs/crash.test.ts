import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaksIn, startPlanted } from '../doors/planted.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { scrapePage } from '../support/page.ts';
import { startServe } from '../support/running-process.ts';

/** Loads a script into the program before its own code. */
function loading(script: string): Readonly<Record<string, string>> {
  const path = join(temporaryDirectory(), 'fault.cjs');
  writeFileSync(path, script);
  return { NODE_OPTIONS: `--require=${path}` };
}

test.each([
  ['an exception that nobody catches', "setImmediate(() => { throw new Error('provoked'); })"],
  ['a rejection that nobody handles', "void Promise.reject(new Error('provoked'))"],
])('an exporter that dies by %s shows no secret', async (_, fault) => {
  const { env, secrets } = await startPlanted();
  const debug = { NODE_DEBUG: 'undici,fetch,http,https,net,tls,stream,timer' };
  const given = { ...env, ...loading(`process.on('SIGUSR2', () => ${fault});`), ...debug };
  const { exporter, url } = await startServe(['--log.level=trace'], given);
  expect((await scrapePage(url)).value('solar_up')).toBe(1);
  await exporter.printed('stderr', /(?:UNDICI|FETCH) \d+: .*\/apis\/login\/account/);
  exporter.kill('SIGUSR2');
  expect((await exporter.exited).status).not.toBe(0);
  const { stdout, stderr } = exporter;
  expect(stderr).toContain('provoked');
  expect(leaksIn({ stdout, stderr }, secrets())).toEqual([]);
});

test('a fault inside of a log-in is logged without its secret cause', async () => {
  const { env, secrets } = await startPlanted();
  const script = `
const crypto = require('node:crypto');
crypto.createHmac = (algorithm, key) => {
  throw Object.assign(new Error('provoked'), { cause: new Error(String(key)), input: String(key) });
};
require('node:module').syncBuiltinESMExports();
`;
  const given = { ...env, ...loading(script) };
  const { exporter, url } = await startServe(['--log.level=trace'], given);
  const { text } = await scrapePage(url);
  await exporter.printed('stderr', /provoked/);
  const { stdout, stderr, pid } = exporter;
  const cmdline = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  expect(cmdline).toContain('serve');
  expect(leaksIn({ stdout, stderr, text, cmdline }, secrets())).toEqual([]);
});
