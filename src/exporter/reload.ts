import { validateConnection } from '../client/client.ts';
import type { Route } from '../http/reply.ts';
import type { AccountInstance } from './account-instance.ts';
import { isSameSession, previousOf } from './connection-reuse.ts';
import { createInstance, type ExporterInstance } from './instance.ts';
import { accountsOf, type InstanceOptions, type SharedParts } from './options.ts';

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
  /** Made here: a function of a reload would keep the instance before it for as long as the new one. */
  readonly #shared: SharedParts;
  /** Accounts of replaced instances whose requests have not ended yet. */
  readonly #retired = new Set<AccountInstance>();
  #current: ExporterInstance | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** A reload that has not started yet; it will read the files as they are then. */
  #nextReload: Promise<void> | undefined;

  constructor(parts: ReloadParts) {
    this.#parts = parts;
    this.#shared = { ...parts, reload: () => this.reload() };
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
   * @returns whether every session was kept, or a new one begins because credentials changed or an account was added.
   * @throws ConfigError when the configuration is unusable; the previous instance then stays in use.
   */
  async use(options: InstanceOptions): Promise<'kept' | 'new'> {
    validate(options);
    const previous = this.#current;
    this.#current = await createInstance(options, this.#shared, previous);
    if (previous === undefined) return 'new';
    const { accounts } = this.#current;
    const connections = new Set(accounts.map(({ connection }) => connection));
    for (const account of previous.accounts) {
      if (accounts.includes(account)) continue;
      account.collection.stop();
      if (!connections.has(account.connection)) this.#retire(account);
    }
    const before = previousOf(accountsOf(options), previous.accounts);
    const isKept = accountsOf(options).every((account) => {
      const same = before.get(account);
      return same !== undefined && isSameSession(account, same.options);
    });
    return isKept ? 'kept' : 'new';
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
    const accounts = this.#current?.accounts ?? [];
    for (const { collection } of accounts) collection.stop();
    // With a session file, a token pair that is being fetched must still be saved.
    await Promise.all(
      accounts.map(async ({ options, connection }) => {
        const { sessionFile } = await this.#parts.states.of(options.accountName);
        if (sessionFile !== undefined) await connection.handOver();
      }),
    );
    const open = [...accounts, ...this.#retired];
    await Promise.all(open.map(({ connection }) => connection.close()));
  }

  async #reload(): Promise<void> {
    const { self, log, reread, reloadWebConfig } = this.#parts;
    try {
      const { options, onApplied } = await reread();
      validate(options);
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

  /** Closes the connection of an account once its running requests are answered. */
  #retire(account: AccountInstance): void {
    this.#retired.add(account);
    void account.refreshes
      .ended()
      .then(() => account.connection.close())
      .then(() => this.#retired.delete(account))
      .then(() => this.#release(account.options.accountName));
  }

  /** Lets go of what is kept of an account, unless it is configured still, or again. */
  async #release(name: string | undefined): Promise<void> {
    const { self, states } = this.#parts;
    const accounts = [...(this.#current?.accounts ?? []), ...this.#retired];
    if (this.#isClosed || accounts.some(({ options }) => options.accountName === name)) return;
    self.forget(name);
    await states.release(name);
  }
}

/** Checks every account without connecting. Throws a ConfigError. */
function validate(options: InstanceOptions): void {
  for (const account of accountsOf(options)) validateConnection(account);
}
