import { onTestFinished } from 'vitest';
import { Secret } from '../../../src/base/secret.ts';
import { Authenticator } from '../../../src/http/authentication/authenticator.ts';
import type { Client } from '../../../src/http/authentication/client.ts';
import type { NetworkFile } from '../../../src/http/authentication/let-in-networks.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

/** The header of a log-in, which is a name, a colon and a password. */
export function basic(login: string): string {
  return `Basic ${Buffer.from(login).toString('base64')}`;
}

/** A text in place of a file, which outlives whoever keeps it. */
export function textFile(initial?: string) {
  const writes: string[] = [];
  const read = (): string | undefined => writes.at(-1) ?? initial;
  const file: NetworkFile = {
    read: () => Promise.resolve(read()),
    write: (text) => Promise.resolve(void writes.push(text)),
  };
  return { ...file, writes };
}

/** An authenticator with one user, whose comparisons wait until the test lets each of them end. */
export async function startGuessed(
  letInFile: NetworkFile = textFile(),
  clock: FakeClock = new FakeClock(),
) {
  const log = new SilentLog();
  const begun: { readonly password: string; readonly end: (isRight: boolean) => void }[] = [];
  const verify = (password: string): Promise<boolean> => {
    const answer = deferred<boolean>();
    begun.push({ password, end: answer.resolve });
    return answer.promise;
  };
  const stop = (): Promise<void> => Promise.resolve();
  const verifier = { verify, stop };
  const authenticator = await Authenticator.open({ verifier, clock, log, letInFile });
  const users = new Map([['one', new Secret('hash')]]);

  const login = async (password: string, client: Client): Promise<number> =>
    (await authenticator.refusal(users, basic(`one:${password}`), client))?.status ?? 200;

  /** Ends the comparisons that have begun; resolves to their passwords when the next ones have begun. */
  const compare = async (): Promise<readonly string[]> => {
    const ended = begun.splice(0);
    for (const { password, end } of ended) end(password === 'right');
    await settled();
    return ended.map(({ password }) => password);
  };

  let guesses = 0;
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  /** Guesses once; resolves to the status. */
  const guess = (client: Client): Promise<number> => login(`guess ${(guesses += 1)}`, client);
  /** Guesses until the test ends, each time as soon as there is an answer. */
  const keepGuessing = async (newClient: () => Client): Promise<void> => {
    while (!isOver) await guess(newClient());
  };

  /** Logs in with the right password; resolves to how many comparisons that took, and to the status. */
  const logIn = async (client: Client) => {
    const answer: { status?: number } = {};
    void login('right', client).then((status) => (answer.status = status));
    await settled();
    let comparisons = 0;
    for (; answer.status === undefined && comparisons < 100; comparisons += 1) await compare();
    return { comparisons, status: answer.status };
  };
  return { authenticator, clock, log, login, compare, guess, keepGuessing, logIn };
}

/** A client on a connection of its own. */
export function clientAt(address: string): Client {
  return { address, connection: {} };
}
