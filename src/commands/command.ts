import type { Connection } from '../client/connect.ts';
import { connect } from '../client/connect.ts';
import type { ClientObserver } from '../client/observer.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { BuildInfo } from '../metrics/status-samples.ts';
import type { Surroundings } from '../surroundings.ts';

/** The program was used as it is meant to be and everything went well. */
export const EXIT_OK = 0;
/** The service or the network failed. */
export const EXIT_FAILED = 1;
/** The command line or the configuration is wrong. */
export const EXIT_USAGE = 2;

/** What a command has to work with; nothing of it is the process itself. */
export interface CommandContext {
  readonly config: Config;
  /** Which options the user gave, by flag. */
  readonly isGiven: (flag: string) => boolean;
  readonly surroundings: Surroundings;
  readonly build: BuildInfo;
  readonly log: Logger;
  /** Results, on standard output. */
  readonly out: (text: string) => void;
  /** What a person should know beside the results, on standard error. */
  readonly complain: (text: string) => void;
  /** Asks a person; absent when there is none at a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** From now on a signal asks to stop instead of ending the program; resolves when one does. */
  readonly stopRequested: () => Promise<void>;
}

const NOBODY: ClientObserver = {
  requestEnded: () => undefined,
  renewalEnded: () => undefined,
};

/** Runs something with a connection to the service and lets go of it afterwards. */
export async function withConnection<T>(
  { config, surroundings, log }: CommandContext,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connect(config, surroundings, NOBODY, log);
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}
