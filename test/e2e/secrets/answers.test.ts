import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRoutes } from '../../../src/http/routes.ts';
import { Page } from '../../../src/metrics/render.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { scrapePage } from '../../doors/house.ts';
import { type RunningProcess, startServe } from '../../support/running-process.ts';
import { formsOf, leaksIn, type PlantedService, startPlantedService } from './planted.ts';

const TLS = new URL('../../fixtures/tls/', import.meta.url);
const USER = 'prometheus';
const WEB_PASSWORD = 'planted-web-password-81f3';
const WRONG_PASSWORD = 'planted-wrong-password-81f3';
// So slow that not all of the guesses have been compared before there are too many.
const WEB_HASH = hashSync(WEB_PASSWORD, 7);
const KEY = readFileSync(new URL('server-rsa.key', TLS), 'utf8');
const KEY_LINES = KEY.split('\n').filter((line) => line.length > 16 && !line.startsWith('-----'));
const WEB_SECRETS = [
  ...formsOf([WEB_PASSWORD, WRONG_PASSWORD, WEB_HASH]),
  ...[WEB_PASSWORD, WRONG_PASSWORD].map((word) => authorization(word).slice('Basic '.length)),
  ...KEY_LINES,
];

/** Every path that the exporter answers. */
const PATHS = [
  ...createRoutes({
    telemetryPath: '/metrics',
    scrapeTimeoutMs: 1000,
    current: () => undefined,
    scrape: () => Promise.resolve(new Page('')),
    readSelf: () => Promise.resolve(new Page('')),
    listStations: () => Promise.resolve([]),
    probe: () => Promise.resolve('unknown station'),
    readStatus: () => Promise.reject(new Error('nobody asks')),
    isReloadEnabled: true,
    reload: () => Promise.resolve(),
  }).keys(),
];

interface Answer {
  readonly status: number;
  /** Headers and body, as they came. */
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('an exporter with TLS, users and a state directory', () => {
  test('shows no secret in any answer, in its log or outside the file of its session', async () => {
    // The portal says inside an answer that a token has expired, and wants the refresh signed.
    const service = await startPlantedService({ portal: true });
    const started = await startGuarded(service, ['--web.enable-lifecycle']);
    const { exporter, ask, configFile, stateDirectory } = started;
    const authorized = { authorization: authorization(WEB_PASSWORD) };
    const answers = new Map<string, Answer>();
    const keep = async (name: string, path: string, asked: Asked = {}): Promise<Answer> => {
      const answer = await ask(path, asked);
      answers.set(`${name} ${asked.method ?? 'GET'} ${path}`, answer);
      return answer;
    };

    const wrong = { authorization: authorization(WRONG_PASSWORD) };
    for (const path of [...PATHS, `/probe?target=${service.stationId}`, '/no-such-path']) {
      // What the page loads is the same for everybody: once is enough.
      const methods = path === '/-/reload' || path.startsWith('/assets/') ? [] : ['HEAD', 'POST'];
      await Promise.all([
        keep('nobody', path),
        keep('a wrong password', path, { headers: wrong }),
        ...['GET', ...methods].map((method) =>
          keep('the right password', path, { method, headers: authorized }),
        ),
      ]);
    }
    const reload = { method: 'POST', headers: authorized };
    await keep('from a page', '/-/reload', {
      method: 'POST',
      headers: { ...authorized, origin: 'https://example.org' },
    });
    await keep('reload', '/-/reload', reload);
    writeFileSync(configFile, `account: me\npassword: "${service.password}\n`);
    await keep('a broken file', '/-/reload', reload);
    writeFileSync(configFile, `cache.max-age: ${service.password}-\nno-such: ${service.account}\n`);
    const guesses = Array.from({ length: 60 }, (_, index) =>
      keep(`guess ${index}`, '/metrics', {
        headers: { authorization: authorization(`${WRONG_PASSWORD}-${index}`) },
      }),
    );
    await Promise.all(guesses);
    writeFileSync(configFile, '');

    const page = answers.get('the right password GET /metrics')?.text ?? '';
    expect(page).toMatch(/^solar_up\{.*\} 1$/m);
    const statuses = new Set([...answers.values()].map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 405, 503]);

    // A log-in, a refresh, and a log-in again: three pairs of tokens.
    const { simulator } = service;
    simulator.revokeTokens();
    await scrapedUntil(ask, authorized, () => service.tokens.size === 4);
    simulator.revokeTokens();
    simulator.revokeRefreshTokens();
    await scrapedUntil(ask, authorized, () => service.tokens.size === 6);
    await keep('later', '/metrics', { headers: authorized });
    await keep('later', '/api/v1/status', { headers: authorized });
    expect(simulator.requests('login')).toBe(2);
    expect(simulator.requests('refresh')).toBeGreaterThanOrEqual(2);
    expect(service.signedCount()).toBeGreaterThanOrEqual(3);

    const secrets = [...service.secrets(), ...WEB_SECRETS];
    const texts = Object.fromEntries([...answers].map(([name, { text: body }]) => [name, body]));
    expect(leaksIn(texts, secrets)).toEqual([]);
    const { stdout, stderr } = exporter;
    expect(leaksIn({ stdout, stderr }, secrets)).toEqual([]);

    expect(readdirSync(stateDirectory).sort()).toEqual([
      'energy-counters.json',
      'let-in.json',
      'lock',
      'session.json',
    ]);
    const counters = readFileSync(join(stateDirectory, 'energy-counters.json'), 'utf8');
    expect(leaksIn({ counters }, secrets)).toEqual([]);
    const letIn = readFileSync(join(stateDirectory, 'let-in.json'), 'utf8');
    expect(letIn).toContain('127.0.0.1');
    expect(leaksIn({ names: stateDirectory, letIn }, secrets)).toEqual([]);
    const sessionFile = join(stateDirectory, 'session.json');
    const session = readFileSync(sessionFile, 'utf8');
    const [newest = '', newestRefresh = ''] = [...service.tokens].slice(-2);
    expect(session).toContain(newest);
    expect(session).toContain(newestRefresh);
    const others = secrets.filter((secret) => secret !== newest && secret !== newestRefresh);
    expect(leaksIn({ session }, others)).toEqual([]);
    expect(statSync(stateDirectory).mode & 0o777).toBe(0o700);
    expect(statSync(sessionFile).mode & 0o777).toBe(0o600);
  });
});

