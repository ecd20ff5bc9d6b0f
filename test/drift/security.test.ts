import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../src/config/options.ts';
import { LONGEST_PASSWORD_BYTES } from '../../src/http/authentication/authenticator.ts';
import {
  HEAD_START_GUESSES,
  MOST_WAITING,
} from '../../src/http/authentication/comparison-queue.ts';
import { MOST_NETWORKS } from '../../src/http/authentication/guess-counts.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { SERVER_LIMITS } from '../../src/http/server-limits.ts';
import { Page } from '../../src/metrics/render.ts';
import { loggedFields } from './logged-fields.ts';
import { tableRows, textOf } from './markdown.ts';

const ROOT = new URL('../../', import.meta.url);
const security = textOf('SECURITY.md');
const flat = security.replace(/\s+/g, ' ');

describe('SECURITY.md', () => {
  test('says of every path who reaches it, and of no other', () => {
    expect(tableRows(security, 'path').map(([path = '']) => path.split('`')[1])).toEqual(
      routePaths(),
    );
  });

  test('says of a path that is open to nobody by default which option opens it', () => {
    const [, ...cells] =
      tableRows(security, 'path').find(([path]) => path?.includes('/-/reload')) ?? [];

    expect(defaultOf('web.enable-lifecycle')).toBe('false');
    expect(cells).toHaveLength(3);
    for (const cell of cells) expect(cell).toMatch(/^nobody; with `--web\.enable-lifecycle`, /);
  });

  test('names every option that is secret in the one row, and every other that is not shown', () => {
    const [[row = ''] = []] = tableRows(security, 'what');
    const named = [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    const secrets = OPTIONS.filter(({ secret }) => secret === true).map(({ env }) => env);

    expect(named).toEqual(secrets);
    const [, unseen = ''] = /never logs, prints or serves[^:]*: (.*?)tokens,/.exec(flat) ?? [];
    for (const { env, redacted } of OPTIONS) if (redacted === true) expect(unseen).toContain(env);
  });

  test('names only options and variables that there are', () => {
    const flags = [...security.matchAll(/`--([a-z]+\.[a-z.-]+|account|base-url)\b/g)];
    for (const [, flag] of flags) expect(OPTIONS.map((option) => option.flag)).toContain(flag);
    const variables = [...security.matchAll(/SOLAR_\w+/g)].map(([name]) => name);
    for (const name of variables) expect(OPTIONS.map(({ env }) => env)).toContain(name);

    expect(flags.length).toBeGreaterThan(5);
    expect(variables.length).toBeGreaterThan(5);
  });

  test('gives the limits of the server as they are', () => {
    const limits = SERVER_LIMITS;
    const seconds = (durationMs: number): string => `${durationMs / 1000} s`;
    const rows = tableRows(security, 'limit').map(([name = '', value = '']) => [name, value]);

    expect(Object.fromEntries(rows)).toEqual({
      'answers that are made at once (`--web.max-requests`)': defaultOf('web.max-requests'),
      connections: String(limits.maxConnections),
      'connections without a log-in, where there are users': String(limits.maxStrangers),
      'requests of one connection that wait for the answer before them': String(
        limits.maxWaitingRequests,
      ),
      'headers of a request': `${limits.maxHeaderBytes / 1024} KiB`,
      'time to send the headers': seconds(limits.headersTimeoutMs),
      'time to send a request': seconds(limits.requestTimeoutMs),
      'time without progress while an answer is sent': seconds(limits.sendSilenceMs),
      'time to take an answer': seconds(limits.sendTimeoutMs),
      'bytes that all clients together have not taken yet': `${limits.maxUnsentBytes / 1024 ** 2} MiB`,
      'passwords that are compared at once': '1',
      'passwords that wait to be compared': String(MOST_WAITING),
      'bytes of a password': String(LONGEST_PASSWORD_BYTES),
      'networks whose wrong guesses are counted': String(MOST_NETWORKS),
    });
    expect(flat).toContain(`${limits.maxDroppedRequests} requests behind that one are ignored`);
    expect(flat).toContain(`a head start of ${HEAD_START_GUESSES} guesses`);
    expect(textOf('src/client/exchange/transport.ts')).toContain(
      'MAX_RESPONSE_BYTES = 8 * 1024 * 1024;',
    );
    expect(flat).toContain('it is limited to 8 MiB');
  });

  test('names a test for everything that the server adds to that of Node.js', () => {
    const tests = tableRows(security, 'addition').map(([, , cell = '']) =>
      /^`(.+)`: "(.+)"$/.exec(cell),
    );

    expect(tests.length).toBeGreaterThan(4);
    for (const [, path = '', title = ''] of tests.map((match) => match ?? []))
      expect(textOf(path), path).toContain(`'${title}'`);
  });

  test('is right about rights: of the state directory and its files', () => {
    expect(flat).toContain('(mode 0700, 0600)');
    expect(textOf('src/state/state-directory.ts')).toContain('MODE = 0o700;');
    expect(textOf('src/state/atomic-file.ts')).toContain('MODE = 0o600;');
  });

  test('is right about what is built and deployed', () => {
    const dockerfile = textOf('Dockerfile');
    expect(dockerfile).toMatch(/^RUN npm ci .*--ignore-scripts/m);
    expect(dockerfile).toMatch(/^RUN npm sbom .*--sbom-format=cyclonedx .*> sbom\.json$/m);
    expect(dockerfile).toMatch(/^COPY .*sbom\.json \.\/$/m);
    expect(dockerfile).toMatch(/^WORKDIR \/app$/m);
    expect(dockerfile).toMatch(/^USER 65532:65532$/m);
    const compose = textOf('compose.yaml');
    for (const line of ['read_only: true', 'cap_drop: [ALL]', 'no-new-privileges:true', 'core: 0'])
      expect(compose).toContain(line);
    const unit = textOf('deploy/systemd/solar-exporter.service');
    for (const line of ['DynamicUser=yes', 'ProtectHome=yes', 'ProtectSystem=strict'])
      expect(unit).toContain(line);
    expect(unit).toMatch(/^LimitCORE=0$/m);
    expect(unit).toMatch(/^StateDirectory=/m);
    expect(unit).toMatch(/^LoadCredential=password:/m);
    expect(unit).toMatch(/^SystemCallFilter=/m);
    const deployment = textOf('deploy/kubernetes/deployment.yaml');
    expect(deployment).toContain('automountServiceAccountToken: false');
    expect(deployment).toContain('value: /secrets/password');
  });

  test('is right about the lock file: every package from a registry has its hash', () => {
    const { packages } = JSON.parse(textOf('package-lock.json')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>;
    };
    const entries = Object.entries(packages).filter(([path]) => path !== '');

    expect(entries.length).toBeGreaterThan(100);
    for (const [path, { integrity }] of entries) expect(integrity, path).toMatch(/^sha512-/);
  });
});

test('the debugger of Node.js stays shut, as SECURITY.md says', () => {
  expect(textOf('src/cli.ts')).toContain("process.on('SIGUSR1', () => undefined);");
});

describe('no setting can be written over HTTP', () => {
  test('because the HTTP layer knows no client, and nothing but a command writes', () => {
    for (const { path, text } of sources('src/http/'))
      expect(text, path).not.toMatch(/from '.*\/client\//);
    const writers = sources('src/')
      .filter(({ text }) => text.includes('.changeSettings('))
      .map(({ path }) => path);
    expect(writers).toEqual(['src/commands/settings.ts']);
  });
});

/** What a log line of the client may be about: never a header, a body, or a credential. */
const LOGGED_BY_CLIENT = [
  'dailyRequests',
  'device_id',
  'err',
  'family',
  'keys',
  'method',
  'missing',
  'operation',
  'quantity',
  'source',
  'unknown_keys',
  'until',
];

describe('the log', () => {
  test('is told by the client only what is on a list', () => {
    const logged = sources('src/client/').flatMap(({ path, text }) => loggedFields(path, text));

    expect(logged.length).toBeGreaterThan(8);
    expect([...new Set(logged)].sort()).toEqual(LOGGED_BY_CLIENT);
  });

  test('is told of the files in the state directory why and where, in fixed texts', () => {
    const path = 'src/base/kept-file.ts';
    const texts = ['again', 'failing', 'setAside'];
    const logged = new Set(loggedFields(path, textOf(path)));

    expect([...logged].sort()).toEqual([...texts, 'place', 'reason'].sort());
    for (const { text } of sources('src/').filter((source) =>
      source.text.includes('new KeptFile('),
    ))
      expect(text).toMatch(/^const TEXTS = \{(?:\s+(?:\w+: '[^']*',|\/\/.*))+\s+\};$/m);
  });

  test('is found to be told something else', () => {
    const text = 'log.warn({ headers, err: error, ...{ body } }, `${token} refused`);';
    expect(loggedFields('x.ts', text)).toEqual(['headers', 'err', 'body', '`${token} refused`']);
  });
});

/** Every path that is answered, what the page loads as one. */
function routePaths(): readonly string[] {
  const routes = createRoutes({
    telemetryPath: '/metrics',
    scrapeTimeoutMs: 1000,
    current: () => undefined,
    scrape: () => Promise.resolve(new Page('')),
    readSelf: () => Promise.resolve(new Page('')),
    listStations: () => Promise.resolve([]),
    probe: () => Promise.resolve('unknown station'),
    readStatus: () => Promise.reject(new Error('nobody asks')),
    isReloadEnabled: false,
    reload: () => Promise.resolve(),
  });
  const paths = [...routes.keys()].map((path) => path.replace(/^\/assets\/.*/, '/assets/…'));
  return ['/metrics', ...new Set(paths.filter((path) => path !== '/metrics'))];
}

function defaultOf(flag: string): string | undefined {
  return OPTIONS.find((option) => option.flag === flag)?.default;
}

function sources(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({ path: `${folder}${name}`, text: textOf(`${folder}${name}`) }));
}
