import { connect, type Connection } from '../client/connect.ts';
import { credentialTexts } from '../client/session/credentials.ts';
import type { ClientObserver } from '../client/exchange/send-request.ts';
import { SessionFile } from '../client/session/session-file.ts';
import type { Config, ParsedConfig } from '../config/config.ts';
import type { Logger, ProgramLog } from '../base/log.ts';
import type { BuildInfo } from '../metrics/definitions.ts';
import { openUnlessInUse, type StateDirectory } from '../state/state-directory.ts';
import type { Runtime } from '../base/runtime.ts';

/** Everything went well. */
export const EXIT_OK = 0;
/** The service or the network failed. */
export const EXIT_FAILED = 1;
/** The command line or the configuration is wrong. */
export const EXIT_USAGE = 2;

/** Everything that a command may use. It reaches the process only through this. */
export interface CommandContext {
  readonly config: Config;
  /** Whether the user gave this option, named by its flag, in any source. */
  readonly isGiven: (flag: string) => boolean;
  readonly runtime: Runtime;
  readonly build: BuildInfo;
  readonly log: ProgramLog;
  readonly setLogLevel: (level: string) => void;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
  /** Reads the configuration again; rejects with a ConfigError. */
  readonly readConfig: () => Promise<ParsedConfig>;
  /** Prints results on standard output. */
  readonly out: (text: string) => void;
  /** Prints on standard error what a person should know beside the results. */
  readonly complain: (text: string) => void;
  /** Asks the person at the terminal; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Makes signals ask the command to stop, instead of ending the program; resolves at the first such signal. */
  readonly stopRequested: () => Promise<void>;
  /** Makes the signal to reload call this, instead of ending the program. */
  readonly onReloadRequested: (reload: () => void) => void;
}

const NOBODY: ClientObserver = {
  requestEnded: () => undefined,
  renewalEnded: () => undefined,
  dropped: () => undefined,
};

/** Runs a function with a connection to the service, and closes the connection afterwards. */
export async function withConnection<T>(
  { config, runtime, log, complain }: CommandContext,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { stateDir } = config;
  const state =
    stateDir === undefined ? undefined : await openUnlessInUse(stateDir, runtime.newNonce);
  if (stateDir !== undefined && state === undefined)
    complain(
      'solar-exporter: --state.dir is in use by a running exporter; this command has a session of its own\n',
    );
  try {
    const storage = state && (await sessionFileIn(state, config, runtime, log));
    const connection = connect(config, runtime, NOBODY, log, storage);
    try {
      return await run(connection);
    } finally {
      await connection.close();
    }
  } finally {
    await state?.close();
  }
}

function sessionFileIn(
  { session: file }: StateDirectory,
  config: Config,
  { newNonce }: Runtime,
  log: Logger,
): Promise<SessionFile> {
  return SessionFile.open({ file, credentials: credentialTexts(config), newSalt: newNonce, log });
}
