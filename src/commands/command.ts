import { connect, type Connection } from '../client/client.ts';
import type { ClientObserver } from '../client/exchange/transport.ts';
import { RequestBucket } from '../client/exchange/request-bucket.ts';
import { issuerOf, openSessionFile } from '../client/session/session-file.ts';
import type { ParsedConfig } from '../config/config.ts';
import type { ProgramLog } from '../base/log.ts';
import type { BuildInfo } from '../metrics/self.ts';
import { openUnlessInUse, sessionFileIn, spentFileIn } from '../state/state-directory.ts';
import type { Runtime } from '../base/clock.ts';

/** Everything went well. */
export const EXIT_OK = 0;
/** The service or the network failed. */
export const EXIT_FAILED = 1;
/** The command line or the configuration is wrong. */
export const EXIT_USAGE = 2;
/** The person has interrupted it. */
export const EXIT_INTERRUPTED = 130;

/** Everything that a command may use. It reaches the process only through this. */
export interface CommandContext extends ParsedConfig {
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
  /** The terminal that shows standard error; undefined where something else takes it. */
  readonly terminal: NodeJS.WritableStream | undefined;
  /**
   * Makes signals ask the command to stop, instead of ending the program; resolves at the first such signal. The
   * next one ends the program at once.
   *
   * @param endsItself - whether the command may take as long as it likes to stop; else the program ends soon.
   */
  readonly stopRequested: (endsItself?: boolean) => Promise<void>;
  /** Makes the signal to reload call this, instead of ending the program. */
  readonly onReloadRequested: (reload: () => void) => void;
}

const NOBODY: ClientObserver = {
  requestEnded: () => undefined,
  renewalEnded: () => undefined,
  dropped: () => undefined,
};

/**
 * Runs a function with a connection to the service, and closes the connection afterwards. It goes on with the
 * session in `--state.dir`; while an exporter runs there, it uses the session of that exporter.
 *
 * @throws ConfigError when the directory or the connection's options cannot be used.
 */
export async function withConnection<T>(
  context: CommandContext,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { config, runtime, log } = context;
  const { stateDir } = config;
  if (stateDir === undefined) return runAndClose(connect(config, runtime, NOBODY, log), run);
  const state = await openUnlessInUse(stateDir, runtime.newNonce);
  if (state === undefined) return runBeside(stateDir, context, run);
  const { clock } = runtime;
  const files = state.ofAccount(config.accountName);
  const bucket = await RequestBucket.open(clock, log, files.requestCount);
  try {
    const storage = await openSessionFile(files.session, config, runtime.newNonce, log);
    return await runAndClose(connect(config, runtime, NOBODY, log, { storage, bucket }), run);
  } finally {
    await bucket.close();
    await state.close();
  }
}

/** Runs a function beside the exporter that uses the directory. */
async function runBeside<T>(
  stateDir: string,
  { config, runtime, log, complain }: CommandContext,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  const { clock } = runtime;
  const file = sessionFileIn(stateDir, config.accountName);
  const issuer = await issuerOf(file, config, clock);
  if (issuer === undefined) {
    complain(
      'solar-exporter: --state.dir is in use by a running exporter with other credentials; this command has a session of its own\n',
    );
    return runAndClose(connect(config, runtime, NOBODY, log), run);
  }
  const bucket = await RequestBucket.open(clock, log, spentFileIn(stateDir, config.accountName));
  try {
    return await runAndClose(connect(config, runtime, NOBODY, log, { issuer, bucket }), run);
  } finally {
    await bucket.close();
  }
}

async function runAndClose<T>(
  connection: Connection,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}
