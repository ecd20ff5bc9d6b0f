import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { loadYamlReader } from '../../yaml-content.ts';
import {
  parseWebConfig,
  type ParsedWebConfig,
  type ReadFile,
  type ReadYaml,
} from './parse-web-config.ts';
import { readFailure } from './load-tls.ts';
import type { WebConfig } from './web-config.ts';

/** Often enough for a certificate that was renewed, and cheap enough for a scrape. */
const LOOK_EVERY_MS = 1000;

export interface WebConfigSurroundings {
  /** Throws when there is nothing to read. */
  readonly readFile: ReadFile;
  readonly clock: Clock;
  readonly log: Logger;
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
    if (this.#hasChanged()) this.#take(this.#read());
    return this.#config;
  }

  /**
   * Reads the files now.
   *
   * @throws ConfigError with everything that is wrong with them; the configuration stays as it was.
   */
  reload(): void {
    const parsed = this.#read();
    this.#lookedAtMs = this.#surroundings.clock.nowMs();
    this.#problems = 'problems' in parsed ? parsed.problems.join('\n') : '';
    this.#config = configOf(parsed);
  }

  #take(parsed: ParsedWebConfig): void {
    const { log } = this.#surroundings;
    if ('config' in parsed) {
      this.#config = parsed.config;
      this.#problems = '';
      log.info({ path: this.#path }, 'web configuration taken');
      return;
    }
    const problems = parsed.problems.join('\n');
    if (problems !== this.#problems)
      log.warn({ problems: parsed.problems }, 'web configuration refused, the last one stays');
    this.#problems = problems;
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
