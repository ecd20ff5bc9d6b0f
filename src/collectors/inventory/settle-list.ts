import type { Logger } from '../../base/log.ts';
import {
  type Believed,
  believeList,
  entriesToAsk,
  type NewList,
  type OwnAnswer,
} from './believed-list.ts';

/** A list, how to ask for what it lacks, and where to say what came of it. */
export interface ListToSettle<Entry extends object> {
  readonly what: 'devices' | 'stations';
  readonly list: NewList<Entry>;
  readonly ask: (entry: Entry & Believed) => Promise<OwnAnswer>;
  readonly log: Logger;
}

/** Asks for the entries that a list lacks where that can confirm that they have left; returns what to believe. */
export async function settleList<Entry extends object>({
  what,
  list,
  ask,
  log,
}: ListToSettle<Entry>): Promise<readonly (Entry & Believed)[]> {
  const { idOf } = list;
  const answers = new Map<string, OwnAnswer>();
  await Promise.all(
    entriesToAsk(list).map(async (entry) => answers.set(idOf(entry), await ask(entry))),
  );
  const { entries, moved, gone } = believeList(list, answers);
  if (moved.length > 0)
    log.info({ [what]: moved.map(idOf) }, `${what} are listed elsewhere, or under another id, now`);
  if (gone.length > 0)
    log.warn(
      { [what]: gone.map(idOf) },
      `${what} are gone: lists an hour apart lack them, and they answer nothing`,
    );
  return entries;
}
