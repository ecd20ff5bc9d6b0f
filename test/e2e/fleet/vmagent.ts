import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { RunningProcess } from '../../support/running-process.ts';

/** A target that a vmagent scrapes. */
export interface AgentTarget {
  readonly labels: Readonly<Record<string, string>>;
  readonly health: string;
  readonly scrapeUrl: string;
}

export interface AgentSetup {
  readonly configuration: string;
  /** Where it writes: a VictoriaMetrics. */
  readonly databaseUrl: string;
  readonly memberNumber: number;
  readonly membersCount: number;
}

/** Starts a real vmagent as one of several; it stops with the test. */
export async function startAgent({
  configuration,
  databaseUrl,
  memberNumber,
  membersCount,
}: AgentSetup): Promise<{ targets: () => Promise<readonly AgentTarget[]> }> {
  const directory = temporaryDirectory();
  const configFile = join(directory, 'scrape.yml');
  writeFileSync(configFile, configuration);
  const port = await freePort();
  const process = new RunningProcess(
    'vmagent',
    [
      `-promscrape.config=${configFile}`,
      '-promscrape.config.strictParse=true',
      '-promscrape.httpSDCheckInterval=5s',
      `-promscrape.cluster.membersCount=${membersCount}`,
      `-promscrape.cluster.memberNum=${memberNumber}`,
      `-remoteWrite.url=${databaseUrl}/api/v1/write`,
      `-remoteWrite.tmpDataPath=${join(directory, 'unsent')}`,
      `-httpListenAddr=127.0.0.1:${port}`,
      '-memory.allowedBytes=128MB',
    ],
    {},
  );
  const url = `http://127.0.0.1:${port}`;
  await process.printed('stderr', /started vmagent/);
  const targets = async (): Promise<readonly AgentTarget[]> => {
    const response = await fetch(`${url}/api/v1/targets?state=active`);
    const { data } = (await response.json()) as {
      data: { activeTargets: readonly AgentTarget[] };
    };
    return data.activeTargets;
  };
  await eventually(targets);
  return { targets };
}
