import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import type { Fault } from './faults.ts';
import { success, type Reply } from './reply.ts';
import type { ServiceRequest } from './service-request.ts';

const JSON_TYPE = 'application/json;charset=UTF-8';
const DEFAULT_OVERSIZE_BYTES = 10_000_000;
const DEFAULT_BOMB_BYTES = 200_000_000;
const CHUNK_BYTES = 1_000_000;
const ENVELOPE_ENDS = ['{"code":0,"message":"Success","data":{"padding":"', '"}}'] as const;
const DEFAULT_DRIP_INTERVAL_MS = 100;
// The discard port: a client that follows the redirect reaches nothing.
const DEFAULT_REDIRECT = 'http://127.0.0.1:9/';

/** Everything that a fault needs for its answer. */
export interface FaultContext {
  readonly response: ServerResponse;
  /** Absent when its body was larger than the service accepts. */
  readonly request: ServiceRequest | undefined;
  /** Makes the answer that the fault replaces. */
  readonly honest: () => Reply;
  readonly clock: Clock;
}

/** Answers as the fault says. A dripping answer resolves when it ends or the client has gone. */
export async function sendFault(
  fault: Fault,
  { response, request, honest, clock }: FaultContext,
): Promise<void> {
  switch (fault.kind) {
    case 'status':
      send(response, fault.status, fault.headers ?? {}, fault.body ?? '');
      return;
    case 'html':
      send(response, 200, { 'content-type': 'text/html' }, '<!doctype html><p>Back soon.</p>');
      return;
    case 'truncated':
      sendJson(response, '{"code":0,"message":"Success","data":{"lis');
      return;
    case 'array':
      sendJson(response, '[]');
      return;
    case 'oversize':
      sendOversize(response, fault.bytes ?? DEFAULT_OVERSIZE_BYTES);
      return;
    case 'gzip-bomb':
      sendBomb(response, fault.bytes ?? DEFAULT_BOMB_BYTES);
      return;
    case 'redirect':
      send(response, 302, { location: fault.location ?? DEFAULT_REDIRECT }, '');
      return;
    case 'empty':
      send(response, 200, {}, '');
      return;
    case 'envelope':
      sendJson(response, JSON.stringify({ code: fault.code, message: fault.message, data: null }));
      return;
    case 'data-null':
      sendJson(response, success(null).body);
      return;
    case 'data':
      sendJson(response, success(fault.data).body);
      return;
    case 'altered': {
      const { status, body } = honest();
      const altered = request === undefined ? body : fault.alter(body, request);
      send(response, status, { 'content-type': JSON_TYPE }, altered);
      return;
    }
    case 'reset':
      response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': 1000 });
      response.write('{"code":0,"me', () => response.destroy());
      return;
    case 'refuse':
      response.destroy();
      return;
    case 'hang':
      return;
    case 'drip':
      await drip(response, clock, fault.intervalMs ?? DEFAULT_DRIP_INTERVAL_MS);
  }
}

async function drip(response: ServerResponse, clock: Clock, intervalMs: number): Promise<void> {
  const body = '{"code":0,"message":"Success","data":{"list":[]}}';
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': body.length });
  for (const byte of body) {
    await clock.sleep(intervalMs);
    if (response.destroyed) return;
    response.write(byte);
  }
  response.end();
}

/** Sends the body in pieces made on demand, because a client may hang up early. */
function sendOversize(response: ServerResponse, bytes: number): void {
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': bytes });
  Readable.from(pieces(bytes)).pipe(response);
}

function* pieces(bytes: number): Generator<string> {
  const [head, tail] = ENVELOPE_ENDS;
  const padding = 'x'.repeat(CHUNK_BYTES);
  yield head;
  let left = Math.max(0, bytes - head.length - tail.length);
  for (; left > 0; left -= CHUNK_BYTES) yield left < CHUNK_BYTES ? 'x'.repeat(left) : padding;
  yield tail;
}

/** Joins gzip members, so that the unpacked text never exists here as a whole. */
function sendBomb(response: ServerResponse, bytes: number): void {
  const [head, tail] = ENVELOPE_ENDS.map((end) => gzipSync(end));
  const padding = gzipSync('x'.repeat(CHUNK_BYTES));
  const members = new Array<Buffer>(Math.ceil(bytes / CHUNK_BYTES)).fill(padding);
  const body = Buffer.concat([head, ...members, tail].filter((member) => member !== undefined));
  const headers = { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' };
  response.writeHead(200, { ...headers, 'content-length': body.length });
  response.end(body);
}

function sendJson(response: ServerResponse, body: string): void {
  send(response, 200, { 'content-type': JSON_TYPE }, body);
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
