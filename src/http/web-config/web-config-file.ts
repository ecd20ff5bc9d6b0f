import type { Clock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { isOver, type Wait, waitFor } from '../../base/wait.ts';
import { readFailure, toJsonLine } from '../../base/shown.ts';
import { loadYamlReader } from '../../base/yaml-content.ts';
import {
  parseWebConfig,
  type ParsedWebConfig,
  type ReadFile,
  type ReadYaml,
} from './parse-web-config.ts';
import { describeWebConfig, type WebConfig } from './web-config.ts';
import { isRequired, isVerified } from './tls-settings.ts';

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

/**
 * Reads a web configuration once.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export async function readWebConfig(path: string, readFile: ReadFile): Promise<WebConfig> {
  return configOf(parseWebConfig(path, readFile, await loadYamlReader()));
}

/**
 * Reads a web configuration that is to be kept up to date.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export async function openWebConfigFile(
  path: string,
  context: WebConfigContext,
): Promise<WebConfigFile> {
  return new WebConfigFile(path, context, await loadYamlReader());
}

/**
 * A web configuration that follows its file and the files that it names. It reads them again and compares
 * the contents instead of watching them, because mounted secrets are links that are swapped.
 */
export class WebConfigFile {
  readonly #path: string;
  readonly #context: WebConfigContext;
  readonly #readYaml: ReadYaml;
  /** The content of each file when it was last read. */
  #seen: ReadonlyMap<string, string> = new Map();
  #config: WebConfig;
  /** What was wrong with the files when they were last read; empty: nothing. */
  #problems = '';
  #lookAgain: Wait;

  constructor(path: string, context: WebConfigContext, readYaml: ReadYaml) {
    this.#path = path;
    this.#context = context;
    this.#readYaml = readYaml;
    this.#config = configOf(this.#read());
    this.#lookAgain = waitFor(LOOK_EVERY_MS, context.clock);
  }

  /** Returns the configuration in use, without a look at the files. */
  current(): WebConfig {
    return this.#config;
  }

  /** Returns the configuration in use, after a look at the files if the last one was a second ago. */
  refreshed(): WebConfig {
    const { clock } = this.#context;
    if (!isOver(this.#lookAgain, clock)) return this.#config;
    this.#lookAgain = waitFor(LOOK_EVERY_MS, clock);
    if (this.#hasChanged()) this.#follow(this.#withProtection(this.#withSameScheme(this.#read())));
    return this.#config;
  }

  /**
   * Reads the files now.
   *
   * @throws ConfigError with everything that is wrong with them; the configuration in use stays.
   */
  reload(): void {
    // A reload accepts a loss of protection that was refused while the file was only followed.
    const isChanged = this.#hasChanged() || this.#problems !== '';
    const parsed = this.#withSameScheme(this.#read());
    this.#lookAgain = waitFor(LOOK_EVERY_MS, this.#context.clock);
    this.#problems = 'problems' in parsed ? parsed.problems.join('\n') : '';
    const config = configOf(parsed);
    if (isChanged) this.#use(config);
  }

  #use(config: WebConfig): void {
    this.#config = config;
    this.#problems = '';
    const access = describeWebConfig(config);
    this.#context.log.info({ path: this.#path, access }, 'web configuration taken');
  }

  /** Refuses a configuration with which a server that listens would have to change its scheme. */
  #withSameScheme(parsed: ParsedWebConfig): ParsedWebConfig {
    if (!('config' in parsed)) return parsed;
    const [before, after] = [schemeOf(this.#config), schemeOf(parsed.config)];
    return before === after
      ? parsed
      : this.#refused(`switches from ${before} to ${after}; accepted: a restart for that`);
  }

  /** Refuses a loss of protection: a file is empty for a moment while it is being written. */
  #withProtection(parsed: ParsedWebConfig): ParsedWebConfig {
    if (!('config' in parsed)) return parsed;
    const { tls, users } = this.#config;
    const lost = [
      ...(asksForClients(tls) && !asksForClients(parsed.config.tls) ? ['client certificates'] : []),
      ...(users.size > 0 && parsed.config.users.size === 0 ? ['all users'] : []),
    ];
    return lost.length === 0
      ? parsed
      : this.#refused(`takes ${lost.join(' and ')} away; accepted: a reload or a restart for that`);
  }

  #refused(problem: string): ParsedWebConfig {
    return { problems: [`--web.config.file: ${toJsonLine(this.#path)}: ${problem}`] };
  }

  #follow(parsed: ParsedWebConfig): void {
    const { log, ended } = this.#context;
    if ('config' in parsed) {
      this.#use(parsed.config);
      ended?.(true);
      return;
    }
    const problems = parsed.problems.join('\n');
    if (problems !== this.#problems)
      log.warn({ problems: parsed.problems }, 'web configuration refused, the last one stays');
    this.#problems = problems;
    ended?.(false);
  }

  #read(): ParsedWebConfig {
    const seen = new Map<string, string>();
    const readFile = (path: string): string => {
      try {
        const text = this.#context.readFile(path);
        seen.set(path, text);
        return text;
      } catch (error) {
        seen.set(path, unreadable(error));
        throw error;
      }
    };
    const parsed = parseWebConfig(this.#path, readFile, this.#readYaml);
    this.#seen = seen;
    return parsed;
  }

  #hasChanged(): boolean {
    return [...this.#seen].some(([path, seen]) => seen !== this.#contentOf(path));
  }

  #contentOf(path: string): string {
    try {
      return this.#context.readFile(path);
    } catch (error) {
      return unreadable(error);
    }
  }
}

/** Returns what stands for the content of a file that cannot be read; no file has this content. */
function unreadable(error: unknown): string {
  return `\0${readFailure(error)}`;
}

function configOf(parsed: ParsedWebConfig): WebConfig {
  if ('config' in parsed) return parsed.config;
  throw new ConfigError(parsed.problems);
}

function schemeOf({ tls }: WebConfig): string {
  return tls === undefined ? 'http' : 'https';
}

/** Whether a client has to show a certificate, or a good one if it shows one. */
function asksForClients(tls: WebConfig['tls']): boolean {
  return tls !== undefined && (isRequired(tls.clientAuth) || isVerified(tls.clientAuth));
}
