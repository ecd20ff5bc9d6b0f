import type { Clock } from '../base/clock.ts';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { readFailure, toJsonLine } from '../base/shown.ts';
import { isOver, waitFor } from '../base/wait.ts';
import { loadYamlReader } from '../base/yaml-content.ts';
import { isRequired, isVerified } from './tls.ts';
import { parseWebConfig, type ReadFile, type WebConfig } from './web-config.ts';

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
  /** The content of each file when it was last read, or what stands for it when it could not be. */
  const seen = new Map<string, string>();
  const contentOf = (file: string): string => {
    try {
      return readFile(file);
    } catch (error) {
      return `\0${readFailure(error)}`;
    }
  };
  const hasChanged = () => [...seen].some(([file, content]) => content !== contentOf(file));
  const read = (): WebConfig => {
    seen.clear();
    const readAndNote = (file: string): string => {
      seen.set(file, contentOf(file));
      return readFile(file);
    };
    return parseWebConfig(path, readAndNote, readYaml);
  };

  let config = read();
  /** What was wrong with the files when they were last read; empty: nothing. */
  let problems = '';
  let lookAgain = waitFor(LOOK_EVERY_MS, clock);

  /** Uses what the files say now, unless it loses protection that must not be lost. */
  function take(mayLoseProtection: boolean): void {
    try {
      const next = read();
      const fault = faultOf(config, next, mayLoseProtection);
      const place = `--web.config.file: ${toJsonLine(path)}`;
      if (fault !== undefined) throw new ConfigError([`${place}: ${fault}`]);
      config = next;
      problems = '';
    } catch (error) {
      if (error instanceof ConfigError) problems = error.problems.join('\n');
      throw error;
    }
    log.info({ path, access: config.access }, 'web configuration taken');
  }

  return {
    refreshed: () => {
      if (!isOver(lookAgain, clock)) return config;
      lookAgain = waitFor(LOOK_EVERY_MS, clock);
      if (!hasChanged()) return config;
      const before = problems;
      try {
        take(false);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        const message = 'web configuration refused, the last one stays';
        if (problems !== before) log.warn({ problems: error.problems }, message);
      }
      ended?.(problems === '');
      return config;
    },
    reload: () => {
      if (hasChanged() || problems !== '') take(true);
    },
  };
}

/** Says why a configuration that is right cannot be taken while the server listens. */
function faultOf(before: WebConfig, after: WebConfig, mayLose: boolean): string | undefined {
  const [from, to] = [before, after].map(({ tls }) => (tls === undefined ? 'http' : 'https'));
  if (from !== to) return `switches from ${from} to ${to}; accepted: a restart for that`;
  const asksForClients = ({ tls }: WebConfig): boolean =>
    tls !== undefined && (isRequired(tls.clientAuth) || isVerified(tls.clientAuth));
  const lost = [
    ...(asksForClients(before) && !asksForClients(after) ? ['client certificates'] : []),
    ...(before.users.size > 0 && after.users.size === 0 ? ['all users'] : []),
  ];
  // A file is empty for a moment while it is being written.
  if (mayLose || lost.length === 0) return undefined;
  return `takes ${lost.join(' and ')} away; accepted: a reload or a restart for that`;
}
