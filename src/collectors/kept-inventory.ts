import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { isBelievable } from '../base/instant.ts';
import {
  jsonInTurns,
  type KeptFile,
  keptFile,
  type SpacedWrites,
  spacedWrites,
  type StateFile,
} from '../base/kept-file.ts';
import { LIST_LIMITS } from '../base/limits.ts';
import type { Logger } from '../base/log.ts';
import { isTimeZone } from '../base/time-zone.ts';
import { digestCredentials } from '../client/session/credentials.ts';
import type { Collection } from './collection.ts';
import type { StationListing } from './inventory/devices.ts';
import type { ListedStation } from './inventory/stations.ts';
import type { Snapshot } from './run.ts';

/** Older lists are not taken up, because a device may have been moved meanwhile. */
const LONGEST_AGE_MS = 24 * 3_600_000;

const id = z.string().min(1);
const instant = z.number().refine(isBelievable);
const zone = z.string().refine(isTimeZone).optional();

// What else they have is as this program wrote it: files of another shape have another version.
const stationSchema = z.looseObject({ stationId: id, timeZone: zone });
const deviceSchema = z.looseObject({ deviceId: id, stationTimeZone: zone });
const listingSchema = z.looseObject({
  station: stationSchema,
  devices: z.array(deviceSchema).max(LIST_LIMITS.devices),
});
const fileSchema = z.object({
  /** Grows when an older program could no longer read what a newer one writes. */
  version: z.literal([1, 2]),
  salt: id,
  /** The salted digest of what makes the inventory another one. */
  owner: id,
  stations: z
    .object({ fetchedAtMs: instant, value: z.array(stationSchema).max(LIST_LIMITS.stations) })
    .optional(),
  lists: z
    .array(z.object({ stationId: id, fetchedAtMs: instant, value: listingSchema }))
    .max(LIST_LIMITS.stations),
});
type InventoryFile = z.output<typeof fileSchema>;

/** The lists of an account, each as it was fetched. */
export interface KeptLists {
  /** Absent where the stations are configured, or were not listed yet. */
  readonly stations?: Snapshot<readonly ListedStation[]> | undefined;
  readonly lists: readonly (Snapshot<StationListing> & { readonly stationId: string })[];
}

/** Whose inventory is kept. */
export type InventorySource = Pick<Collection, 'lists' | 'restore'>;

const TEXTS = {
  foreign: 'not an inventory of this version',
  setAside: 'the kept inventory cannot be used and was set aside: everything is listed anew',
  failing: 'the inventory cannot be kept in --state.dir: a restart will list everything anew',
  again: 'the inventory is kept in --state.dir again',
};

export interface KeptInventoryOptions {
  /** Absent: nothing is kept. */
  readonly file?: StateFile | undefined;
  /** Returns random text, which salts the digest of another owner. */
  readonly newSalt: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps the stations and the devices in a file, so that a restart begins with readings. */
export class KeptInventory {
  readonly #options: KeptInventoryOptions;
  readonly #file: KeptFile | undefined;
  readonly #writes: SpacedWrites;
  #owner: Pick<InventoryFile, 'salt' | 'owner'> | undefined;
  #source: InventorySource | undefined;
  /** What there was when it was written last. */
  #written: string | undefined;

  constructor(options: KeptInventoryOptions) {
    this.#options = options;
    this.#file = options.file && keptFile(options.file, TEXTS, options.log);
    this.#writes = spacedWrites(options.clock, () => this.#writeIfChanged());
  }

  /**
   * Keeps the inventory of a source from now on. One that begins with nothing takes up what is kept of the same owner.
   *
   * @param owner - identifies the account and the service.
   * @param isNew - whether the source begins with nothing.
   */
  async follow(owner: string, source: InventorySource, isNew: boolean): Promise<void> {
    if (this.#file === undefined) return;
    const found = isNew ? await this.#file.read(fileSchema) : undefined;
    const salt = found?.salt ?? this.#options.newSalt();
    this.#owner = { salt, owner: await digestCredentials([owner], salt) };
    this.#source = source;
    this.#written = undefined;
    if (found?.owner === this.#owner.owner) this.#takeUp(found, source);
    else if (found !== undefined)
      this.#options.log.info(
        {},
        'the kept inventory belongs to another account or service and is not used',
      );
  }

  #takeUp({ stations, lists }: InventoryFile, collection: InventorySource): void {
    const { clock, log } = this.#options;
    const isRecent = ({ fetchedAtMs }: Snapshot<unknown>): boolean => {
      const ageMs = clock.nowMs() - fetchedAtMs;
      return ageMs >= 0 && ageMs < LONGEST_AGE_MS;
    };
    const recent = stations && isRecent(stations) ? stations : undefined;
    collection.restore({ stations: recent, lists: lists.filter(isRecent) });
    const restored = collection.lists().lists;
    const listed = restored.flatMap(({ value }) => value.devices);
    const ids = new Set(listed.map(({ deviceId }) => deviceId));
    const counts = { stations: restored.length, devices: ids.size };
    const use = restored.length > 0 ? 'is taken up' : 'is too old and is not used';
    log.info(counts, `the inventory of the last run ${use}`);
  }

  /** Has the inventory written soon, if it has changed. */
  keep(): void {
    if (this.#source !== undefined) this.#writes.soon();
  }

  /** Writes at once what is not written yet. */
  async close(): Promise<void> {
    await this.#writes.close();
    this.#source = undefined;
  }

  async #writeIfChanged(): Promise<void> {
    if (this.#source === undefined || this.#file === undefined) return;
    const { stations, lists } = this.#source.lists();
    if (stations === undefined && lists.length === 0) return;
    const state = [stations, ...lists].map((list) => list?.fetchedAtMs).join();
    if (state === this.#written) return;
    const text = await jsonInTurns({ version: 2, ...this.#owner, stations }, { lists });
    if (await this.#file.write(text)) this.#written = state;
  }
}
