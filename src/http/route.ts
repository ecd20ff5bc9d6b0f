import type { IncomingMessage } from 'node:http';
import type { Reply } from './reply.ts';

/** Answers requests for one path. */
export interface Route {
  (request: IncomingMessage): Reply | Promise<Reply>;
  /** GET and HEAD when absent; a HEAD is answered as a GET, without the body. */
  readonly methods?: readonly string[];
}
