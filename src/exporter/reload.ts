import type { BuildInfo } from '../metrics/self.ts';
import { oneAtATime } from '../base/concurrency.ts';
import { validateConnection } from '../client/client.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import type { Route } from '../http/reply.ts';
import { type Account, type AccountParts, closeState, createAccount } from './account.ts';
import { exporterRoutes } from './exporter-routes.ts';
import type { InstanceOptions } from './options.ts';

/** A configuration that was read again for a reload. */
export interface Reread {
  readonly options: InstanceOptions;
  /** Called once the configuration is in use. */
  readonly onApplied?: (() => void) | undefined;
}

export interface ReloadParts extends AccountParts {
  readonly build: BuildInfo;
  /** Reads the configuration again; rejects with a ConfigError. */
  readonly reread: () => Promise<Reread>;
  /** Reads the web configuration file again; throws a ConfigError, or returns a function that puts it into use. */
  readonly rereadWebConfig: () => (() => void) | undefined;
}

/** Holds everything that is made from the configuration in use. A reload replaces it, or leaves it unchanged. */
export class ReloadableInstance {
  /**
   * Reads the configuration again and uses it. Calls made during a reload share the one that follows it.
   * Rejects with a ConfigError when the configuration is unusable; nothing changes then.
   */
  readonly reload = oneAtATime(() => this.#reload());
  routes: ReadonlyMap<string, Route> = new Map();
  readonly #parts: ReloadParts;
  /** The account in use, and replaced accounts whose requests have not ended yet. */
  readonly #open = new Set<Account>();
  #account: Account | undefined;
  #isClosed = false;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
  }

  /**
   * Replaces the configuration in use. It sends no request to the service yet.
   *
   * @returns whether the session was kept, or a new one begins because credentials changed.
   * @throws ConfigError when the application secret, the dialect file or the tariff file is unusable; the previous
   * configuration then stays in use.
   */
  async use(options: InstanceOptions): Promise<'kept' | 'new'> {
    const before = this.#account;
    // Everything that can be refused is checked before anything changes, because a session cannot be handed back.
    validateConnection(options);
    const tariff = options.tariff && tariffOf(options.tariff);
    const takeWebConfig = before === undefined ? undefined : this.#parts.rereadWebConfig();
    const parts = { ...this.#parts, reload: this.reload };
    const { account, session } = await createAccount(options, tariff, parts, before);
    this.#open.add(account);
    this.routes = exporterRoutes(account, options, parts);
    takeWebConfig?.();
    this.#account = account;
    if (before !== undefined && before !== account) void this.#retire(before);
    return session;
  }

  /** Closes the connection; its running requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Waits for a running reload; this one changes nothing.
    await this.reload();
    const open = [...this.#open];
    for (const { collection } of open) collection.stop();
    const { state } = this.#parts;
    // With a session file, a token pair that is being fetched must still be saved.
    if (state.sessionFile !== undefined)
      await Promise.all(open.map(({ connection }) => connection.session.end()));
    await Promise.all(open.map(({ connection }) => connection.close()));
    await closeState(state);
  }

  async #reload(): Promise<void> {
    if (this.#isClosed) return;
    const { self, log, reread } = this.#parts;
    try {
      const { options, onApplied } = await reread();
      const session = await this.use(options);
      onApplied?.();
      self.reloadEnded(true);
      // After changing the password, the operator wants to know whether the exporter uses it.
      log.info({ session }, 'configuration reloaded');
    } catch (error) {
      self.reloadEnded(false);
      log.error({ err: error }, 'configuration not reloaded: the one before goes on');
      throw error;
    }
  }

  /** Closes the connection of an account once its running requests are answered. */
  async #retire(account: Account): Promise<void> {
    const { collection, refreshes, connection } = account;
    collection.stop();
    await refreshes.ended();
    await connection.close();
    this.#open.delete(account);
  }
}
