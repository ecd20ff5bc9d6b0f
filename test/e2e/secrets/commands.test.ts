import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMMANDS as ALL_COMMANDS, nameOf } from '../../../src/commands/commands.ts';
import { RunningProcess, startProgram } from '../../support/running-process.ts';
import { leaksIn, type PlantedService, startPlantedService } from './planted.ts';
import { runCommand } from './run.ts';

interface CommandCase {
  /** The command line, made for this service. */
  readonly line: (service: PlantedService) => readonly string[];
  readonly status: number;
  /** What only a command that did its work prints. */
  readonly proof: RegExp;
  readonly asksService?: boolean;
}

const asks = { status: 0, asksService: true } as const;

/** Every command that ends by itself, and what is no command. */
const COMMANDS: Readonly<Record<string, CommandCase>> = {
  check: { line: () => ['check'], proof: /log-in +ok/, ...asks },
  'check --json': { line: () => ['check', '--json'], proof: /"ok": true/, ...asks },
  devices: { line: () => ['devices'], proof: /Inverter 1/, ...asks },
  'devices --explain': { line: () => ['devices', '--explain'], proof: /pvInputPower/, ...asks },
  readings: { line: () => ['readings'], proof: /\d W\b/, ...asks },
  'readings of a device': {
    line: ({ deviceId }) => ['readings', deviceId],
    proof: /\d W\b/,
    ...asks,
  },
  'settings get': {
    line: ({ deviceId }) => ['settings', 'get', deviceId],
    proof: /^setting +value/,
    ...asks,
  },
  'settings set': {
    line: ({ deviceId }) => ['settings', 'set', deviceId, 'noSuchSetting=1', '--yes'],
    proof: /noSuchSetting/,
    ...asks,
    status: 2,
  },
  history: {
    line: () => ['history', '--from=2024-01-01', '--dry-run'],
    proof: /^1 device of 1 station, /,
    ...asks,
  },
  config: { line: () => ['config'], status: 0, proof: /^password +\[secret\] +environment$/m },
  'config --check': { line: () => ['config', '--check'], status: 0, proof: /is valid/ },
  completion: { line: () => ['completion', 'bash'], status: 0, proof: /complete -F/ },
  'devices --json': { line: () => ['devices', '--json'], proof: /"deviceId"/, ...asks },
  'readings --json': { line: () => ['readings', '--json'], proof: /"metric"/, ...asks },
  'config --json': { line: () => ['config', '--json'], status: 0, proof: /"\[secret\]"/ },
  '--help-all': { line: () => ['--help-all'], status: 0, proof: /SOLAR_PASSWORD/ },
  '--help': { line: () => ['--help'], status: 0, proof: /SOLAR_PASSWORD/ },
  '--version': { line: () => ['--version'], status: 0, proof: /^1\.2\.3$/m },
  'an unknown command': { line: () => ['chekc'], status: 2, proof: /did you mean check\?/ },
  'an unknown flag': { line: () => ['check', '--pasword'], status: 2, proof: /unknown option/ },
  'a flag without its value': { line: () => ['check', '--account'], status: 2, proof: /account/ },
  'a flag of another command': { line: () => ['check', '--yes'], status: 2, proof: /belongs to/ },
  'wrong options everywhere': {
    line: () => ['check', '--cache.max-age=soon', '--time-zone=Mars/Base', '--station='],
    status: 2,
    proof: /is not a duration[\s\S]*is not a time zone|is not a time zone[\s\S]*is not a duration/,
  },
};

describe.each(['json', 'pretty'])(
  'with a log of everything in %s, nothing is shown by',
  (format) => {
    test.each(Object.entries(COMMANDS))(
      '%s',
      async (_name, { line, status, proof, asksService }) => {
        const service = await startPlantedService();
        const logged = [`--log.format=${format}`, '--log.level=trace'];

        const printed = await runCommand([...line(service), ...logged], service.env);

        expect(printed).toMatchObject({ status });
        expect(printed.stdout + printed.stderr).toMatch(proof);
        expect(service.simulator.requests('login')).toBe(asksService === true ? 1 : 0);
        expect(service.signedCount()).toBe(asksService === true ? 1 : 0);
        if (asksService === true) {
          expect(service.tokens.size).toBe(2);
          const renewed = format === 'json' ? '"msg":"session renewed"' : 'INFO: session renewed';
          expect(printed.stderr).toContain(renewed);
        }
        const { stdout, stderr } = printed;
        expect(leaksIn({ stdout, stderr }, service.secrets())).toEqual([]);
      },
    );
  },
);

describe('with real credentials in the environment, nothing is shown by', () => {
  test.each(['simulate', 'demo'])('%s, which does not use them', async (command) => {
    const service = await startPlantedService();
    const addresses = [
      '--simulator.listen-address=127.0.0.1:0',
      '--web.listen-address=127.0.0.1:0',
    ];
    const program = startProgram([command, ...addresses, '--log.level=trace'], service.env);
    await program.printed('stdout', /Stop with/);
    program.kill('SIGTERM');
    await program.exited;

    expect(program.stdout).toContain('http://127.0.0.1:');
    const { stdout, stderr } = program;
    expect(leaksIn({ stdout, stderr }, service.secrets())).toEqual([]);
  });
});

test('no command is left out', () => {
  const covered = [...Object.keys(COMMANDS), 'serve', 'simulate', 'demo'];
  expect(ALL_COMMANDS.length).toBeGreaterThanOrEqual(9);
  for (const command of ALL_COMMANDS) expect(covered).toContain(nameOf(command));
});

test('a service with a certificate that nobody vouches for is told nothing', async () => {
  const pem = (name: string) =>
    readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
  let requestCount = 0;
  const server = createServer(
    { cert: pem('server-ec.pem'), key: pem('server-ec.key') },
    (_request, response) => {
      requestCount += 1;
      response.end('{}');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const service = await startPlantedService();

  const env = { ...service.env, SOLAR_BASE_URL: `https://localhost:${port}` };
  const { status, stdout, stderr } = await runCommand(['check', '--log.level=trace'], env);

  expect(status).toBe(1);
  expect(stdout).toMatch(/log-in +failed +.*(?:CERT|SIGNATURE)/);
  expect(requestCount).toBe(0);
  expect(leaksIn({ stdout, stderr }, service.secrets())).toEqual([]);
});

describe.skipIf(process.platform !== 'linux')('the list of processes', () => {
  test('shows no secret of an exporter that was given all of them', async () => {
    const service = await startPlantedService();
    const cli = new URL('../../../dist/cli.js', import.meta.url).pathname;
    const serve = `exec "${process.execPath}" "${cli}" serve --web.listen-address=127.0.0.1:0`;
    const exporter = new RunningProcess('sh', ['-c', `echo "pid $$"; ${serve}`], service.env);
    const pid = await exporter.printed('stdout', /pid (\d+)/);
    const url = await exporter.printed('stderr', /"url":"([^"]+)"/);
    await (await fetch(`${url}/metrics`)).text();
    expect(service.simulator.requests('login')).toBe(1);

    const shown = Object.fromEntries(
      ['cmdline', 'comm', 'status'].map((name) => [
        name,
        readFileSync(`/proc/${pid}/${name}`, 'utf8'),
      ]),
    );
    expect(shown['cmdline']).toContain('serve');
    expect(leaksIn(shown, service.secrets())).toEqual([]);
    // What it cannot hide from its own user and root.
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain(service.password);
  });
});
