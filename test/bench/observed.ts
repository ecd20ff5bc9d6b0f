import { ENDPOINTS } from '../../src/client/endpoints.ts';
import type { ObservedRequest } from './programs/observe-requests.ts';
import type { Usage } from './programs/observe-usage.ts';
import { benchProgram, CLI, type RunningProgram, startNode } from './processes.ts';

/** A request that a service has answered, with the name of its endpoint. */
export interface NamedRequest extends ObservedRequest {
  readonly endpoint: string;
}

const NAMES = new Map<string, string>(
  Object.entries(ENDPOINTS).map(([name, { path }]) => [path, name]),
);

/** A simulated service in a process of its own, which tells what it was asked. */
export interface ObservedService extends RunningProgram {
  /** The requests since the last call, in the order of their answers. */
  requests(): Promise<readonly NamedRequest[]>;
}

/** An exporter in a process of its own, which tells what it used. */
export interface ObservedExporter extends RunningProgram {
  /** What it used while `work` ran. */
  during(work: () => Promise<unknown>): Promise<Usage>;
}

/** Starts the simulated service with these options. */
export async function startService(
  devices: number,
  ...args: readonly string[]
): Promise<ObservedService> {
  const program = await startObserved('observe-requests', [
    'simulate',
    '--simulator.listen-address=127.0.0.1:0',
    `--simulator.devices=${devices}`,
    ...args,
  ]);
  return {
    ...program,
    requests: async () => {
      const observed = (await program.ask('requests')) as readonly ObservedRequest[];
      return observed.map((it) => ({ ...it, endpoint: NAMES.get(it.path) ?? it.path }));
    },
  };
}

/** Starts an exporter that reads a service. */
export async function startExporter(
  service: RunningProgram,
  ...args: readonly string[]
): Promise<ObservedExporter> {
  const listen = '--web.listen-address=127.0.0.1:0';
  const program = await startObserved(
    'observe-usage',
    ['serve', listen, ...args],
    service.environment,
  );
  return {
    ...program,
    during: async (work) => {
      await program.ask('begin');
      await work();
      return (await program.ask('end')) as Usage;
    },
  };
}

function startObserved(
  observer: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningProgram> {
  const load = ['--import', benchProgram(observer)];
  return startNode([...load, CLI, ...args], { environment, hasChannel: true });
}
