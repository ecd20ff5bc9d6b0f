import type { IncomingMessage } from 'node:http';
import type { Reply } from './reply.ts';

/** Answers a GET or HEAD for one path. */
export type Route = (request: IncomingMessage) => Reply | Promise<Reply>;
