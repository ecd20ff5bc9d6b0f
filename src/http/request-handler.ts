import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../base/log.ts';
import type { Authenticator } from './authentication/authenticator.ts';
import type { Connections } from './connections.ts';
import type { HostCheck } from './host-check.ts';
import type { LimitLog } from './limit-log.ts';
import { type Reply, type Route, textReply } from './reply.ts';
import { sendBody } from './send-body.ts';
import type { ServerLimits } from './server-limits.ts';
import type { WebConfig } from './web-config/web-config.ts';

const GET_AND_HEAD = ['GET', 'HEAD'];

/** The paths of probes, which are answered even when busy: an orchestrator restarts an exporter that fails them. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);

const NO_BODY = Buffer.alloc(0);
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
  readonly connections: Pick<Connections, 'letIn' | 'answerHandedOver'>;
  readonly isStopping: () => boolean;
  readonly log: Logger;
  readonly limitLog: LimitLog;
}

/**
 * Answers requests: it authenticates the client, counts the request, and calls the route. A limit on what a
 * request may do belongs here; one on what a connection may do belongs into `connections.ts`.
 */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  #makingCount = 0;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
  }

  /** Answers a request, within this call unless the route or the password has to be waited for. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    try {
      const config = this.#options.webConfig();
      try {
        const reply = this.#reply(request, response, config);
        if (reply instanceof Promise) this.#sendWhenMade(request, response, reply, config);
        else this.#send(request, response, reply, config);
      } catch (error) {
        this.#fail(request, response, error, config);
      }
    } catch (error) {
      this.#options.log.error({ err: error }, 'request could not be answered');
      response.destroy();
    }
  }

  /** Refuses a request because too many of its connection wait already. */
  refuse(request: IncomingMessage, response: ServerResponse): void {
    const { limits, webConfig } = this.#options;
    const limit = `At most ${limits.maxWaitingRequests} requests may wait on one connection`;
    const reply = textReply(503, `${limit}: this is its last answer.`);
    this.#send(request, response, reply, webConfig());
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
    const { authenticator, connections } = this.#options;
    const { headers, socket } = request;
    const admit = (): Reply | Promise<Reply> => {
      connections.letIn(socket);
      return this.#admit(path, request, response);
    };
    const client = { address: socket.remoteAddress, connection: socket };
    const refusal = authenticator.refusal(config.users, headers.authorization, client);
    return refusal instanceof Promise
      ? refusal.then((refused) => refused ?? admit())
      : (refusal ?? admit());
  }

  #admit(path: string, request: IncomingMessage, response: ServerResponse): Reply | Promise<Reply> {
    const { maxRequests, limitLog } = this.#options;
    const isCounted = maxRequests > 0 && !ALWAYS_ANSWERED.has(path);
    if (isCounted && this.#makingCount >= maxRequests) {
      limitLog.reached('requests turned away: more at once than --web.max-requests', {
        maxRequests,
      });
      return TOO_BUSY;
    }
    const route = this.#options.routes().get(path);
    if (route === undefined) return NOT_FOUND;
    const methods = route.methods ?? GET_AND_HEAD;
    if (!methods.includes(request.method ?? '')) return notAllowed(methods);
    const reply = route(request);
    if (isCounted && reply instanceof Promise) this.#countUntilMade(reply, response);
    return reply;
  }

  /** Counts an answer while it is made. One that is sent is a matter of its connection. */
  #countUntilMade(reply: Promise<Reply>, response: ServerResponse): void {
    // A client that left while its password was compared has closed already, and would not be noticed.
    if (response.destroyed) return;
    let isCounted = true;
    const end = (): void => {
      if (isCounted) this.#makingCount -= 1;
      isCounted = false;
    };
    this.#makingCount += 1;
    response.once('close', end);
    reply.then(end, end);
  }

  #sendWhenMade(
    request: IncomingMessage,
    response: ServerResponse,
    reply: Promise<Reply>,
    config: WebConfig | undefined,
  ): void {
    reply
      .then((made) => this.#send(request, response, made, config))
      .catch((error: unknown) => this.#fail(request, response, error, config));
  }

  #fail(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    config: WebConfig | undefined,
  ): void {
    this.#options.log.error({ err: error }, 'request failed unexpectedly');
    const reply = textReply(500, 'Internal error; the log says more.');
    this.#send(request, response, reply, config);
  }

  #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: Reply,
    config: WebConfig | undefined,
  ): void {
    const { isStopping, limits, connections } = this.#options;
    // A stop waits for connections, and a large body is never read: both end with the connection.
    if (isStopping() || hasLargeBody(request, limits)) response.setHeader('connection', 'close');
    response.writeHead(status, config === undefined ? headers : { ...headers, ...config.headers });
    const unsentBytes = sendBody(response, request.method === 'HEAD' ? NO_BODY : body);
    if (unsentBytes > 0) connections.answerHandedOver(request.socket, response, unsentBytes);
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
