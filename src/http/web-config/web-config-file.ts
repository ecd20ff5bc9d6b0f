import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { readFailure } from '../../shown.ts';
import { loadYamlReader } from '../../yaml-content.ts';
import {
  parseWebConfig,
  type ParsedWebConfig,
  type ReadFile,
  type ReadYaml,
} from './parse-web-config.ts';
import { describeWebConfig } from './describe-web-config.ts';
import { isRequired, isVerified } from './tls-names.ts';
import type { WebConfig } from './web-config.ts';

/** Often enough for a certificate that was renewed, and cheap enough for a scrape. */
const LOOK_EVERY_MS = 1000;

export interface WebConfigSurroundings {
  /** Throws when there is nothing to read. */
  readonly readFile: ReadFile;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told whether a change of the file was taken. */
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
  surroundings: WebConfigSurroundings,
): Promise<WebConfigFile> {
  return new WebConfigFile(path, surroundings, await loadYamlReader());
}

/**
 * A web configuration that follows its file and the files it names. They are read again rather than
 * watched: where secrets are mounted, files are links that are swapped, and only their content counts.
 */
export class WebConfigFile {
  readonly #path: string;
  readonly #surroundings: WebConfigSurroundings;
  readonly #readYaml: ReadYaml;
  /** What each file held when it was read last. */
  #seen: ReadonlyMap<string, string> = new Map();
  #config: WebConfig;
  /** What was wrong with it when it was read last. */
  #problems = '';
  #lookedAtMs: number;

  constructor(path: string, surroundings: WebConfigSurroundings, readYaml: ReadYaml) {
    this.#path = path;
    this.#surroundings = surroundings;
    this.#readYaml = readYaml;
    this.#config = configOf(this.#read());
    this.#lookedAtMs = surroundings.clock.nowMs();
  }

  /** The configuration that holds, without a look at the files. */
  current(): WebConfig {
    return this.#config;
  }

  /** The configuration that holds, after a look at the files if the last one is a second ago. */
  refreshed(): WebConfig {
    const nowMs = this.#surroundings.clock.nowMs();
    // A clock that was set back must not end all looking.
    if (Math.abs(nowMs - this.#lookedAtMs) < LOOK_EVERY_MS) return this.#config;
    this.#lookedAtMs = nowMs;
    if (this.#hasChanged()) this.#take(this.#protecting(this.#read()));
    return this.#config;
  }

  /**
   * Reads the files now.
   *
   * @throws ConfigError with everything that is wrong with them; the configuration stays as it was.
   */
  reload(): void {
    // What was refused while it was only followed is taken now.
    const isChanged = this.#hasChanged() || this.#problems !== '';
    const parsed = this.#read();
    this.#lookedAtMs = this.#surroundings.clock.nowMs();
    this.#problems = 'problems' in parsed ? parsed.problems.join('\n') : '';
    const config = configOf(parsed);
    if (isChanged) this.#use(config);
  }

  #use(config: WebConfig): void {
    this.#config = config;
    this.#problems = '';
    const access = describeWebConfig(config);
    this.#surroundings.log.info({ path: this.#path, access }, 'web configuration taken');
  }

  /** A file that is being written is empty for a moment: that must not open the port to everybody. */
  #protecting(parsed: ParsedWebConfig): ParsedWebConfig {
    if (!('config' in parsed)) return parsed;
    const { tls, users } = this.#config;
    const lost = [
      ...(tls !== undefined && parsed.config.tls === undefined ? ['TLS'] : []),
      ...(asksForClients(tls) && !asksForClients(parsed.config.tls) ? ['client certificates'] : []),
      ...(users.size > 0 && parsed.config.users.size === 0 ? ['all users'] : []),
    ];
    if (lost.length === 0) return parsed;
    const file = `--web.config.file: ${JSON.stringify(this.#path)}`;
    const problem = `takes ${lost.join(' and ')} away; accepted: a reload or a restart for that`;
    return { problems: [`${file}: ${problem}`] };
  }

  #take(parsed: ParsedWebConfig): void {
    const { log, ended } = this.#surroundings;
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
        const text = this.#surroundings.readFile(path);
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
      return this.#surroundings.readFile(path);
    } catch (error) {
      return unreadable(error);
    }
  }
}

/** Stands for the content of a file that could not be read; no file holds this. */
function unreadable(error: unknown): string {
  return `\0${readFailure(error)}`;
}

function configOf(parsed: ParsedWebConfig): WebConfig {
  if ('config' in parsed) return parsed.config;
  throw new ConfigError(parsed.problems);
}

/** Whether a client has to show who it is before it may ask. */
function asksForClients(tls: WebConfig['tls']): boolean {
  return tls !== undefined && (isRequired(tls.clientAuth) || isVerified(tls.clientAuth));
}
