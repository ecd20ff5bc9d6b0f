import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildDashboard } from '../../../grafana/dashboard.ts';
import { readAlertExpectations } from '../../prometheus/rule-files.ts';
import { readText, readYaml, repositoryPath } from '../../stack/repository.ts';
import { type SentAlert, startAlertmanager } from '../../support/alertmanager.ts';
import { eventually } from '../../support/eventually.ts';
import { startInbox, type TakenRequest } from '../../support/http-inbox.ts';
import { readMail, startMailbox } from '../../support/mailbox.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { identity } from '../../support/tls-harness.ts';

const SECRET = 'a-secret-of-its-own';
const TEMPLATES = 'prometheus/solar.tmpl';
const PRESETS = ['email', 'telegram', 'ntfy'].map((name) => `prometheus/alertmanager.${name}.yml`);
const RUNBOOK =
  'https://github.com/solar-exporter/solar-exporter/blob/main/docs/alerts.md#solarbatterycritical';
const DASHBOARD = 'http://localhost:3000/d/solar-exporter';

/** Nearly empty at three in the morning, as the rules word it. */
function nearlyEmpty(): SentAlert {
  const { exp_alerts: alerts } =
    readAlertExpectations().find(
      ({ alertname, exp_alerts: expected }) =>
        alertname === 'SolarBatteryCritical' && expected.length > 0,
    ) ?? expect.fail('no battery is ever nearly empty');
  const [alert] = alerts as readonly [{ exp_labels: object; exp_annotations: object }];
  return {
    labels: { alertname: 'SolarBatteryCritical', ...alert.exp_labels },
    annotations: { ...alert.exp_annotations },
    startsAt: '2026-11-22T02:00:00.000Z',
  };
}

/** The same alert, over by morning. */
function charged(): SentAlert {
  return { ...nearlyEmpty(), endsAt: '2026-11-22T08:30:00.000Z' };
}

/** A preset whose owner has filled in its line: nothing else of it changes but how long it waits. */
function filledIn(preset: string, line: readonly [string, string]): string {
  const text = readText(preset).replaceAll(/group_(wait|interval): \S+/g, 'group_$1: 1s');
  const lines = text.split('\n');
  const marked = lines.findIndex((candidate) => candidate.includes('↓ Fill in'));
  expect(lines[marked + 1]).toContain(line[0]);
  expect(text.split('↓ Fill in')).toHaveLength(2);
  lines[marked + 1] = (lines[marked + 1] ?? '').replace(...line);
  return lines.join('\n');
}

/** Starts Alertmanager with a preset, beside the template and the secret, in the time zone of its owner. */
function startPreset(configuration: string, env: Readonly<Record<string, string>> = {}) {
  const directory = temporaryDirectory();
  const configFile = join(directory, 'alertmanager.yml');
  const secretFile = join(directory, 'secret');
  writeFileSync(secretFile, SECRET);
  writeFileSync(configFile, configuration.replaceAll('/run/secrets/alertmanager', secretFile));
  copyFileSync(repositoryPath(TEMPLATES), join(directory, 'solar.tmpl'));
  return startAlertmanager(configFile, { TZ: 'Europe/Berlin', ...env });
}

