import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createLog, LogDestination } from '../../src/base/log.ts';
import { systemClock, systemRuntime } from '../../src/base/clock.ts';
import { run } from '../../src/commands/run.ts';
import { OPTIONS } from '../../src/config/options.ts';
import type { Rewrite, Simulator } from '../support/faulty-simulator.ts';
import { deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { clientOf } from '../support/running-server.ts';
import {
  ACCOUNT,
  APP_SECRET,
  APP_SECRET_ENCRYPTED,
  formsOf,
  leaksIn,
  PASSWORD,
  startPlanted,
} from './planted.ts';

type Words = Readonly<Record<string, string>>;

const MISTYPED = 'planted-mistyped-81f3';
const WEB_PASSWORD = 'planted-web-password-81f3';
// So slow that not all of the guesses have been compared before there are too many.
const WEB_HASH = hashSync(WEB_PASSWORD, 7);
const TLS = fileURLToPath(new URL('../fixtures/tls/', import.meta.url));
const KEY = readFileSync(`${TLS}server-rsa.key`, 'utf8');
const basic = (password: string): string => Buffer.from(`me:${password}`).toString('base64');
const PLANTED = [
  MISTYPED,
  'planted.account',
  WEB_PASSWORD,
  WEB_HASH,
  basic(WEB_PASSWORD),
  basic(MISTYPED),
  // Whoever shows the key shows these lines of it.
  ...KEY.split('\n').slice(5, 8),
];

/** The real one, but whoever is turned away hears it after a second, in place of ten. */
const clock = {
  ...systemClock,
  sleep: (durationMs: number, signal?: AbortSignal) =>
    systemClock.sleep(Math.min(durationMs, 1000), signal),
};

/** Starts a command as the program does, in this process, and keeps everything that it prints. */
function start(argv: readonly string[], env: Words) {
  const printed = { stdout: '', stderr: '' };
  const stopping = deferred<undefined>();
  const destination = new LogDestination((line, sent) => {
    printed.stderr += line;
    sent();
  });
  const ended = run(argv, {
    env,
    readFile: (path) => readFileSync(path, 'utf8'),
    out: (line) => (printed.stdout += line),
    complain: (line) => (printed.stderr += line),
    createLog: (level, format = 'json') => createLog({ level, format, destination }),
    ask: undefined,
    stopRequested: () => stopping.promise,
    onReloadRequested: () => undefined,
    runtime: { ...systemRuntime, clock },
    build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
  });
  const stop = async () => {
    stopping.resolve(undefined);
    await ended;
  };
  onTestFinished(stop);
  return { printed, ended, stop };
}

async function printedBy(argv: readonly string[], env: Words) {
  const { printed, ended } = start(argv, env);
  return { status: await ended, ...printed, all: printed.stdout + printed.stderr };
}

/** Starts `serve`; resolves when it listens. */
async function startServe(flags: readonly string[], env: Words) {
  const own = ['--web.listen-address=127.0.0.1:0', '--log.level=trace'];
  const { printed, stop } = start(['serve', ...own, ...flags], env);
  const url = await eventually(() => {
    const [, listening = ''] = /"url":"(http[^"]+)"/.exec(printed.stderr) ?? [];
    expect(listening).not.toBe('');
    return listening;
  });
  return { printed, stop, url };
}

test('the search finds every form of every secret where it is', () => {
  for (const form of formsOf('planted/app+secret='))
    expect(leaksIn({ here: `before ${form} after` }, ['planted/app+secret='])).not.toEqual([]);
});

