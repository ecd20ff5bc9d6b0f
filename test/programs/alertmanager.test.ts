import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildDashboard } from '../../grafana/dashboard.ts';
import { startAlertmanager, startWebhook } from '../support/alertmanager.ts';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { readText, readYaml, repositoryPath } from '../support/repository.ts';
import { readAlertExpectations, readRules } from '../support/rule-files.ts';

const FILE = 'prometheus/alertmanager.yml';
const TEXT = readText(FILE);
const ALERT_RULES = readRules().filter(({ alert }) => alert !== undefined);

/** Writes a configuration beside the templates that it names. */
function written(configuration: string): string {
  const directory = temporaryDirectory();
  const file = join(directory, 'alertmanager.yml');
  writeFileSync(file, configuration);
  copyFileSync(repositoryPath('prometheus/solar.tmpl'), join(directory, 'solar.tmpl'));
  return file;
}

describe('the example for Alertmanager', () => {
  test('tells nobody until its owner says whom, and names secrets by their files', () => {
    const { route } = readYaml(FILE) as { route: { receiver: string } };
    expect(route.receiver).toBe('nobody');
    expect(TEXT).toContain('  - name: nobody\n');
    expect(TEXT).not.toMatch(/^[^#]*(password|token|credentials): /m);
  });

  test('names only alerts that the rules have, and has a route for every severity', () => {
    const names = ALERT_RULES.map(({ alert }) => alert);
    expect(names).toEqual(expect.arrayContaining(TEXT.match(/\bSolar\w+/g) ?? ['none']));
    const { route } = readYaml(FILE) as { route: { routes: { matchers: string[] }[] } };
    expect(new Set(route.routes.flatMap(({ matchers }) => matchers))).toEqual(
      new Set(ALERT_RULES.map(({ labels }) => `severity="${labels?.['severity']}"`)),
    );
  });

  test('has messages that lead to the dashboard that there is', () => {
    const [, uid] = /localhost:3000\/d\/([\w-]+)/.exec(readText('prometheus/solar.tmpl')) ?? [];
    expect(uid).toBe(buildDashboard().uid);
    expect(TEXT).toContain(`/d/${uid}`);
  });

  test.skipIf(!hasProgram('amtool')).each([
    { state: 'as it is', text: TEXT },
    {
      state: 'with every comment in force',
      // The oldest Alertmanager that this is checked with knows no file for the token.
      text: TEXT.replaceAll(/^( *)#( {2}|[^ ])/gm, '$1$2').replace(
        /bot_token_file: .*/,
        'bot_token: x',
      ),
    },
  ])('is accepted by amtool $state', ({ text }) => {
    const { status, stdout, stderr } = spawnSync('amtool', ['check-config', written(text)], {
      encoding: 'utf8',
    });
    expect({ status, said: stdout + stderr }).toMatchObject({ status: 0 });
  });
});

describe.skipIf(!hasProgram('prometheus-alertmanager'))('a real Alertmanager', () => {
  test('delivers an alert, and keeps back the one that follows from it', async () => {
    const webhook = await startWebhook();
    const configuration = TEXT.replace('receiver: nobody', 'receiver: ntfy')
      .replace('https://ntfy.sh/your-topic', webhook.url)
      .replaceAll(/group_(wait|interval): \S+/g, 'group_$1: 1s');
    const alertmanager = await startAlertmanager(written(configuration));
    const expectations = readAlertExpectations();
    const [critical] = expectations.flatMap(({ alertname, exp_alerts: alerts }) =>
      alertname === 'SolarBatteryCritical' ? (alerts as readonly ExpectedAlert[]) : [],
    );
    const labels = { alertname: 'SolarBatteryCritical', ...critical?.exp_labels };
    const low = { ...labels, alertname: 'SolarBatteryLow', severity: 'warning' };
    await alertmanager.send([
      { labels, annotations: { ...critical?.exp_annotations } },
      { labels: low },
      // Of another device, it follows from nothing.
      { labels: { ...low, device_id: 'another' } },
    ]);

    await eventually(() => {
      const told = webhook.alerts.map((alert) => `${alert.labels['alertname']} ${alert.status}`);
      expect(new Set(told)).toEqual(
        new Set(['SolarBatteryCritical firing', 'SolarBatteryLow firing']),
      );
    });
    const [delivered] = webhook.alerts.filter((alert) => alert.labels['severity'] === 'critical');
    expect(delivered?.annotations).toEqual(critical?.exp_annotations);
    const held = await alertmanager.alerts();
    expect(held.find(({ status }) => status.state === 'suppressed')?.labels).toEqual(low);
    expect(webhook.alerts).not.toContainEqual(expect.objectContaining({ labels: low }));
  });
});

interface ExpectedAlert {
  readonly exp_labels: Readonly<Record<string, string>>;
  readonly exp_annotations: Readonly<Record<string, string>>;
}
