import type { Connection } from '../client/connect.ts';
import { connect } from '../client/connect.ts';
import { credentialTexts } from '../client/credentials.ts';
import type { ClientObserver } from '../client/observer.ts';
import { TokenStore } from '../client/token-store.ts';
import type { Config, ParsedConfig } from '../config/config.ts';
import type { Logger } from '../log.ts';
import type { BuildInfo } from '../metrics/status-samples.ts';
import { openUnlessInUse, type StateDirectory } from '../state/state-directory.ts';
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
  readonly setLogLevel: (level: string) => void;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
  /** Reads the configuration anew; rejects with a ConfigError. */
  readonly readConfig: () => Promise<ParsedConfig>;
  /** Results, on standard output. */
  readonly out: (text: string) => void;
  /** What a person should know beside the results, on standard error. */
  readonly complain: (text: string) => void;
  /** Asks a person; absent when there is none at a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** From now on a signal asks to stop instead of ending the program; resolves when one does. */
  readonly stopRequested: () => Promise<void>;
  /** From now on the signal to reload does this instead of ending the program. */
  readonly onReloadRequested: (reload: () => void) => void;
}

const NOBODY: ClientObserver = {
  requestEnded: () => undefined,
  renewalEnded: () => undefined,
};

/** Runs something with a connection to the service and lets go of it afterwards. */
export async function withConnection<T>(
  { config, surroundings, log, complain }: CommandContext,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { stateDir } = config;
  const state =
    stateDir === undefined ? undefined : await openUnlessInUse(stateDir, surroundings.newNonce);
  if (stateDir !== undefined && state === undefined)
    complain(
      'solar-exporter: --state.dir is in use by a running exporter; this command has a session of its own\n',
    );
  try {
    const keeper = state && (await keeperIn(state, config, surroundings, log));
    const connection = connect(config, surroundings, NOBODY, log, keeper);
    try {
      return await run(connection);
    } finally {
      await connection.close();
    }
  } finally {
    await state?.close();
  }
}

function keeperIn(
  { session: file }: StateDirectory,
  config: Config,
  { newNonce }: Surroundings,
  log: Logger,
): Promise<TokenStore> {
  return TokenStore.open({ file, credentials: credentialTexts(config), newSalt: newNonce, log });
}
