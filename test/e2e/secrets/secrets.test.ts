import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/simulator.ts';
import { scrapePage, startService } from '../../doors/house.ts';
import { startProgram, startServe } from '../../support/running-process.ts';
import { rewriting, startProxy } from '../../support/proxy.ts';
import type { Rewrite } from './planted.ts';

const ACCOUNT = 'planted.account@example.org';
const PASSWORD = 'planted-password-81f3';
const APP_SECRET = 'planted-app-secret-81f3';
const OPTIONS = { account: ACCOUNT, password: PASSWORD, appSecret: APP_SECRET };
const CREDENTIALS = {
  SOLAR_ACCOUNT: ACCOUNT,
  SOLAR_PASSWORD: PASSWORD,
  SOLAR_APP_ID: 'demo-app-id',
  SOLAR_APP_SECRET: APP_SECRET,
};
const TOKENS = {
  SOLAR_ACCESS_TOKEN: 'planted-access-token-81f3',
  SOLAR_REFRESH_TOKEN: 'planted-refresh-token-81f3',
};

interface Scenario {
  readonly when: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly arrange?: (simulator: Simulator) => void;
  readonly rewrite?: Rewrite;
}

const ECHO = `${ACCOUNT} ${PASSWORD} ${md5(PASSWORD)} ${APP_SECRET}`;
const SCENARIOS: readonly Scenario[] = [
  { when: 'all is well' },
  { when: 'the password is wrong', env: { SOLAR_PASSWORD: 'planted-other-password' } },
  {
    when: 'the application secret is wrong',
    env: { SOLAR_APP_SECRET: 'planted-other-app-secret' },
  },
  {
    when: 'the tokens given are refused',
    env: { ...TOKENS, SOLAR_ACCOUNT: '', SOLAR_PASSWORD: '' },
  },
  {
    when: 'the service is out of order',
    arrange: (simulator) => simulator.setFault('*', { kind: 'html' }),
  },
  {
    when: 'the service repeats what it was told at login',
    arrange: (simulator) =>
      simulator.setFault('login', { kind: 'envelope', code: 5, message: ECHO }),
  },
  {
    when: 'the service repeats what it was told with every request',
    rewrite: (body, headers) =>
      headers['iot-token'] === undefined
        ? body
        : JSON.stringify({ code: 5, message: `${ECHO} ${String(headers['iot-token'])}` }),
  },
];

describe('no secret is shown when', () => {
  test.each(SCENARIOS)('$when', async ({ env = {}, arrange, rewrite = (body) => body }) => {
    const { simulator, serviceUrl } = await startService(OPTIONS);
    arrange?.(simulator);
    const tokens = new Set<string>();
    const proxyUrl = await startProxy(
      serviceUrl,
      rewriting((body, { headers }) => {
        for (const [, token = ''] of body.matchAll(/"(?:access|refresh)Token":"([^"]+)"/g))
          tokens.add(token);
        return rewrite(body, headers);
      }),
    );
    const settings = [`--base-url=${proxyUrl}`, '--log.level=trace', '--collect.settings'];
    const environment = { ...CREDENTIALS, ...env };

    const check = startProgram(['check', '--json', ...settings], environment);
    const { exporter, url } = await startServe(settings, environment);
    const { text } = await scrapePage(url);
    const landingPage = await (await fetch(url)).text();
    exporter.kill('SIGTERM');
    await Promise.all([exporter.exited, check.exited]);

    expect(exporter.stderr).toContain('"msg":"listening"');
    expect(text).toContain('solar_up');
    expect(check.stdout).toContain('"steps"');
    const printed = [exporter, check].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    const everything = [text, landingPage, ...printed].join('\n');
    const planted = Object.entries({ ...environment, ...TOKENS })
      .filter(([name, value]) => name !== 'SOLAR_APP_ID' && value !== '')
      .flatMap(([, value]) => [value, md5(value)]);
    for (const secret of [...planted, ...tokens]) expect(everything).not.toContain(secret);
  });

  test('help is asked for', async () => {
    const program = startProgram(['--help'], { ...CREDENTIALS, ...TOKENS });
    await program.exited;
    expect(program.stdout).toContain('SOLAR_PASSWORD');
    expect(program.stdout + program.stderr).not.toContain('planted');
  });
});

test('the configuration shows secrets and the account as [secret]', async () => {
  const program = startProgram(['config'], { ...CREDENTIALS, ...TOKENS });
  expect(await program.exited).toMatchObject({ status: 0 });
  for (const option of ['account', 'password', 'app-secret', 'access-token', 'refresh-token'])
    expect(program.stdout).toMatch(new RegExp(`^${option} +\\[secret\\] +environment$`, 'm'));
  expect(program.stdout + program.stderr).not.toContain('planted');
});

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