/** What each command is asked, and what only one that did its work prints. */
const COMMANDS: readonly (readonly [line: string, proof: RegExp, status?: number])[] = [
  ['check', /log-in +ok/],
  ['devices', /Inverter 1/],
  ['devices --explain', /pvInputPower/],
  ['readings', /\d W\b/],
  ['settings get DEVICE', /^setting +value/],
  ['settings set DEVICE noSuchSetting=1 --yes', /noSuchSetting/, 2],
  [
    'history --from=2026-06-18 --to=2026-06-19 --request.rate=1000 --output=FOLDER',
    /^1 file written/m,
  ],
  ['config', /^password +\[secret\] +environment$/m],
  ['config --json', /"\[secret\]"/],
  ['--help-all', /SOLAR_PASSWORD/],
  ['completion', /-F _solar-exporter_yargs_completions|#compdef/],
  ['chekc', /did you mean check\?/, 2],
  ['check --yes', /belongs to/, 2],
  ['check --cache.max-age=soon --station=', /is not a duration/, 2],
];

test('no command shows a secret, in a log of everything either', async () => {
  const { env, deviceId, secrets, tokens, signed } = await startPlanted({ secrets: PLANTED });
  for (const [index, [line, proof, status = 0]] of COMMANDS.entries()) {
    const named = line.replace('DEVICE', deviceId).replace('FOLDER', temporaryDirectory());
    const words = named.split(' ');
    const format = index % 2 === 0 ? 'json' : 'pretty';
    const logged = [`--log.format=${format}`, '--log.level=trace'];
    const printed = await printedBy([...words, ...logged], env);
    expect(printed.status, line).toBe(status);
    expect(printed.all).toMatch(proof);
    expect(leaksIn({ [line]: printed.all }, secrets())).toEqual([]);
  }
  expect([tokens.size, signed.length]).toEqual([14, 21]);
});

const ECHO = `${ACCOUNT} ${PASSWORD} ${createHash('md5').update(PASSWORD).digest('hex')} ${APP_SECRET}`;
/** It names a part of the account. */
const REFUSAL = 'User planted.account is not allowed to look';
const NO_ACCOUNT = { SOLAR_ACCOUNT: '', SOLAR_PASSWORD: '' };
const GIVEN_TOKENS = { SOLAR_ACCESS_TOKEN: MISTYPED, SOLAR_REFRESH_TOKEN: MISTYPED };

describe('no command, page or log shows a secret when', () => {
  const onLogin = { kind: 'reply', body: { code: 7, message: ECHO } } as const;
  const echo: Rewrite = (body, { headers }) =>
    headers['iot-token'] === undefined
      ? body
      : JSON.stringify({ code: 5, message: `${REFUSAL} ${ECHO} ${String(headers['iot-token'])}` });

  type Arrange = ((simulator: Simulator) => void) | undefined;
  test.each<[when: string, env: Words, arrange?: Arrange, rewrite?: Rewrite]>([
    ['the password is wrong', { SOLAR_PASSWORD: MISTYPED }],
    ['the application secret is wrong', { SOLAR_APP_SECRET: MISTYPED }],
    ['the tokens given are refused', { ...GIVEN_TOKENS, ...NO_ACCOUNT }],
    [
      'the service is out of order',
      {},
      (simulator) => simulator.setFault('*', { kind: 'reply', body: '<p>Back soon.</p>' }),
    ],
    ['the service repeats the log-in', {}, (simulator) => simulator.setFault('login', onLogin)],
    ['the service repeats every request', {}, undefined, echo],
  ])('%s', async (_, env, arrange, rewrite) => {
    const planted = await startPlanted({ secrets: PLANTED, rewrite });
    arrange?.(planted.simulator);
    const given = { ...planted.env, ...env };
    const texts: Record<string, string> = {};
    for (const line of ['check --json', 'devices', 'readings'])
      texts[line] = (await printedBy([...line.split(' '), '--log.level=trace'], given)).all;
    const { printed, stop, url } = await startServe(['--collect.settings'], given);
    for (const path of ['/metrics', '/', '/api/v1/status', '/sd', '/probe?target=1'])
      texts[path] = await (await fetch(url + path)).text();
    await stop();
    expect(texts['check --json']).toContain('"ok": false');
    expect(texts['/metrics']).toMatch(/^solar_\w+\{/m);
    expect(printed.stderr).toContain('SERVICE_');
    // A reason is shown, without what it repeats.
    if (rewrite !== undefined)
      for (const shown of [texts['/'], texts['/api/v1/status'], printed.stderr])
        expect(shown).toContain('User … is not allowed to look');
    expect(leaksIn({ ...texts, ...printed }, planted.secrets())).toEqual([]);
  });
});

test('an encrypted secret is used and not shown', async () => {
  const { simulator, env, secrets } = await startPlanted({ secrets: PLANTED });
  const encrypted = { SOLAR_APP_SECRET: '', SOLAR_APP_SECRET_ENCRYPTED: APP_SECRET_ENCRYPTED };
  const check = await printedBy(['check', '--log.level=trace'], { ...env, ...encrypted });
  expect(check.status, check.all).toBe(0);
  expect(simulator.requests('login')).toBe(1);
  expect(leaksIn({ check: check.all }, secrets())).toEqual([]);
});

const SECRET = 'planted-81f3';

describe('a secret that stands where none belongs is not shown:', () => {
  async function expectUnseen(flags: readonly string[], env: Words, says: RegExp): Promise<void> {
    for (const line of [['config', '--check'], ['serve']]) {
      const { status, stderr, all } = await printedBy([...line, ...flags], env);
      expect(status, all).toBe(2);
      expect(stderr).toMatch(says);
      expect(all).not.toContain('81f3');
    }
  }
  const TOKEN = { SOLAR_ACCESS_TOKEN: 'a-token' };
  const UNSIGNED = { SOLAR_ACCOUNT: 'me', SOLAR_APP_ID: 'id' };
  const DECRYPTED = { SOLAR_PASSWORD: 'x', SOLAR_APP_SECRET_ENCRYPTED: 'planted81f3' };

  test.each(OPTIONS.filter(({ secret }) => secret === true))('--$flag', async ({ flag, env }) => {
    const says = new RegExp(`use ${env} or ${env}_FILE`);
    for (const typed of [[`--${flag}=${SECRET}`], [`--${flag}`, SECRET]])
      await expectUnseen(typed, TOKEN, says);
  });

  test.each<[env: Words, says: RegExp]>([
    [{ ...UNSIGNED, ...DECRYPTED }, /\[secret\] does not decrypt/],
    [{ ...TOKEN, SOLAR_PASSWORD_FILE: SECRET }, /SOLAR_PASSWORD_FILE: cannot read .*ENOENT/],
    [
      { ...UNSIGNED, SOLAR_PASWORD: SECRET },
      /SOLAR_PASWORD: unknown variable; did you mean SOLAR_PASSWORD\?/,
    ],
  ])('%j', (env, says) => expectUnseen([], env, says));

  test.each([
    [`http://${SECRET}:p@ss@a.org/`, /"http:\/\/\[secret\]@a\.org\/" has a user/],
    [`me:${SECRET}@a.org`, /"\[secret\]@a\.org" is not an http or https/],
    [`https://me:${SECRET}?or@a.org`, /"https:\/\/\[secret\].*" (has|is not)/],
    [`https://a.org/?token=${SECRET}`, /has a query or a fragment/],
  ])('--base-url=%s', (url, says) => expectUnseen([`--base-url=${url}`], TOKEN, says));

  test.each<[content: string, says: RegExp, option?: string]>([
    [`password: ${SECRET}\n  app-id: [\n`, /not YAML: .* at line/],
    [`password:${SECRET}\n`, /not a mapping/],
    [`{app-id: id, password:${SECRET}}\n`, /unknown key/],
    [`password-file: ${SECRET}\n`, /cannot read .*ENOENT/],
    [`- key: a\n  password: ${SECRET}\n`, /"password": unknown name/, 'dialect.file'],
    [`password: ${SECRET}\n`, /line 1: "password": unknown name/, 'tariff.file'],
    [`basic_auth_users: {me: ${SECRET}}\n`, /is not a bcrypt hash/, 'web.config.file'],
  ])('%j: %s', async (content, says, option = 'config.file') => {
    const file = join(temporaryDirectory(), 'file.yml');
    writeFileSync(file, content);
    await expectUnseen([`--${option}=${file}`], TOKEN, says);
  });
});

test('an exporter with TLS, users and a state directory shows no secret', async () => {
  // The portal says inside an answer that a token has expired, and wants the refresh signed.
  const { simulator, stationId, tokens, env, secrets } = await startPlanted({
    secrets: PLANTED,
    portal: true,
  });
  const directory = temporaryDirectory();
  const configFile = join(directory, 'config.yml');
  const webFile = join(directory, 'web.yml');
  const state = join(directory, 'state');
  mkdirSync(state, { mode: 0o755 });
  const tls = `tls_server_config: {cert_file: ${TLS}server-rsa.pem, key_file: ${TLS}server-rsa.key}`;
  writeFileSync(webFile, `${tls}\nbasic_auth_users: {me: '${WEB_HASH}'}\n`);
  writeFileSync(configFile, '');
  const given = [`--config.file=${configFile}`, `--web.config.file=${webFile}`];
  const { printed, stop, url } = await startServe(
    [...given, `--state.dir=${state}`, '--cache.readings-ttl=1ms', '--web.enable-lifecycle'],
    env,
  );
  const texts: Record<string, string> = {};
  const statuses = new Set<number>();
  const client = clientOf({ url });
  const ask = async (who: string, path: string, method = 'GET', more: Words = {}) => {
    const headers = { ...(who !== 'nobody' && { authorization: `Basic ${basic(who)}` }), ...more };
    const { status = 0, headers: received, body } = await client.ask(path, { method, headers });
    texts[`${Object.keys(texts).length} ${method} ${path}`] =
      JSON.stringify(received) + String(body);
    statuses.add(status);
    return String(body);
  };

  const paths = ['/metrics', '/metrics/self', '/', '/api/v1/status', '/sd', '/-/healthy', '/none'];
  for (const path of [...paths, '/probe', `/probe?target=${stationId}`])
    for (const who of ['nobody', MISTYPED, WEB_PASSWORD])
      for (const method of ['GET', 'POST']) await ask(who, path, method);
  await ask(WEB_PASSWORD, '/-/reload', 'POST', { origin: 'https://example.org' });
  for (const content of [`account: me\npassword: "${PASSWORD}\n`, `passwrd: ${PASSWORD}\n`, '']) {
    writeFileSync(configFile, content);
    await ask(WEB_PASSWORD, '/-/reload', 'POST');
  }
  const guesses = Array.from({ length: 60 }, (_, index) => `${MISTYPED}-${index}`);
  await Promise.all(guesses.map((guess) => ask(guess, '/metrics')));
  // More guesses at once than may wait.
  expect(statuses).toEqual(new Set([200, 400, 401, 403, 404, 405, 503]));

  // A log-in, a refresh, and a log-in again: three pairs of tokens.
  const scrapedUntil = (count: number) =>
    eventually(async () => {
      await ask(WEB_PASSWORD, '/metrics');
      expect(tokens.size).toBe(count);
    });
  simulator.revokeTokens();
  await scrapedUntil(4);
  simulator.revokeTokens();
  simulator.revokeRefreshTokens();
  await scrapedUntil(6);
  expect(await ask(WEB_PASSWORD, '/metrics')).toMatch(/^solar_up\{.*\} 1$/m);
  await ask(WEB_PASSWORD, '/api/v1/status');

  const files = ['energy-counters.json', 'session.json'];
  const kept = Object.fromEntries(
    files.map((name) => [name, readFileSync(join(state, name), 'utf8')]),
  );
  const modes = ['', 'session.json'].map((name) => statSync(join(state, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  expect(leaksIn({ ...texts, names: readdirSync(state).join() }, secrets())).toEqual([]);
  const newest = [...tokens].slice(-2);
  for (const token of newest) expect(kept['session.json']).toContain(token);
  const others = secrets().filter((secret) => !newest.includes(secret));
  expect(leaksIn(kept, others)).toEqual([]);
  await stop();
  expect(leaksIn(printed, secrets())).toEqual([]);
});
