import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { readText, readYaml, repositoryPath } from '../../stack/repository.ts';
import { startAlertmanager } from '../../support/alertmanager.ts';

const FILE = 'prometheus/alertmanager.yml';
const DEVICE = { station_id: '1', device_id: '11' };
/** Two accounts know a device by these ids. */
const NAMESAKE = { station_id: '2', device_id: '21' };
const ROOF = { job: 'solar', instance: 'several', account: 'roof' };
const EXPORTER = { job: 'solar', instance: 'exporter:9877' };

interface Rule {
  readonly alert?: string;
  readonly labels?: { readonly severity?: string };
}

const { groups } = readYaml('prometheus/rules/solar.yml') as {
  groups: readonly { rules: readonly Rule[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules.filter(({ alert }) => alert !== undefined));

/** The configuration with all its examples in force: what is commented out has to work as well. */
function withExamples(): string {
  return (
    readText(FILE)
      .replaceAll(/^( *)#([^ ]| {2})/gm, '$1$2')
      // Files for these two are newer than the oldest Alertmanager this is checked with.
      .replaceAll(/(user_key|token)_file: .*/g, '$1: made-up')
  );
}

/** What amtool says of a configuration. */
function check(configuration: string) {
  const file = join(temporaryDirectory(), 'alertmanager.yml');
  writeFileSync(file, configuration);
  const { status, stdout, stderr } = spawnSync('amtool', ['check-config', file], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

test('names only alerts that the rules have', () => {
  const named = readText(FILE).match(/\bSolar\w+/g) ?? [];
  expect(named.length).toBeGreaterThan(0);
  expect(alerts.map(({ alert }) => alert)).toEqual(expect.arrayContaining(named));
});

test('has a route for every severity that the rules give', () => {
  const { route } = readYaml(FILE) as { route: { routes: { matchers: string[] }[] } };
  const routed = route.routes.flatMap(({ matchers }) => matchers);
  const given = new Set(alerts.map(({ labels }) => `severity="${labels?.severity}"`));
  expect(new Set(routed)).toEqual(given);
});

test('tells nobody anything until its owner says whom', () => {
  expect(readYaml(FILE)).toMatchObject({ receivers: [{ name: 'owner' }] });
  expect(Object.keys((readYaml(FILE) as { receivers: object[] }).receivers[0] ?? {})).toEqual([
    'name',
  ]);
});

describe.skipIf(!hasProgram('amtool'))('amtool', () => {
  test('accepts the configuration as it is', () => {
    expect(check(readText(FILE))).toMatchObject({ status: 0 });
  });

  test('accepts it with every example in force', () => {
    const { receivers } = parse(withExamples()) as { receivers: object[] };
    expect(Object.keys(receivers[0] ?? {})).toHaveLength(3);
    expect(check(withExamples())).toMatchObject({ status: 0 });
  });
});

describe.skipIf(!hasProgram('prometheus-alertmanager'))('a real Alertmanager', () => {
  test('keeps back what another alert already says', async () => {
    const alertmanager = await startAlertmanager(repositoryPath(FILE));
    const causes = [
      { alertname: 'SolarBatteryCritical', severity: 'critical', ...DEVICE },
      { alertname: 'SolarDeviceNotReporting', severity: 'warning', ...DEVICE },
      { alertname: 'SolarReauthenticationRequired', severity: 'critical', ...EXPORTER },
      { alertname: 'SolarExporterDown', severity: 'critical', job: 'solar', instance: 'second' },
      {
        alertname: 'SolarRequestBudgetUsedUp',
        severity: 'warning',
        job: 'solar',
        instance: 'third',
      },
      // Of an exporter of several accounts.
      { alertname: 'SolarBatteryCritical', severity: 'critical', account: 'roof', ...NAMESAKE },
      { alertname: 'SolarReauthenticationRequired', severity: 'critical', ...ROOF },
    ];
    const consequences = [
      { alertname: 'SolarBatteryLow', severity: 'warning', ...DEVICE },
      { alertname: 'SolarBatteryRuntimeShort', severity: 'warning', ...DEVICE },
      { alertname: 'SolarReadingStale', severity: 'warning', ...DEVICE },
      { alertname: 'SolarCollectorFailing', severity: 'warning', station_id: '1', ...EXPORTER },
      { alertname: 'SolarTokenExpiring', severity: 'warning', ...EXPORTER },
      { alertname: 'SolarLoginBlocked', severity: 'warning', job: 'solar', instance: 'second' },
      { alertname: 'SolarTokenExpiring', severity: 'warning', job: 'solar', instance: 'third' },
      { alertname: 'SolarBatteryLow', severity: 'warning', account: 'roof', ...NAMESAKE },
      { alertname: 'SolarTokenExpiring', severity: 'warning', ...ROOF },
    ];
    const others = [
      { alertname: 'SolarBatteryLow', severity: 'warning', station_id: '1', device_id: '12' },
      { alertname: 'SolarTokenExpiring', severity: 'warning', job: 'solar', instance: 'other' },
      { alertname: 'SolarGridOutage', severity: 'warning', ...DEVICE },
      { alertname: 'SolarBatteryLow', severity: 'warning', account: 'annex', ...NAMESAKE },
      { alertname: 'SolarTokenExpiring', severity: 'warning', ...ROOF, account: 'annex' },
    ];
    await alertmanager.raise([...causes, ...consequences, ...others]);

    await eventually(async () => {
      const held = await alertmanager.alerts();
      const inState = (state: string) =>
        held.filter(({ status }) => status.state === state).map(({ labels }) => labels);
      expect(new Set(inState('suppressed'))).toEqual(new Set(consequences));
      expect(new Set(inState('active'))).toEqual(new Set([...causes, ...others]));
    });
  });
});
