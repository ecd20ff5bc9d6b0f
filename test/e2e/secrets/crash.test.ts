import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { scrapePage } from '../../doors/house.ts';
import { type Exit, startProgram, startServe } from '../../support/running-process.ts';
import { formsOf, leaksIn, type PlantedService, startPlantedService } from './planted.ts';

const WEB_PASSWORD = 'planted-web-password-81f3';

/** What is loaded into the exporter before its own code, to break it from inside. */
const FAULTS = {
  'an exception that nobody catches':
    "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('provoked'); }));",
  'a rejection that nobody handles':
    "process.on('SIGUSR2', () => void Promise.reject(new Error('provoked')));",
  'a heap that runs out':
    "process.on('SIGUSR2', () => { const hoard = []; for (;;) hoard.push({ provoked: [hoard.length] }); });",
} as const;

/** The log-in's signature fails, with the application secret as the cause of the failure. */
const BROKEN_SIGNATURE = `
const crypto = require('node:crypto');
crypto.createHmac = (algorithm, key) => {
  throw Object.assign(new Error('provoked'), { cause: new Error(String(key)), input: String(key) });
};
require('node:module').syncBuiltinESMExports();
`;

describe('an exporter that dies shows no secret when it ends by', () => {
  test.each(Object.entries(FAULTS))('%s', async (_name, script) => {
    const service = await startPlantedService();
    const { exit, output } = await dieOf('SIGUSR2', service, {
      NODE_OPTIONS: `--require=${scriptFile(script)} --max-old-space-size=64`,
    });
    expect(exit.status).not.toBe(0);
    expect(output.stderr).toMatch(/provoked|heap out of memory/);
    expect(leaksIn(output, service.secrets())).toEqual([]);
  });

  test('a signal to abort', async () => {
    const service = await startPlantedService();
    const { exit, output } = await dieOf('SIGABRT', service, {});
    expect(exit.signal).toBe('SIGABRT');
    expect(leaksIn(output, service.secrets())).toEqual([]);
  });
});

describe('a fault inside a log-in', () => {
  const options = (): string => `--require=${scriptFile(BROKEN_SIGNATURE)}`;

  test('is logged by its message and stack, without its cause', async () => {
    const service = await startPlantedService();
    const env = { ...service.env, NODE_OPTIONS: options() };
    const { exporter, url } = await startServe(['--log.level=trace'], env);
    const { text } = await scrapePage(url);
    await exporter.printed('stderr', /provoked/);

    expect(exporter.stderr).toContain('auth-api');
    const { stdout, stderr } = exporter;
    expect(leaksIn({ stdout, stderr, text }, service.secrets())).toEqual([]);
  });

  test.each(['check --json', 'devices'])(
    'ends the command %s by its message, without its cause',
    async (line) => {
      const service = await startPlantedService();
      const env = { ...service.env, NODE_OPTIONS: options() };
      const program = startProgram([...line.split(' '), '--log.level=trace'], env);
      const { status } = await program.exited;

      expect(status).toBe(1);
      const { stdout, stderr } = program;
      expect(stdout + stderr).toContain('provoked');
      expect(leaksIn({ stdout, stderr }, service.secrets())).toEqual([]);
    },
  );
});

describe('a diagnostic report of Node.js', () => {
  test('shows what came by the environment: SECURITY.md warns of it', async () => {
    const service = await startPlantedService();
    const report = await reportOf(service, service.env);
    expect(report).toContain(service.password);
    expect(report).toContain(service.appSecret);
  });

  test('shows nothing of secrets that came by file', async () => {
    const service = await startPlantedService();
    const directory = temporaryDirectory();
    const { SOLAR_PASSWORD = '', SOLAR_APP_SECRET = '', ...others } = service.env;
    writeFileSync(join(directory, 'password'), SOLAR_PASSWORD);
    writeFileSync(join(directory, 'app-secret'), SOLAR_APP_SECRET);
    const report = await reportOf(service, {
      ...others,
      SOLAR_PASSWORD_FILE: join(directory, 'password'),
      SOLAR_APP_SECRET_FILE: join(directory, 'app-secret'),
    });
    // The account has no file of its own.
    const { account } = service;
    const secrets = service
      .secrets()
      .filter((secret) => ![account, encodeURIComponent(account)].includes(secret));
    expect(leaksIn({ report }, secrets)).toEqual([]);
  });
});

test('NODE_DEBUG shows no secret of a log-in, of a request or of a user of the exporter', async () => {
  const service = await startPlantedService();
  const webConfigFile = join(temporaryDirectory(), 'web.yml');
  const hash = hashSync(WEB_PASSWORD, 4);
  writeFileSync(webConfigFile, `basic_auth_users: {me: '${hash}'}\n`);
  const sections = 'undici,fetch,http,https,http2,net,tls,stream,timer,worker';
  const { exporter, url } = await startServe([`--web.config.file=${webConfigFile}`], {
    ...service.env,
    NODE_DEBUG: sections,
  });
  const authorization = `Basic ${Buffer.from(`me:${WEB_PASSWORD}`).toString('base64')}`;
  const page = await scrapePage(url, { authorization });
  expect(page.value('solar_up')).toBe(1);
  await exporter.printed('stderr', /(?:UNDICI|FETCH) \d+: .*\/apis\/login\/account/);
  await exporter.printed('stderr', /HTTP \d+: /);

  const { stdout, stderr } = exporter;
  const secrets = [...service.secrets(), ...formsOf([WEB_PASSWORD, hash, authorization.slice(6)])];
  expect(leaksIn({ stdout, stderr }, secrets)).toEqual([]);
});

/** Lets an exporter log in, then ends it by a signal. */
async function dieOf(
  signal: NodeJS.Signals,
  service: PlantedService,
  env: Readonly<Record<string, string>>,
): Promise<{ exit: Exit; output: { stdout: string; stderr: string } }> {
  const { exporter, url } = await startServe(['--log.level=trace'], { ...service.env, ...env });
  const page = await scrapePage(url);
  expect(page.value('solar_up')).toBe(1);
  expect(service.simulator.requests('login')).toBe(1);
  exporter.kill(signal);
  const exit = await exporter.exited;
  const { stdout, stderr } = exporter;
  return { exit, output: { stdout, stderr } };
}

/** The report that is written when an exporter which has logged in dies of an exception. */
async function reportOf(
  service: PlantedService,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const directory = temporaryDirectory();
  const script = scriptFile(FAULTS['an exception that nobody catches']);
  await dieOf('SIGUSR2', service, {
    ...Object.fromEntries(Object.keys(service.env).map((name) => [name, ''])),
    ...env,
    NODE_OPTIONS: `--require=${script} --report-uncaught-exception --report-directory=${directory}`,
  });
  const [name = ''] = readdirSync(directory);
  return readFileSync(join(directory, name), 'utf8');
}

function scriptFile(script: string): string {
  const path = join(temporaryDirectory(), 'fault.cjs');
  writeFileSync(path, script);
  return path;
}
