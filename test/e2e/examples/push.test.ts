import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readText } from '../../stack/repository.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { hasProgram } from '../../support/programs.ts';
import { inAHurry, temporaryDirectory } from '../../support/prometheus.ts';
import { startBoth } from '../../doors/house.ts';
import { RunningProcess } from '../../support/running-process.ts';
import { startDatabase } from '../../support/victoria-metrics.ts';

const VMAGENT = readText('examples/vmagent/push.yml');
const ALLOY = readText('examples/alloy/push.alloy');
const PASSWORD = 'a-password-of-its-own';

/** The flags that the head of the example shows. */
function documentedFlags(): readonly string[] {
  const [, command = ''] = /^# {3}vmagent ((?:.*\\\n)*.*)$/m.exec(VMAGENT) ?? [];
  return command.split(/\s*\\\n#\s*/);
}

interface House {
  readonly exporterUrl: string;
  readonly databasePort: number;
}

interface RunningAgent {
  readonly process: RunningProcess;
  /** How often it has scraped. */
  readonly scrapes: () => Promise<number>;
}

/** Starts vmagent as the example says, with other addresses and paths; its queue outlives it. */
function agentIn({ exporterUrl, databasePort }: House): () => Promise<RunningAgent> {
  const directory = temporaryDirectory();
  const files = { config: join(directory, 'push.yml'), password: join(directory, 'password') };
  const configuration = inAHurry(VMAGENT).replace('localhost:9877', new URL(exporterUrl).host);
  writeFileSync(files.config, configuration);
  writeFileSync(files.password, `${PASSWORD}\n`);
  const flags = documentedFlags().map((flag) =>
    flag
      .replace('push.yml', files.config)
      .replace('https://prometheus.example.org', `http://127.0.0.1:${databasePort}`)
      .replace('/etc/vmagent/password', files.password)
      .replace('/var/lib/vmagent', join(directory, 'unsent')),
  );
  return async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const own = [`-httpListenAddr=${address}`, '-memory.allowedBytes=128MB'];
    const process = new RunningProcess('vmagent', [...flags, ...own], {});
    await process.printed('stderr', /started vmagent/);
    const scrapes = async (): Promise<number> => {
      const page = await (await fetch(`http://${address}/metrics`)).text();
      return Number(/^vm_promscrape_scrapes_total\{status_code="200"\} (\d+)$/m.exec(page)?.[1]);
    };
    return { process, scrapes };
  };
}

/** The times at which a database has samples of the station, in order. */
async function storedTimes(databaseUrl: string): Promise<readonly number[]> {
  const headers = {
    authorization: `Basic ${Buffer.from(`you:${PASSWORD}`).toString('base64')}`,
  };
  await fetch(`${databaseUrl}/internal/force_flush`, { headers });
  const query = new URLSearchParams({ 'match[]': 'solar_up{job="solar",house="home"}' });
  const response = await fetch(`${databaseUrl}/api/v1/export?${query.toString()}`, { headers });
  expect(response.status).toBe(200);
  const lines = (await response.text()).trim().split('\n').filter(Boolean);
  return lines
    .flatMap((line) => (JSON.parse(line) as { timestamps: readonly number[] }).timestamps)
    .toSorted((one, other) => one - other);
}

describe.skipIf(!hasProgram('vmagent') || !hasProgram('victoria-metrics'))(
  'a real vmagent with the example',
  () => {
    test('delivers what it scraped while the line was down, also over its own restart', async () => {
      const exporter = await startBoth({ now: '2024-01-02T04:00:00Z' });
      await exporter.scrape();
      const databasePort = await freePort();
      const storage = temporaryDirectory();
      const startReceiver = () =>
        startDatabase(
          databasePort,
          storage,
          '-httpAuth.username=you',
          `-httpAuth.password=${PASSWORD}`,
        );
      const startAgent = agentIn({ exporterUrl: exporter.url, databasePort });

      const before = await startReceiver();
      const agent = await startAgent();
      await eventually(async () => {
        expect((await storedTimes(before.url)).length).toBeGreaterThan(0);
      });
      before.process.kill('SIGTERM');
      await before.process.exited;
      const downSinceMs = Date.now();

      // It cannot send any more, and goes on to scrape.
      const scraped = await agent.scrapes();
      await eventually(async () => {
        expect(await agent.scrapes()).toBeGreaterThan(scraped + 1);
      });
      agent.process.kill('SIGTERM');
      await agent.process.exited;
      await startAgent();
      const upSinceMs = Date.now();
      const after = await startReceiver();

      await eventually(async () => {
        const times = await storedTimes(after.url);
        expect(times.some((atMs) => atMs < downSinceMs)).toBe(true);
        expect(times.some((atMs) => atMs > downSinceMs && atMs < upSinceMs)).toBe(true);
        expect(times.some((atMs) => atMs > upSinceMs)).toBe(true);
      });
    });
  },
);

describe('the examples for a house that nobody can reach', () => {
  test('scrape the exporter alone, by the name that the rules know', () => {
    const { scrape_configs: jobs } = parse(VMAGENT) as { scrape_configs: readonly object[] };
    expect(jobs).toEqual([
      {
        job_name: 'solar',
        scrape_interval: '30s',
        static_configs: [{ targets: ['localhost:9877'] }],
      },
    ]);
    for (const said of ['job_name        = "solar"', 'scrape_interval = "30s"', '"localhost:9877"'])
      expect(ALLOY).toContain(said);
  });

  test('take the password from a file, and encrypt the way', () => {
    for (const text of [VMAGENT, ALLOY]) {
      expect(text).toMatch(/passwordFile=\/|password_file = "\//);
      expect(text).toContain('https://prometheus.example.org/api/v1/write');
      expect(text).not.toMatch(/\bpassword *=/);
    }
  });

  test('have as many closing as opening braces, and no comma missing, in Alloy', () => {
    const code = ALLOY.replaceAll(/^\s*\/\/.*$/gm, '');
    expect(code.split('{').length).toBe(code.split('}').length);
    expect(code.split('[').length).toBe(code.split(']').length);
    // A block, its end, an assignment, or nothing.
    for (const line of code.split('\n'))
      expect(line).toMatch(
        /^(?:\s*|[\w.]+ "\w+" \{|\s+\w+ \{|\s*\}|\s+\w+\s+= (?:"[^"]*"|[[{].*[\]}]))$/,
      );
  });
});