describe.skipIf(!hasProgram('prometheus-alertmanager'))('a real Alertmanager', () => {
  test('sends e-mail that says at night what to do', async () => {
    const mailbox = await startMailbox(identity('server-rsa'));
    const configuration = filledIn('prometheus/alertmanager.email.yml', [
      "you@example.org, smtp_smarthost: 'smtp.example.org:587'",
      `anna@example.org, smtp_smarthost: '${mailbox.address}'`,
    ]);
    const trusted = { SSL_CERT_FILE: repositoryPath('test/fixtures/tls/server-rsa.pem') };
    const alertmanager = await startPreset(configuration, trusted);
    await alertmanager.send([nearlyEmpty()]);
    const mail = await eventually(() => mailbox.mails[0] ?? expect.fail('no mail yet'));

    expect(mail).toMatchObject({
      isEncrypted: true,
      login: `anna@example.org:${SECRET}`,
      from: 'anna@example.org',
      to: ['anna@example.org'],
    });
    expect(readMail(mail)).toEqual({
      subject: 'CRITICAL: Battery of Roof is nearly empty: 9%',
      text: [
        'Battery of Roof is nearly empty: 9%',
        '',
        'The battery of device 11 at Home is at 9%: the house goes dark when it is empty and there is no grid.',
        'Since 03:00 on Sunday, 22 November (CET).',
        '',
        'What to do: Switch off what you do not need. Start a generator, or let the grid charge the battery.',
        RUNBOOK,
        '',
        `Dashboard: ${DASHBOARD}`,
      ].join('\n'),
    });

    await alertmanager.send([charged()]);
    const over = await eventually(() => mailbox.mails[1] ?? expect.fail('not over yet'));
    expect(readMail(over)).toEqual({
      subject: 'Over: Battery of Roof is nearly empty: 9%',
      text: [
        'Over since 09:30 on Sunday, 22 November (CET):',
        'Battery of Roof is nearly empty: 9%',
        '',
        `Dashboard: ${DASHBOARD}`,
      ].join('\n'),
    });
  });

  test('writes by Telegram, whatever a device is called', async () => {
    const telegram = await startInbox({ ok: true, result: { message_id: 1, chat: { id: 7 } } });
    const configuration = filledIn('prometheus/alertmanager.telegram.yml', [
      'chat_id: 1',
      'chat_id: 4711',
    ])
      .replace('chat_id', `api_url: ${telegram.url}\n        chat_id`)
      // What the head of the file says for an Alertmanager as old as the one that the tests have.
      .replace('bot_token_file: /run/secrets/alertmanager', `bot_token: ${SECRET}`);
    const alertmanager = await startPreset(configuration);
    const { annotations = {}, ...rest } = nearlyEmpty();
    const summary = annotations['summary']?.replace('Roof', '<b>Roof</b> & co');
    await alertmanager.send([{ ...rest, annotations: { ...annotations, summary: summary ?? '' } }]);
    const { url, body } = await eventually(
      () => telegram.requests[0] ?? expect.fail('no message yet'),
    );

    expect(url.pathname).toBe(`/bot${SECRET}/sendMessage`);
    expect(JSON.parse(body)).toMatchObject({
      chat_id: '4711',
      parse_mode: 'HTML',
      text: [
        '🔴 <b>Battery of &lt;b&gt;Roof&lt;/b&gt; &amp; co is nearly empty: 9%</b>',
        '',
        'The battery of device 11 at Home is at 9%: the house goes dark when it is empty and there is no grid.',
        'Since 03:00 on Sunday, 22 November (CET).',
        '',
        '<b>What to do:</b> Switch off what you do not need. Start a generator, or let the grid charge the battery.',
        `<a href="${RUNBOOK}">More about this alert</a>`,
        '',
        `<a href="${DASHBOARD}">Dashboard</a>`,
      ].join('\n'),
    });

    await alertmanager.send([charged()]);
    const over = await eventually(() => telegram.requests[1] ?? expect.fail('not over yet'));
    expect(JSON.parse(over.body)).toMatchObject({
      text: [
        '🟢 <b>Over</b> since 09:30 on Sunday, 22 November (CET): Battery of Roof is nearly empty: 9%',
        '',
        `<a href="${DASHBOARD}">Dashboard</a>`,
      ].join('\n'),
    });
  });

  test.runIf(hasProgram('amtool'))('makes a phone ring by ntfy', async () => {
    const ntfy = await startInbox({});
    const configuration = filledIn('prometheus/alertmanager.ntfy.yml', [
      'https://ntfy.sh/your-topic',
      `${ntfy.url}/roof-9b1c`,
    ]);
    const alertmanager = await startPreset(configuration);
    await alertmanager.send([nearlyEmpty()]);
    const request = await eventually(() => ntfy.requests[0] ?? expect.fail('no message yet'));

    expect(request.url.pathname).toBe('/roof-9b1c');
    expect(request.headers.authorization).toBeUndefined();
    expect(asNtfyShows(request)).toEqual({
      title: 'CRITICAL: Battery of Roof is nearly empty: 9%',
      message: [
        'The battery of device 11 at Home is at 9%: the house goes dark when it is empty and there is no grid.',
        'Since 02:00 UTC.',
        '',
        'What to do: Switch off what you do not need. Start a generator, or let the grid charge the battery.',
        RUNBOOK,
      ].join('\n'),
      priority: '5',
      click: DASHBOARD,
    });

    await alertmanager.send([charged()]);
    const over = await eventually(() => ntfy.requests[1] ?? expect.fail('not over yet'));
    expect(asNtfyShows(over)).toEqual({
      title: 'Over: Battery of Roof is nearly empty: 9%',
      message: 'Over since 08:30 UTC: Battery of Roof is nearly empty: 9%',
      priority: '2',
      click: DASHBOARD,
    });
  });

  test('shows a server of your own the token that it wants', async () => {
    const ntfy = await startInbox({});
    const configuration = filledIn('prometheus/alertmanager.ntfy.yml', [
      'https://ntfy.sh/your-topic',
      `${ntfy.url}/roof`,
    ]).replace('#http_config', 'http_config');
    const alertmanager = await startPreset(configuration);
    await alertmanager.send([nearlyEmpty()]);
    const { headers } = await eventually(() => ntfy.requests[0] ?? expect.fail('none yet'));
    expect(headers.authorization).toBe(`Bearer ${SECRET}`);
  });
});

