import { connect, type Connection } from '../client/client.ts';
import type { ClientObserver } from '../client/exchange/transport.ts';
import { issuerOf, openSessionFile } from '../client/session/session-file.ts';
import { openUnlessInUse, sessionFileIn } from '../state/state-directory.ts';
import type { CommandContext } from './command.ts';

const NOBODY: ClientObserver = {
  requestEnded: () => undefined,
  renewalEnded: () => undefined,
  sessionReplaced: () => undefined,
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
  const { config, runtime, log, complain } = context;
  const { stateDir } = config;
  const use = async (kept?: Parameters<typeof connect>[4]): Promise<T> => {
    const connection = connect(config, runtime, NOBODY, log, kept);
    return run(connection).finally(() => connection.close());
  };
  if (stateDir === undefined) return use();
  const state = await openUnlessInUse(stateDir, runtime.newNonce);
  if (state === undefined) {
    const issuer = await issuerOf(sessionFileIn(stateDir), config, runtime.clock);
    if (issuer === undefined)
      complain(
        'solar-exporter: --state.dir is in use by a running exporter with other credentials; this command has a session of its own\n',
      );
    return use({ issuer });
  }
  try {
    return await use({
      storage: await openSessionFile(state.files.session, config, runtime.newNonce, log),
    });
  } finally {
    await state.close();
  }
}
