import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildDashboard } from '../../grafana/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import { startAlertmanager, temporaryDirectory } from '../support/prometheus.ts';
import { readText, readYaml, repositoryPath } from '../support/repository.ts';
import { ALERT_RULES, ALERTS, readAlertExpectations } from '../support/rules.ts';

const FILE = 'prometheus/alertmanager.yml';
const TEXT = readText(FILE);

/** Writes a configuration beside the templates that it names. */
function written(configuration: string): string {
  const directory = temporaryDirectory();
  const file = join(directory, 'alertmanager.yml');
  writeFileSync(file, configuration);
  copyFileSync(repositoryPath('prometheus/solar.tmpl'), join(directory, 'solar.tmpl'));
  return file;
}

describe('the example for Alertmanager', () => {
  test('tells nobody until its owner says whom, and has no secrets', () => {
    const { route } = readYaml(FILE) as { route: { receiver: string } };
    expect(route.receiver).toBe('nobody');
    expect(TEXT).toContain('  - name: nobody\n');
    expect(TEXT).not.toMatch(/^[^#]*(password|token|credentials): /m);
  });

  test('names only alerts that there are, and routes every severity', () => {
    expect(ALERTS).toEqual(expect.arrayContaining(TEXT.match(/\bSolar\w+/g) ?? ['none']));
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

/** An alert, as Prometheus sends it and as Alertmanager tells of it. */
interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Starts a web hook that goes with the test, and keeps every alert of every message, in order. */
async function startWebhook() {
  const told: (Alert & { readonly status: string })[] = [];
  const server = createServer((request, response) => {
    void json(request).then((message) => {
      told.push(...(message as { alerts: typeof told }).alerts);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, told };
}

describe.skipIf(!hasProgram('prometheus-alertmanager'))('a real Alertmanager', () => {
  test('delivers an alert, and keeps back the one that follows from it', async () => {
    const { url, told } = await startWebhook();
    const configuration = TEXT.replace('receiver: nobody', 'receiver: ntfy')
      .replace('https://ntfy.sh/your-topic', url)
      .replaceAll(/group_(wait|interval): \S+/g, 'group_$1: 1s');
    const alerts = `${await startAlertmanager(written(configuration))}/api/v2/alerts`;
    const [critical] = readAlertExpectations().flatMap(({ alertname, exp_alerts: expected }) =>
      alertname === 'SolarBatteryCritical'
        ? (expected as readonly { readonly exp_labels: object; readonly exp_annotations: object }[])
        : [],
    );
    const annotations = { ...critical?.exp_annotations };
    const labels = { alertname: 'SolarBatteryCritical', ...critical?.exp_labels };
    const low = { ...labels, alertname: 'SolarBatteryLow', severity: 'warning' };
    // Of another device, it follows from nothing.
    const another = { ...low, device_id: 'another' };
    const { status } = await fetch(alerts, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ labels, annotations }, { labels: low }, { labels: another }]),
    });
    expect(status).toBe(200);

    await eventually(() => {
      const names = told.map((alert) => `${alert.labels['alertname']} ${alert.status}`);
      expect(new Set(names)).toEqual(
        new Set(['SolarBatteryCritical firing', 'SolarBatteryLow firing']),
      );
    });
    const [delivered] = told.filter((alert) => alert.labels['severity'] === 'critical');
    expect(delivered?.annotations).toEqual(annotations);
    const held = await (await fetch(`${alerts}?active=false&inhibited=true`)).json();
    expect(held).toMatchObject([{ labels: low, status: { state: 'suppressed' } }]);
    expect(told).not.toContainEqual(expect.objectContaining({ labels: low }));
  });
});