/**
 * What ntfy shows of a request. Its templates are those of Go and know the JSON by its own names, where amtool
 * knows the same JSON by the names of its Go types: so those are put in.
 */
function asNtfyShows({ url: { searchParams }, body }: TakenRequest): object {
  expect(searchParams.get('template')).toBe('yes');
  const file = join(temporaryDirectory(), 'message.json');
  writeFileSync(file, body);
  const rendered = (name: string): string => {
    const template = (searchParams.get(name) ?? '')
      .replaceAll(/\.(starts|ends)At/g, '(.$1At.UTC.Format "2006-01-02T15:04:05Z07:00")')
      .replaceAll(/\.(?=(?:status|alerts|labels|annotations|startsAt|endsAt)\b)(\w)/g, (found) =>
        found.toUpperCase(),
      );
    const arguments_ = ['template', 'render', `--template.data=${file}`];
    const glob = `--template.glob=${repositoryPath(TEMPLATES)}`;
    return execFileSync('amtool', [...arguments_, glob, `--template.text=${template}`], {
      encoding: 'utf8',
    })
      .replaceAll(String.raw`\n`, '\n')
      .trim();
  };
  return {
    title: rendered('title'),
    message: rendered('message'),
    priority: rendered('priority'),
    click: searchParams.get('click'),
  };
}

test.each(PRESETS)(
  '%s sends the same alerts, at the same times, as the file of the stack',
  (path) => {
    const { route, inhibit_rules: rules } = readYaml('prometheus/alertmanager.yml') as Preset;
    expect(readYaml(path)).toMatchObject({ route, inhibit_rules: rules });
  },
);

test.each(PRESETS)('%s names no secret but by its file', (path) => {
  expect(readText(path)).not.toMatch(/^[^#]*(password|token|credentials): /m);
  expect(readText(path)).toContain('_file: /run/secrets/alertmanager');
});

test('the messages lead to the dashboard that there is', () => {
  expect(DASHBOARD).toMatch(new RegExp(`/d/${buildDashboard().uid}$`));
});

interface Preset {
  readonly route: object;
  readonly inhibit_rules: readonly object[];
}
