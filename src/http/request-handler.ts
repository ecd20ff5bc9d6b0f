import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../base/log.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import type { HostCheck } from './host-check.ts';
import { type Reply, type Route, textReply } from './reply.ts';
import type { ServerLimits } from './server-limits.ts';
import type { WebConfig } from './web-config/web-config.ts';

const GET_AND_HEAD = ['GET', 'HEAD'];

/** The paths of probes, which are answered even when busy: an orchestrator restarts an exporter that fails them. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);

const NOT_FOUND = textReply(404, 'Not found.');
const TOO_BUSY = textReply(503, 'Too many requests at once; --web.max-requests says how many.', {
  'retry-after': '1',
});

export interface RequestHandlerOptions {
  readonly routes: () => ReadonlyMap<string, Route>;
  readonly webConfig: () => WebConfig | undefined;
  readonly authenticator: Authenticator;
  readonly hostCheck: HostCheck;
  /** 0: any number. */
  readonly maxRequests: number;
  readonly limits: ServerLimits;
  readonly isStopping: () => boolean;
  readonly log: Logger;
}

/**
 * Answers requests: it authenticates the client, counts the request, and calls the route. A limit on what a
 * request may do belongs here; one on what a connection may do belongs into `connections.ts`.
 */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  #answeringCount = 0;
  #isBusyLogged = false;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Answers a request, within this call unless the route or the password has to be waited for. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    try {
      const config = this.#options.webConfig();
      const send = (reply: Reply): void => this.#send(request, response, reply, config);
      const fail = (error: unknown): void => {
        this.#options.log.error({ err: error }, 'request failed unexpectedly');
        send(textReply(500, 'Internal error; the log says more.'));
      };
      try {
        const reply = this.#reply(request, response, config);
        if (reply instanceof Promise) reply.then(send).catch(fail);
        else send(reply);
      } catch (error) {
        fail(error);
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'request could not be answered');
      response.destroy();
    }
  }

  #reply(
    request: IncomingMessage,
    response: ServerResponse,
    config: WebConfig | undefined,
  ): Reply | Promise<Reply> {
    const misdirected = this.#options.hostCheck.refusal(request.headers);
    if (misdirected !== undefined) return misdirected;
    const path = pathOf(request.url ?? '');
    if (config === undefined || config.users.size === 0 || config.openPaths.has(path))
      return this.#admit(path, request, response);
    const { authenticator } = this.#options;
    const { headers, socket } = request;
    const client = { address: socket.remoteAddress, connection: socket };
    const refusal = authenticator.refusal(config.users, headers.authorization, client);
    return refusal instanceof Promise
      ? refusal.then((refused) => refused ?? this.#admit(path, request, response))
      : (refusal ?? this.#admit(path, request, response));
  }

  #admit(path: string, request: IncomingMessage, response: ServerResponse): Reply | Promise<Reply> {
    const { maxRequests } = this.#options;
    // A client that left while its password was compared has closed already, and would be counted for ever.
    if (maxRequests > 0 && !ALWAYS_ANSWERED.has(path) && !response.destroyed) {
      if (this.#answeringCount >= maxRequests) return this.#turnAway();
      this.#answeringCount += 1;
      response.once('close', () => {
        this.#answeringCount -= 1;
        if (this.#answeringCount === 0) this.#isBusyLogged = false;
      });
    }
    const route = this.#options.routes().get(path);
    if (route === undefined) return NOT_FOUND;
    const methods = route.methods ?? GET_AND_HEAD;
    return methods.includes(request.method ?? '') ? route(request) : notAllowed(methods);
  }

  /** Refuses a request. It logs the first refusal, and the next one only after all requests were answered. */
  #turnAway(): Reply {
    if (!this.#isBusyLogged)
      this.#options.log.warn({}, 'requests turned away: more at once than --web.max-requests');
    this.#isBusyLogged = true;
    return TOO_BUSY;
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: Reply,
    config: WebConfig | undefined,
  ): void {
    const { isStopping, limits } = this.#options;
    // A stop waits for connections, and a large body is never read: both end with the connection.
    if (isStopping() || hasLargeBody(request, limits)) response.setHeader('connection', 'close');
    response.writeHead(status, config === undefined ? headers : { ...headers, ...config.headers });
    response.end(request.method === 'HEAD' ? undefined : body);
    const { socket } = response;
    // Most answers are in the system's buffers by now, and need no timer.
    if (socket !== null && socket.writableLength > 0) socket.setTimeout(limits.sendTimeoutMs);
  }
}

function notAllowed(methods: readonly string[]): Reply {
  const verb = methods.length === 1 ? 'is' : 'are';
  return textReply(405, `Only ${methods.join(' and ')} ${verb} answered here.`, {
    allow: methods.join(', '),
  });
}

/** Whether the body of the request is, or may be, too large to be skipped. */
function hasLargeBody(
  { headers }: IncomingMessage,
  { maxIgnoredBodyBytes }: ServerLimits,
): boolean {
  return (
    Number(headers['content-length'] ?? 0) > maxIgnoredBodyBytes ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined
  );
}

/** Returns the path of a request target without its query; a target may also be a whole URL (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (path.startsWith('/')) return path;
  const [, pathOfUrl] = /^https?:\/\/[^/]*(.*)$/is.exec(path) ?? [];
  return pathOfUrl === '' ? '/' : (pathOfUrl ?? path);
}
