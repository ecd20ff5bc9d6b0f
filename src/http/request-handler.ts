import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../log.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import { type Reply, textReply } from './reply.ts';
import { pathOf } from './request-target.ts';
import type { Route } from './route.ts';
import type { ServerLimits } from './server-limits.ts';
import type { WebConfig } from './web-config/web-config.ts';

const GET_AND_HEAD = ['GET', 'HEAD'];

/** Asked by what restarts or removes an exporter that does not answer: never too busy for these. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);

const NOT_FOUND = textReply(404, 'Not found.');
const TOO_BUSY = textReply(503, 'Too many requests at once; --web.max-requests says how many.', {
  'retry-after': '1',
});

export interface RequestHandlerOptions {
  readonly routes: () => ReadonlyMap<string, Route>;
  readonly webConfig: () => WebConfig | undefined;
  readonly authenticator: Authenticator;
  /** 0: any number. */
  readonly maxRequests: number;
  readonly limits: ServerLimits;
  readonly isStopping: () => boolean;
  readonly log: Logger;
}

/** Answers requests: who may not come in first, then what cannot be, then what a route says. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  #answeringCount = 0;
  #isBusyTold = false;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Nothing is waited for unless the answer needs it. */
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
    const path = pathOf(request.url ?? '');
    if (config === undefined || config.users.size === 0 || config.openPaths.has(path))
      return this.#admit(path, request, response);
    const { authenticator } = this.#options;
    const refusal = authenticator.refusal(config.users, request.headers.authorization);
    return refusal instanceof Promise
      ? refusal.then((refused) => refused ?? this.#admit(path, request, response))
      : (refusal ?? this.#admit(path, request, response));
  }

  #admit(path: string, request: IncomingMessage, response: ServerResponse): Reply | Promise<Reply> {
    const { maxRequests } = this.#options;
    // Who left while the password was compared has closed already, and would be counted for ever.
    if (maxRequests > 0 && !ALWAYS_ANSWERED.has(path) && !response.destroyed) {
      if (this.#answeringCount >= maxRequests) return this.#turnAway();
      this.#answeringCount += 1;
      response.once('close', () => {
        this.#answeringCount -= 1;
        if (this.#answeringCount === 0) this.#isBusyTold = false;
      });
    }
    const route = this.#options.routes().get(path);
    if (route === undefined) return NOT_FOUND;
    const methods = route.methods ?? GET_AND_HEAD;
    return methods.includes(request.method ?? '') ? route(request) : notAllowed(methods);
  }

  /** One line when it begins, and again after all were answered. */
  #turnAway(): Reply {
    if (!this.#isBusyTold)
      this.#options.log.warn({}, 'requests turned away: more at once than --web.max-requests');
    this.#isBusyTold = true;
    return TOO_BUSY;
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: Reply,
    config: WebConfig | undefined,
  ): void {
    const { isStopping, limits } = this.#options;
    // While stopping, a connection kept alive would only be waited for; and no body is ever read.
    if (isStopping() || hasLargeBody(request, limits)) response.setHeader('connection', 'close');
    response.writeHead(status, config === undefined ? headers : { ...headers, ...config.headers });
    response.end(request.method === 'HEAD' ? undefined : body);
    const { socket } = response;
    // Most answers are with the system by now, and need no timer.
    if (socket !== null && socket.writableLength > 0) socket.setTimeout(limits.sendTimeoutMs);
  }
}

function notAllowed(methods: readonly string[]): Reply {
  const verb = methods.length === 1 ? 'is' : 'are';
  return textReply(405, `Only ${methods.join(' and ')} ${verb} answered here.`, {
    allow: methods.join(', '),
  });
}

/** Whether a body follows that is too large, or may be, to be let past. */
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
