import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { readFailure, toJsonLine } from '../base/shown.ts';
import { isOver, waitFor } from '../base/wait.ts';
import { loadYamlReader } from '../base/yaml-content.ts';
import { isRequired, isVerified } from './tls.ts';
import { describeWebConfig, parseWebConfig, type ReadFile, type WebConfig } from './web-config.ts';

/** Often enough for a certificate that was renewed, and cheap enough for a scrape. */
const LOOK_EVERY_MS = 1000;

export interface WebConfigContext {
  /** Throws when the file cannot be read. */
  readonly readFile: ReadFile;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after every change of the file, with whether it was accepted. */
  readonly ended?: (isSuccess: boolean) => void;
}

/** A web configuration that follows its file and the files that it names. */
export interface WebConfigFile {
  /** Returns the configuration in use, without a look at the files. */
  current(): WebConfig;
  /** Returns the configuration in use, after a look at the files if the last one was a second ago. */
  refreshed(): WebConfig;
  /**
   * Reads the files now. It accepts a loss of protection, which is refused while the files are only followed.
   *
   * @throws ConfigError with everything that is wrong with them; the configuration in use stays.
   */
  reload(): void;
}

/**
 * Reads a web configuration that is to be kept up to date. It reads the files again and compares the contents
 * instead of watching them, because mounted secrets are links that are swapped.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export async function openWebConfigFile(
  path: string,
  { readFile, clock, log, ended }: WebConfigContext,
): Promise<WebConfigFile> {
  const readYaml = await loadYamlReader();
  /** The content of each file when it was last read. */
  const seen = new Map<string, string>();
  /** What was wrong with the files when they were last read; empty: nothing. */
  let problems = '';

  /** Returns the content of a file, or what stands for it when it cannot be read; no file has that content. */
  function contentOf(file: string): string {
    try {
      return readFile(file);
    } catch (error) {
      return `\0${readFailure(error)}`;
    }
  }

  const hasChanged = () => [...seen].some(([file, content]) => content !== contentOf(file));

  function read(): WebConfig {
    seen.clear();
    const noteAndRead = (file: string): string => {
      seen.set(file, contentOf(file));
      return readFile(file);
    };
    return parseWebConfig(path, noteAndRead, readYaml);
  }

  let config = read();
  let lookAgain = waitFor(LOOK_EVERY_MS, clock);

  /** Uses what the files say now, unless `faultOf` says why that must not be. */
  function take(faultOf: (before: WebConfig, after: WebConfig) => string | undefined): void {
    try {
      const next = read();
      const fault = switchedScheme(config, next) ?? faultOf(config, next);
      if (fault !== undefined)
        throw new ConfigError([`--web.config.file: ${toJsonLine(path)}: ${fault}`]);
      config = next;
      problems = '';
    } catch (error) {
      if (error instanceof ConfigError) problems = error.problems.join('\n');
      throw error;
    }
    log.info({ path, access: describeWebConfig(config) }, 'web configuration taken');
  }

  return {
    current: () => config,
    refreshed: () => {
      if (!isOver(lookAgain, clock)) return config;
      lookAgain = waitFor(LOOK_EVERY_MS, clock);
      if (!hasChanged()) return config;
      const before = problems;
      try {
        take(lostProtection);
        ended?.(true);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (problems !== before)
          log.warn({ problems: error.problems }, 'web configuration refused, the last one stays');
        ended?.(false);
      }
      return config;
    },
    reload: () => {
      if (hasChanged() || problems !== '') take(() => undefined);
    },
  };
}

/** Says that a server that listens would have to change its scheme. */
function switchedScheme(before: WebConfig, after: WebConfig): string | undefined {
  const [from, to] = [before, after].map(({ tls }) => (tls === undefined ? 'http' : 'https'));
  return from === to ? undefined : `switches from ${from} to ${to}; accepted: a restart for that`;
}

/** Says which protection a change loses: a file is empty for a moment while it is being written. */
function lostProtection(before: WebConfig, after: WebConfig): string | undefined {
  const asksForClients = ({ tls }: WebConfig): boolean =>
    tls !== undefined && (isRequired(tls.clientAuth) || isVerified(tls.clientAuth));
  const lost = [
    ...(asksForClients(before) && !asksForClients(after) ? ['client certificates'] : []),
    ...(before.users.size > 0 && after.users.size === 0 ? ['all users'] : []),
  ];
  if (lost.length === 0) return undefined;
  return `takes ${lost.join(' and ')} away; accepted: a reload or a restart for that`;
}
