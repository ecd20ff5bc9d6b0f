import type { Clock } from '../base/clock.ts';
import type { StateFile } from '../base/kept-file.ts';
import { type Logger, withFields } from '../base/log.ts';
import { RequestBucket } from '../client/exchange/request-bucket.ts';
import { DayCurves, type DayOf } from '../collectors/day-curves.ts';
import { EnergyCounts } from '../collectors/energy-counts.ts';
import { KeptInventory } from '../collectors/kept-inventory.ts';
import type { StateDirectory } from '../state/state-directory.ts';

/** What is kept of one account over reloads. */
export interface AccountState {
  /** The file that the session is saved in; absent: it is kept in memory only. */
  readonly sessionFile: StateFile | undefined;
  /** What has been counted of every device, in the state directory where there is one. */
  readonly energyCounts: EnergyCounts;
  /** Today's curve of each station, in memory only. */
  readonly dayCurves: DayCurves;
  /** The stations and devices, and how each speaks, in the state directory where there is one. */
  readonly inventory: KeptInventory;
  /** Counts the requests of the day, in the state directory where there is one. */
  readonly bucket: RequestBucket;
}

export interface AccountStatesOptions {
  /** Absent: everything is kept in memory only. */
  readonly directory: Pick<StateDirectory, 'ofAccount'> | undefined;
  /** The days of which curves are kept, where they are not those of the calendar. */
  readonly dayAt?: DayOf | undefined;
  readonly newNonce: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps the state of each account, by its name, for as long as it is configured. */
export class AccountStates {
  readonly #options: AccountStatesOptions;
  readonly #opened = new Map<string | undefined, Promise<AccountState>>();

  constructor(options: AccountStatesOptions) {
    this.#options = options;
  }

  /** Returns the state of an account, which is read from its files at the first time. */
  of(account: string | undefined): Promise<AccountState> {
    const known = this.#opened.get(account);
    if (known !== undefined) return known;
    const opened = this.#open(account);
    this.#opened.set(account, opened);
    return opened;
  }

  /** Lets go of an account that is configured no more; its files stay as they are. */
  async release(account: string | undefined): Promise<void> {
    const opened = await this.#opened.get(account);
    this.#opened.delete(account);
    if (opened !== undefined) await closed(opened);
  }

  /** Writes at once what is not written yet. */
  async close(): Promise<void> {
    const states = await Promise.all(this.#opened.values());
    await Promise.all(states.map(closed));
  }

  async #open(account: string | undefined): Promise<AccountState> {
    const { directory, dayAt, newNonce: newSalt, clock, log } = this.#options;
    const files = directory?.ofAccount(account);
    const parts = { clock, log: logOf(log, account) };
    return {
      sessionFile: files?.session,
      energyCounts: await EnergyCounts.open({ file: files?.energyCounters, ...parts }),
      dayCurves: new DayCurves(dayAt),
      inventory: await KeptInventory.open({ file: files?.inventory, newSalt, ...parts }),
      bucket: await RequestBucket.open(clock, parts.log, files?.requestCount),
    };
  }
}

async function closed({ energyCounts, inventory, bucket }: AccountState): Promise<void> {
  await energyCounts.close();
  await inventory.close();
  await bucket.close();
}

/** Returns a logger that names the account in every line, where it has a name. */
export function logOf(log: Logger, account: string | undefined): Logger {
  return account === undefined ? log : withFields(log, { account });
}
