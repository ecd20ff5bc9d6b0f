import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { OPTION_BY_FLAG } from '../../../src/config/options.ts';
import { hasProgram } from '../../support/programs.ts';
import { readCompose } from '../../stack/compose.ts';
import { readText, readYaml, repositoryPath } from '../../stack/repository.ts';

interface Targets {
  readonly static_configs?: readonly { readonly targets: readonly string[] }[];
}

interface PrometheusConfig {
  readonly scrape_configs: readonly (Targets & {
    readonly job_name: string;
    readonly metrics_path?: string;
  })[];
  readonly alerting?: { readonly alertmanagers: readonly Targets[] };
}

const STACK = 'prometheus/prometheus.yml';
const EXAMPLE = 'prometheus/scrape.example.yml';
const FILES = [
  STACK,
  EXAMPLE,
  'prometheus/scrape.fleet.example.yml',
  'prometheus/scrape.shards.example.yml',
  'examples/vmagent/scrape.yml',
  'examples/vmagent/push.yml',
];
const PORT = OPTION_BY_FLAG.get('web.listen-address')?.default;
const PATH = OPTION_BY_FLAG.get('web.telemetry-path')?.default;

const read = (path: string): PrometheusConfig => readYaml(path) as PrometheusConfig;
const targetsOf = ({ static_configs = [] }: Targets) =>
  static_configs.flatMap(({ targets }) => targets);

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test.each(FILES)('accepts %s', (file) => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['check', 'config', repositoryPath(file)],
      { encoding: 'utf8' },
    );
    expect({ status, said: stdout + stderr }).toMatchObject({ status: 0 });
  });
});

test.each([
  { file: STACK, host: 'exporter' },
  { file: EXAMPLE, host: 'localhost' },
])('$file scrapes where the exporter is by default', ({ file, host }) => {
  const [job, ...others] = read(file).scrape_configs;
  expect(others).toEqual([]);
  expect(job?.job_name).toBe('solar');
  expect(job?.metrics_path ?? '/metrics').toBe(PATH);
  expect(job && targetsOf(job)).toEqual([`${host}${PORT}`]);
});

test('the stack names its services as compose.yaml does, at the ports they have there', () => {
  const { scrape_configs, alerting } = read(STACK);
  const addresses = [...scrape_configs, ...(alerting?.alertmanagers ?? [])].flatMap(targetsOf);
  expect(addresses).toHaveLength(2);
  const { services } = readCompose();
  for (const [name = '', port] of addresses.map((address) => address.split(':')))
    expect(services[name]?.ports?.[0]).toMatch(new RegExp(`:${port}$`));
});

test('the rules look for the job that the stack has', () => {
  const jobs = [...readText('prometheus/rules/solar.yml').matchAll(/\bjob="(\w+)"/g)];
  expect(new Set(jobs.map(([, job]) => job))).toEqual(new Set(['solar']));
});
