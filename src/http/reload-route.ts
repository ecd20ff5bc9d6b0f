import type { IncomingHttpHeaders } from 'node:http';
import { ConfigError } from '../errors.ts';
import { textReply } from './reply.ts';
import type { Route } from './route.ts';

export interface ReloadRouteOptions {
  readonly isEnabled: boolean;
  /** Rejects with a ConfigError when the configuration is no good, and everything stays as it was. */
  readonly reload: () => Promise<void>;
}

const NOT_RELOADED = textReply(
  400,
  'Not reloaded; the log says why. The configuration before goes on.',
);

/** `/-/reload`, which reads the configuration again. */
export function reloadRoute({ isEnabled, reload }: ReloadRouteOptions): Route {
  const route: Route = async ({ headers }) => {
    if (!isEnabled)
      return textReply(
        403,
        'Reloading over HTTP is off; --web.enable-lifecycle turns it on, and the signal SIGHUP reloads without it.',
      );
    if (isFromWebPage(headers))
      return textReply(403, 'A web page may not reload the configuration.');
    try {
      await reload();
      return textReply(200, 'Reloaded.');
    } catch (error) {
      // The sentences name files and quote values: the log is for those who may read them.
      if (error instanceof ConfigError) return NOT_RELOADED;
      throw error;
    }
  };
  return Object.assign(route, { methods: ['POST'] });
}

/** A browser says so of every POST; without it, any page that an operator visits could send one here. */
function isFromWebPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}
