import type { ProgramLog } from '../base/log.ts';
import type { Runtime } from '../base/clock.ts';
import { startHttpServer } from '../http/server.ts';
import { openWebConfigFile } from '../http/web-config.ts';
import { type BuildInfo, SelfMetrics } from '../metrics/self.ts';
import { openStateDirectory } from '../state/state-directory.ts';
import type { ExporterOptions } from './options.ts';
import { openState } from './account.ts';
import { ReloadableInstance, type Reread } from './reload.ts';

export interface ExporterContext {
  readonly runtime: Runtime;
  readonly build: BuildInfo;
  readonly log: ProgramLog;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
  /** Reads the configuration again; rejects with a ConfigError. Absent where it cannot change. */
  readonly reread?: (() => Promise<Reread>) | undefined;
}

export interface RunningExporter {
  /** The URL of the server for a person on this machine. */
  readonly url: string;
  /** Uses a changed configuration. If that is unusable, rejects with a ConfigError and changes nothing. */
  reload(): Promise<void>;
  /** Answers the requests that have begun, then closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the exporter. It sends no request to the service before a scrape, a probe or a visit of the status page.
 *
 * @throws ConfigError when an address, a directory, a file or a secret of the configuration is unusable.
 */
export async function startExporter(
  options: ExporterOptions,
  { runtime, build, log, readFile, reread }: ExporterContext,
): Promise<RunningExporter> {
  const { listenAddress, configFile, maxRequests } = options.web;
  const { clock } = runtime;
  const self = new SelfMetrics(build, log.droppedLines);
  const ended = (isSuccess: boolean): void => self.reloadEnded(isSuccess);
  const webConfig =
    configFile === undefined
      ? undefined
      : await openWebConfigFile(configFile, { readFile, log, ended });
  const directory =
    options.stateDir === undefined
      ? undefined
      : await openStateDirectory(options.stateDir, runtime.newNonce);
  const unused = (await directory?.unused()) ?? [];
  if (unused.length > 0)
    log.info({ files: unused }, 'files of an earlier version in --state.dir are not used any more');
  const instance = new ReloadableInstance({
    runtime,
    build,
    log,
    self,
    state: await openState(runtime, log, directory, options.dayAt),
    reread: reread ?? (() => Promise.resolve({ options })),
    rereadWebConfig: () => webConfig?.reread(),
  });
  async function closeAll(): Promise<void> {
    await instance.close();
    await directory?.close();
  }
  try {
    await instance.use(options);
    const server = await startHttpServer({
      address: listenAddress,
      routes: () => instance.routes,
      webConfig,
      maxRequests,
      log,
      clock,
    });
    const access = webConfig?.current.access;
    log.info({ url: server.url, access, version: build.version }, 'listening');
    const stop = (): Promise<void> => server.stop().then(closeAll);
    return { url: server.url, reload: () => instance.reload(), stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
