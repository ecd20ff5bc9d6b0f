import type { BuildInfo } from '../metrics/self.ts';
import { oneAtATime } from '../base/concurrency.ts';
import { validateConnection } from '../client/client.ts';
import { tariffOf } from '../collectors/tariff/tariff-file.ts';
import type { Route } from '../http/reply.ts';
import { checkTelemetryPath } from '../http/routes.ts';
import { type Account, type AccountParts, closeState, createAccounts } from './account.ts';
import { exporterRoutes } from './exporter-routes.ts';
import { accountsOf, type InstanceOptions } from './options.ts';

/** A configuration that was read again for a reload. */
export interface Reread {
  readonly options: InstanceOptions;
  /** Called once the configuration is in use. */
  readonly onApplied?: (() => void) | undefined;
}

export interface ReloadParts extends Omit<AccountParts, 'open'> {
  readonly build: BuildInfo;
  /** Reads the configuration again; rejects with a ConfigError. */
  readonly reread: () => Promise<Reread>;
  /** Reads the web configuration file again; throws a ConfigError, else returns what takes it into use. */
  readonly rereadWebConfig: () => (() => void) | undefined;
}

/** Holds what is made of the configuration in use. A reload replaces it, or leaves it as it is. */
export class ReloadableInstance {
  /**
   * Reads the configuration again and uses it. Calls made during a reload share the one that follows it.
   * Rejects with a ConfigError when the configuration is unusable; nothing changes then.
   */
  readonly reload = oneAtATime(() => this.#reload());
  routes: ReadonlyMap<string, Route> = new Map();
  readonly #parts: ReloadParts;
  readonly #open = new Set<Account>();
  #accounts: readonly Account[] = [];
  #isClosed = false;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
  }

  /**
   * Uses a configuration in place of the one before. It sends no request to the service yet.
   *
   * @returns whether every session was kept, or a new one begins because credentials changed or an account was added.
   * @throws ConfigError when the application secret, the dialect file, the tariff file or the telemetry path is
   * unusable; the configuration before then stays in use.
   */
  async use(options: InstanceOptions): Promise<'kept' | 'new'> {
    const before = this.#accounts;
    // Everything that can be refused comes before anything changes: no session comes back that was handed over.
    for (const account of accountsOf(options)) validateConnection(account);
    const tariff = options.tariff && tariffOf(options.tariff);
    checkTelemetryPath(options.web.telemetryPath);
    const takeWebConfig = before.length > 0 ? this.#parts.rereadWebConfig() : undefined;
    const parts = { ...this.#parts, open: this.#open, reload: this.reload };
    const { accounts, session } = await createAccounts(options, tariff, parts, before);
    for (const account of accounts) this.#open.add(account);
    this.routes = exporterRoutes(accounts, options, parts);
    takeWebConfig?.();
    this.#accounts = accounts;
    for (const account of before) if (!accounts.includes(account)) void this.#retire(account);
    return session;
  }

  /** Closes all accounts; their running requests fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Ends after one that is running, and changes nothing any more.
    await this.reload();
    const open = [...this.#open];
    for (const { collection } of open) collection.stop();
    // With a session file, a token pair that is being fetched must still be saved.
    const kept = open.filter(({ state }) => state.sessionFile !== undefined);
    await Promise.all(kept.map(({ connection }) => connection.handOver()));
    await Promise.all(open.map(({ connection }) => connection.close()));
    const states = new Set(open.map(({ state }) => state));
    await Promise.all(Array.from(states, closeState));
  }

  async #reload(): Promise<void> {
    if (this.#isClosed) return;
    const { self, log, reread } = this.#parts;
    try {
      const { options, onApplied } = await reread();
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

  /**
   * Closes the connection of an account once its running requests are answered, and lets go of what is kept of it,
   * unless it is configured still, or again.
   */
  async #retire(account: Account): Promise<void> {
    const { collection, refreshes, connection, options, state } = account;
    collection.stop();
    await refreshes.ended();
    await connection.close();
    this.#open.delete(account);
    if (this.#isClosed || [...this.#open].some((one) => one.state === state)) return;
    this.#parts.self.forget(options.accountName);
    await closeState(state);
  }
}
