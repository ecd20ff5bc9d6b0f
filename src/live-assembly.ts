import { assemble, type Assembly, type AssemblyOptions, type LastingParts } from './assembly.ts';
import { type Connection, validateConnection } from './client/connect.ts';
import { isSameAssembly, isSameSession } from './connection-reuse.ts';
import type { Route } from './http/route.ts';

/** A configuration that was read again. */
export interface Reread {
  readonly options: AssemblyOptions;
  /** Told once it is at work. */
  readonly wasTaken?: (() => void) | undefined;
}

export interface LiveAssemblyParts extends Omit<LastingParts, 'reload'> {
  /** Reads the configuration anew; rejects with a ConfigError. */
  readonly reread: () => Promise<Reread>;
  /** Takes up what files say of everything else; throws a ConfigError. */
  readonly alsoReload: () => void;
}

/** The assembly at work: a reload replaces it by one of the new configuration, or not at all. */
export class LiveAssembly {
  readonly #parts: LiveAssemblyParts;
  /** Replaced, but with requests under way. */
  readonly #retired = new Set<Connection>();
  #current: Assembly | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Has not begun yet, and so will read what is there now. */
  #nextReload: Promise<void> | undefined;

  constructor(parts: LiveAssemblyParts) {
    this.#parts = parts;
  }

  get routes(): ReadonlyMap<string, Route> {
    return this.#current?.routes ?? new Map<string, Route>();
  }

  /**
   * Puts a configuration to work, in place of the one before.
   *
   * @returns whether the session goes on, or begins anew with other credentials.
   * @throws ConfigError when it cannot be; the one before then goes on.
   */
  async use(options: AssemblyOptions): Promise<'kept' | 'new'> {
    validateConnection(options);
    const previous = this.#current;
    if (previous !== undefined && isSameAssembly(options, previous.options)) return 'kept';
    const lasting = { ...this.#parts, reload: () => this.reload() };
    this.#current = await assemble(options, lasting, previous);
    if (previous === undefined) return 'new';
    if (previous.connection !== this.#current.connection) this.#retire(previous);
    return isSameSession(options, previous.options) ? 'kept' : 'new';
  }

  /**
   * Reads the configuration and uses it; after a reload under way, and once for all that wait for that.
   * Rejects with a ConfigError when it is no good, and everything stays as it was.
   */
  reload(): Promise<void> {
    this.#nextReload ??= this.#reloading.then(() => {
      this.#nextReload = undefined;
      if (this.#isClosed) return undefined;
      const reloaded = this.#reload();
      this.#reloading = reloaded.catch(() => undefined);
      return reloaded;
    });
    return this.#nextReload;
  }

  /** Lets go of all connections; requests under way fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#nextReload?.catch(() => undefined);
    await this.#reloading;
    const { connection } = this.#current ?? {};
    // A pair of tokens that is on its way must not be lost where there is a place to keep it.
    if (this.#parts.sessionFile !== undefined) await connection?.handOver();
    const connections = connection === undefined ? [] : [connection];
    await Promise.all([...connections, ...this.#retired].map((open) => open.close()));
  }

  async #reload(): Promise<void> {
    const { self, log, reread, alsoReload } = this.#parts;
    try {
      const { options, wasTaken } = await reread();
      validateConnection(options);
      alsoReload();
      const session = await this.use(options);
      wasTaken?.();
      self.reloadEnded(true);
      // What an operator wants to know after a change of the password.
      log.info({ session }, 'configuration reloaded');
    } catch (error) {
      self.reloadEnded(false);
      log.error({ err: error }, 'configuration not reloaded: the one before goes on');
      throw error;
    }
  }

  /** Whoever waits for an answer still gets it. */
  #retire({ connection, refreshes }: Assembly): void {
    this.#retired.add(connection);
    void refreshes
      .ended()
      .then(() => connection.close())
      .then(() => this.#retired.delete(connection));
  }
}
