import { loadRound, type Round } from '../load.ts';

// A process of its own, so that nothing shares its event loop: compares two servers by turns, and prints
// what each reached in every round.
const [, , ours = '', bare = '', encoding = '', roundMs = '', rounds = '', connections = ''] =
  process.argv;

/** One round of each server, one right after the other. */
export interface PairedRound {
  readonly ours: Round;
  readonly bare: Round;
}

const load = (url: string): Promise<Round> =>
  loadRound(new URL(url), encoding, Number(roundMs), Number(connections));

async function pairedRound(isBareFirst: boolean): Promise<PairedRound> {
  if (!isBareFirst) return { ours: await load(ours), bare: await load(bare) };
  const first = await load(bare);
  return { ours: await load(ours), bare: first };
}

// The first round of each warms up both servers and this program.
await pairedRound(false);
const measured: PairedRound[] = [];
for (let round = 0; round < Number(rounds); round += 1)
  measured.push(await pairedRound(round % 2 === 1));
process.stdout.write(JSON.stringify(measured));
