import type { AssemblyOptions } from './assembly.ts';
import { type ListenAddress, startHttpServer } from './http/server.ts';
import { describeWebConfig } from './http/web-config/describe-web-config.ts';
import { openWebConfigFile } from './http/web-config/web-config-file.ts';
import { LiveAssembly, type Reread } from './live-assembly.ts';
import type { Logger } from './log.ts';
import { SelfMetrics } from './metrics/self.ts';
import type { BuildInfo } from './metrics/status-samples.ts';
import { openStateDirectory } from './state/state-directory.ts';
import type { Surroundings } from './surroundings.ts';

/** The part of the configuration that the exporter needs. */
export interface ExporterOptions extends AssemblyOptions {
  readonly stateDir?: string | undefined;
  readonly web: AssemblyOptions['web'] & {
    readonly listenAddress: ListenAddress;
    readonly configFile?: string | undefined;
    readonly maxRequests: number;
  };
}

/** What the exporter needs beside its configuration. */
export interface ExporterContext {
  readonly surroundings: Surroundings;
  readonly build: BuildInfo;
  readonly log: Logger;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
  /** Reads the configuration anew; rejects with a ConfigError. Absent where it cannot change. */
  readonly reread?: (() => Promise<Reread>) | undefined;
}

export interface RunningExporter {
  /** Where it answers, for a person on this machine. */
  readonly url: string;
  /** Takes up a changed configuration; rejects with a ConfigError, and everything stays as it was. */
  reload(): Promise<void>;
  /** Answers the scrapes under way, then lets go of everything. */
  stop(): Promise<void>;
}

/**
 * Starts the exporter. Nothing is asked of the service until a scrape, a probe or the status page wants to know.
 *
 * @throws ConfigError when an address, a directory, a file or a secret of the configuration is unusable.
 */
export async function startExporter(
  options: ExporterOptions,
  { surroundings, build, log, readFile, reread }: ExporterContext,
): Promise<RunningExporter> {
  const { listenAddress, configFile, maxRequests } = options.web;
  const { clock } = surroundings;
  const self = new SelfMetrics();
  const webConfig =
    configFile === undefined
      ? undefined
      : await openWebConfigFile(configFile, {
          readFile,
          clock,
          log,
          ended: (isSuccess) => self.reloadEnded(isSuccess),
        });
  const state =
    options.stateDir === undefined
      ? undefined
      : await openStateDirectory(options.stateDir, surroundings.newNonce);
  const assembly = new LiveAssembly({
    surroundings,
    build,
    log,
    self,
    sessionFile: state?.session,
    processMetrics: onceLoaded(processMetrics),
    reread: reread ?? (() => Promise.resolve({ options })),
    alsoReload: () => webConfig?.reload(),
  });
  async function letGo(): Promise<void> {
    await assembly.close();
    await state?.close();
  }
  try {
    await assembly.use(options);
    const routes = (): typeof assembly.routes => assembly.routes;
    const server = await startHttpServer({
      address: listenAddress,
      routes,
      webConfig,
      maxRequests,
      log,
    });
    const access = webConfig && describeWebConfig(webConfig.current());
    log.info({ url: server.url, access, version: build.version }, 'listening');
    const stop = (): Promise<void> => server.stop().then(letGo);
    return { url: server.url, reload: () => assembly.reload(), stop };
  } catch (error) {
    await letGo();
    throw error;
  }
}

/** Loaded only when asked for: it observes the garbage collector and the event loop. */
async function processMetrics(): Promise<() => Promise<string>> {
  const { startProcessMetrics } = await import('./metrics/process-metrics.ts');
  return startProcessMetrics();
}

function onceLoaded<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