test('an exporter that does not know its stations yet shows no secret in its 503', async () => {
  const service = await startPlantedService();
  service.simulator.setFault('*', {
    kind: 'envelope',
    code: 7,
    message: `${service.account} ${service.password} ${service.appSecret}`,
  });
  const { exporter, url } = await startServe(['--log.level=trace'], service.env);
  const answers: Record<string, string> = {};
  for (const path of ['/sd', `/probe?target=${service.stationId}`]) {
    const response = await fetch(new URL(path, url));
    expect(response.status).toBe(503);
    answers[path] = (await response.text()) + JSON.stringify([...response.headers]);
  }
  answers['/metrics'] = (await scrapePage(url)).text;
  answers['/'] = await (await fetch(url)).text();
  expect(service.simulator.requests('login')).toBeGreaterThan(0);
  expect(exporter.stderr).toContain('SERVICE_API_REFUSED');
  const { stdout, stderr } = exporter;
  expect(leaksIn({ ...answers, stdout, stderr }, service.secrets())).toEqual([]);
});

/** Starts an exporter that only its user may ask, over TLS, and that refreshes at every scrape. */
async function startGuarded(service: PlantedService, flags: readonly string[]) {
  const directory = temporaryDirectory();
  const webConfigFile = join(directory, 'web.yml');
  const configFile = join(directory, 'config.yml');
  const stateDirectory = join(directory, 'state');
  mkdirSync(stateDirectory, { mode: 0o755 });
  for (const name of ['server-rsa.pem', 'server-rsa.key'])
    writeFileSync(join(directory, name), readFileSync(new URL(name, TLS)));
  writeFileSync(
    webConfigFile,
    [
      'tls_server_config: {cert_file: server-rsa.pem, key_file: server-rsa.key}',
      `basic_auth_users: {${USER}: '${WEB_HASH}'}`,
    ].join('\n'),
  );
  writeFileSync(configFile, '');
  const { exporter, url } = await startServe(
    [
      '--log.level=trace',
      '--cache.readings-ttl=1ms',
      `--config.file=${configFile}`,
      `--web.config.file=${webConfigFile}`,
      `--state.dir=${stateDirectory}`,
      ...flags,
    ],
    service.env,
  );
  expect(url).toMatch(/^https:/);
  const ask = (path: string, asked: Asked = {}): Promise<Answer> => askOverTls(url, path, asked);
  return { exporter, url, ask, configFile, stateDirectory } satisfies {
    exporter: RunningProcess;
    [name: string]: unknown;
  };
}

// The certificate is made for the tests, by nobody that anybody knows.
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

function askOverTls(url: string, path: string, { method = 'GET', headers = {} }: Asked) {
  return new Promise<Answer>((resolve, reject) => {
    const asked = request(
      new URL(path, url),
      { method, headers: { ...headers }, agent },
      (response) => {
        const { statusCode = 0, rawHeaders } = response;
        text(response).then(
          (body) => resolve({ status: statusCode, text: `${rawHeaders.join('\n')}\n\n${body}` }),
          reject,
        );
      },
    );
    asked.once('error', reject).end();
    onTestFinished(() => void asked.destroy());
  });
}

async function scrapedUntil(
  ask: (path: string, asked: Asked) => Promise<Answer>,
  headers: Readonly<Record<string, string>>,
  isDone: () => boolean,
): Promise<void> {
  await eventually(async () => {
    await ask('/metrics', { headers });
    expect(isDone()).toBe(true);
  });
}

function authorization(password: string): string {
  return `Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`;
}
