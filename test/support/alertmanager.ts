import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './prometheus.ts';
import { RunningProcess } from './running-process.ts';

/** A real Alertmanager. */
export interface RunningAlertmanager {
  readonly process: RunningProcess;
  readonly url: string;
}

/** Starts Alertmanager on a free port; it tells a web hook of everything within a second. */
export async function startAlertmanager(webhookUrl: string): Promise<RunningAlertmanager> {
  const directory = temporaryDirectory();
  const configFile = join(directory, 'alertmanager.yml');
  // JSON is YAML.
  writeFileSync(configFile, JSON.stringify(configOf(webhookUrl)));
  const process = new RunningProcess(
    'prometheus-alertmanager',
    [
      `--config.file=${configFile}`,
      `--storage.path=${join(directory, 'storage')}`,
      '--web.listen-address=127.0.0.1:0',
      // Without peers, and so without a port for them.
      '--cluster.listen-address=',
    ],
    {},
  );
  const address = await process.printed('stderr', /msg="?Listening on"? address=(\S+)/i);
  return { process, url: `http://${address}` };
}

function configOf(webhookUrl: string): object {
  return {
    route: {
      receiver: 'test',
      group_by: ['...'],
      group_wait: '0s',
      group_interval: '1s',
      repeat_interval: '1h',
    },
    receivers: [{ name: 'test', webhook_configs: [{ url: webhookUrl, send_resolved: true }] }],
  };
}
