import type { IncomingHttpHeaders } from 'node:http';
import { ConfigError } from '../base/errors.ts';
import { type Route, textReply } from './reply.ts';

export interface ReloadRouteOptions {
  readonly isEnabled: boolean;
  /** Rejects with a ConfigError when the configuration is unusable; nothing changes then. */
  readonly reload: () => Promise<void>;
}

const NOT_RELOADED = textReply(
  400,
  'Not reloaded; the log says why. The configuration before goes on.',
);

/** Creates `/-/reload`, which reads the configuration again. */
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
      // The problems name files and quote values, which only the readers of the log may see.
      if (error instanceof ConfigError) return NOT_RELOADED;
      throw error;
    }
  };
  return Object.assign(route, { methods: ['POST'] });
}

/** Whether a browser sent the request for a page. Without this check, any page that an operator visits could reload. */
function isFromWebPage(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin !== undefined || (site !== undefined && site !== 'none');
}
