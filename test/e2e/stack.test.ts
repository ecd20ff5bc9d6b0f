import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { inAHurry, startConfigured, temporaryDirectory } from '../support/prometheus.ts';
import { readText, repositoryPath } from '../stack/repository.ts';
import { startAlertmanager } from '../support/alertmanager.ts';
import { hasProgram } from '../support/programs.ts';
import { startProgram } from '../support/running-process.ts';

const PROGRAMS = ['prometheus', 'prometheus-alertmanager'];

/** Writes the rules, whose slowest group would be evaluated a quarter of an hour after the start. */
function rulesInAHurry(): string {
  const rules = readText('prometheus/rules/solar.yml');
  const hurried = rules.replaceAll(/interval: \d+m$/gm, 'interval: 1s');
  expect(hurried).not.toBe(rules);
  const path = join(temporaryDirectory(), 'solar.yml');
  writeFileSync(path, hurried);
  return path;
}

/** An answer of Prometheus. */
async function ask(url: string, path: string): Promise<unknown> {
  const response = await fetch(url + path);
  return ((await response.json()) as { data: unknown }).data;
}

/** The demo, a real Alertmanager and a real Prometheus, each with the file of the stack. */
async function startStack() {
  const demo = startProgram([
    'demo',
    '--web.listen-address=127.0.0.1:0',
    '--simulator.listen-address=127.0.0.1:0',
  ]);
  const exporter = await demo.printed('stdout', /metrics +http:\/\/([^/\s]+)/);
  const alertmanager = await startAlertmanager(repositoryPath('prometheus/alertmanager.yml'));
  const configuration = inAHurry(readText('prometheus/prometheus.yml'))
    .replace('exporter:9877', exporter)
    .replace('alertmanager:9093', new URL(alertmanager.url).host)
    .replace('rules/solar.yml', rulesInAHurry());
  return { alertmanager, prometheus: await startConfigured(configuration) };
}

describe.skipIf(!PROGRAMS.every(hasProgram))('the stack without its containers', () => {
  test('scrapes the demo, evaluates every rule, and knows where alerts go', async () => {
    const { alertmanager, prometheus } = await startStack();

    await eventually(async () => {
      expect(await prometheus.query('up')).toEqual([
        // By the address that a browser outside the containers can open.
        { metric: { __name__: 'up', job: 'solar', instance: 'localhost:9877' }, value: 1 },
      ]);
      expect(await prometheus.query('solar_battery_soc_ratio')).toHaveLength(1);
      expect(await prometheus.query('solar:battery_soc_fresh:ratio')).toHaveLength(1);
    });

    await eventually(async () => {
      const { groups } = (await ask(prometheus.url, '/api/v1/rules')) as {
        groups: readonly { rules: readonly { name: string; health: string }[] }[];
      };
      const rules = groups.flatMap((group) => group.rules);
      const written = readText('prometheus/rules/solar.yml').match(/^ +- (alert|record):/gm);
      expect(rules).toHaveLength(written?.length ?? 0);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    });

    await eventually(async () => {
      expect(await ask(prometheus.url, '/api/v1/alertmanagers')).toMatchObject({
        activeAlertmanagers: [{ url: `${alertmanager.url}/api/v2/alerts` }],
        droppedAlertmanagers: [],
      });
    });
  });
});
