import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunningPrometheus, temporaryDirectory } from '../support/prometheus.ts';
import { RunningProcess } from '../support/running-process.ts';

/** The text of a configuration, with everything as often as a test can wait for. */
export function inAHurry(configuration: string): string {
  return configuration.replaceAll(
    /\b(scrape_interval|evaluation_interval|refresh_interval): \S+/g,
    '$1: 1s',
  );
}

/** Starts Prometheus with exactly this configuration on a free port; it stops with the test. */
export async function startConfigured(configuration: string): Promise<RunningPrometheus> {
  const directory = temporaryDirectory();
  const configFile = join(directory, 'prometheus.yml');
  writeFileSync(configFile, configuration);
  const process = new RunningProcess(
    'prometheus',
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(directory, 'storage')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    {},
  );
  const address = await process.printed('stderr', /msg="Listening on".* address=(\S+)/);
  await process.printed('stderr', /ready to receive web requests/);
  return new RunningPrometheus(process, `http://${address}`);
}
