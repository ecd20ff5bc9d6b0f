import { type Connection, validateConnection } from '../client/connect.ts';
import type { Route } from '../http/reply.ts';
import { isSameConfiguration, isSameSession } from './connection-reuse.ts';
import { createInstance, type ExporterInstance } from './instance.ts';
import type { InstanceOptions, SharedParts } from './options.ts';

/** A configuration that was read again for a reload. */
export interface Reread {
  readonly options: InstanceOptions;
  /** Called once the configuration is in use. */
  readonly onApplied?: (() => void) | undefined;
}

export interface ReloadParts extends Omit<SharedParts, 'reload'> {
  /** Reads the configuration again; rejects with a ConfigError. */
  readonly reread: () => Promise<Reread>;
  /** Reads the web configuration file again; throws a ConfigError. */
  readonly reloadWebConfig: () => void;
}

/** Holds the instance in use. A reload replaces it by one of the new configuration, or leaves it as it is. */
export class ReloadableInstance {
  readonly #parts: ReloadParts;
  /** Connections of replaced instances whose requests have not ended yet. */
  readonly #retired = new Set<Connection>();
  #current: ExporterInstance | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** A reload that has not started yet; it will read the files as they are then. */
  #nextReload: Promise<void> | undefined;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
  }

  get routes(): ReadonlyMap<string, Route> {
    return this.#current?.routes ?? new Map<string, Route>();
  }

  get allowedHosts(): readonly string[] {
    return this.#current?.options.web.allowedHosts ?? [];
  }

  /**
   * Replaces the instance by one of this configuration.
   *
   * @returns whether the session was kept, or a new one begins because the credentials changed.
   * @throws ConfigError when the configuration is unusable; the previous instance then stays in use.
   */
  async use(options: InstanceOptions): Promise<'kept' | 'new'> {
    validateConnection(options);
    const previous = this.#current;
    if (previous !== undefined && isSameConfiguration(options, previous.options)) return 'kept';
    const shared = { ...this.#parts, reload: () => this.reload() };
    this.#current = await createInstance(options, shared, previous);
    if (previous === undefined) return 'new';
    if (previous.connection !== this.#current.connection) this.#retire(previous);
    return isSameSession(options, previous.options) ? 'kept' : 'new';
  }

  /**
   * Reads the configuration again and uses it. Calls made during a reload share the one that follows it.
   * Rejects with a ConfigError when the configuration is unusable; nothing changes then.
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

  /** Closes all connections; their running requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#nextReload?.catch(() => undefined);
    await this.#reloading;
    const { connection } = this.#current ?? {};
    // With a session file, a token pair that is being fetched must still be saved.
    if (this.#parts.sessionFile !== undefined) await connection?.handOver();
    const connections = connection === undefined ? [] : [connection];
    await Promise.all([...connections, ...this.#retired].map((open) => open.close()));
  }

  async #reload(): Promise<void> {
    const { self, log, reread, reloadWebConfig } = this.#parts;
    try {
      const { options, onApplied } = await reread();
      validateConnection(options);
      reloadWebConfig();
      const session = await this.use(options);
      onApplied?.();
      self.reloadEnded(true);
      // After a change of the password, the operator wants to know whether it was noticed.
      log.info({ session }, 'configuration reloaded');
    } catch (error) {
      self.reloadEnded(false);
      log.error({ err: error }, 'configuration not reloaded: the one before goes on');
      throw error;
    }
  }

  /** Closes the connection once its running requests are answered. */
  #retire({ connection, refreshes }: ExporterInstance): void {
    this.#retired.add(connection);
    void refreshes
      .ended()
      .then(() => connection.close())
      .then(() => this.#retired.delete(connection));
  }
}
