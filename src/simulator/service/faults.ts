import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { type Reply, type ServiceRequest, success } from './call.ts';
import type { Endpoint } from './service.ts';

interface Reach {
  /** Strikes only the next so many requests; all until cleared when left out. */
  readonly times?: number;
  /** Strikes only requests that name this station or device, or one of these; all when left out. */
  readonly about?: string | readonly string[];
}

/** One way for the service to misbehave; every kind strikes after the request has arrived. */
export type Fault = Reach &
  /** Always the same answer with status 200. */
  (
    | { readonly kind: keyof typeof CANNED }
    /** Any HTTP status. */
    | { kind: 'status'; status: number; headers?: Headers; body?: string }
    /** A well-formed envelope of so many bytes. */
    | { readonly kind: 'oversize'; readonly bytes?: number }
    /** Status 302. */
    | { readonly kind: 'redirect'; readonly location?: string }
    /** A failure (or any other) code inside status 200. */
    | { readonly kind: 'envelope'; readonly code: number | string; readonly message: string }
    /** A success envelope around any data. */
    | { readonly kind: 'data'; readonly data: unknown }
    /** The honest answer, rewritten. */
    | { kind: 'altered'; alter: (body: string, request: ServiceRequest) => string }
    /** A compressed envelope: small on the wire, so many bytes unpacked. */
    | { readonly kind: 'gzip-bomb'; readonly bytes?: number }
    /**
     * The connection breaks after the headers and part of the body, or before anything is answered; or no
     * answer comes until the simulator stops.
     */
    | { readonly kind: 'reset' | 'refuse' | 'hang' }
    /** One byte per `intervalMs` of the clock. */
    | { readonly kind: 'drip'; readonly intervalMs?: number }
  );

/** Holds the fault of each endpoint. */
export class ActiveFaults {
  readonly #faults = new Map<Endpoint | '*', { readonly fault: Fault; remaining: number }>();

  /** Sets or clears one endpoint's fault; `*` is the fault of endpoints without one of their own. */
  set(endpoint: Endpoint | '*', fault: Fault | undefined): void {
    if (fault === undefined) this.#faults.delete(endpoint);
    else this.#faults.set(endpoint, { fault, remaining: fault.times ?? Infinity });
  }

  /** Returns the fault for a request to an endpoint, and counts it as used once. */
  take(endpoint: Endpoint, request: ServiceRequest | undefined): Fault | undefined {
    const key = this.#faults.has(endpoint) ? endpoint : '*';
    const entry = this.#faults.get(key);
    if (entry === undefined) return undefined;
    const { about } = entry.fault;
    if (about !== undefined && !(request !== undefined && names(request, about))) return undefined;
    entry.remaining -= 1;
    if (entry.remaining <= 0) this.#faults.delete(key);
    return entry.fault;
  }
}

/** Whether a request names one of these ids: as a whole value in the query, or as JSON text in the body. */
function names({ query, bodyBytes }: ServiceRequest, about: string | readonly string[]): boolean {
  const asked = [...query.values()];
  const body = Buffer.from(bodyBytes);
  return [about].flat().some((id) => asked.includes(id) || body.includes(JSON.stringify(id)));
}

type Headers = Readonly<Record<string, string>>;

const JSON_TYPE: Headers = { 'content-type': 'application/json;charset=UTF-8' };
/** Bodies and headers. */
const CANNED = {
  /** A web page, as a proxy or a maintenance notice gives. */
  html: ['<!doctype html><p>Back soon.</p>', { 'content-type': 'text/html' }],
  /** JSON that breaks off, with a matching length. */
  truncated: ['{"code":0,"message":"Success","data":{"lis'],
  array: ['[]'],
  empty: ['', {}],
  'data-null': [success(null).body],
} as const satisfies Readonly<Record<string, readonly [body: string, headers?: Headers]>>;
const CHUNK_BYTES = 1_000_000;
const ENVELOPE_HEAD = '{"code":0,"message":"Success","data":{"padding":"';
const ENVELOPE_TAIL = '"}}';
// The discard port: a client that follows the redirect reaches nothing.
const NOWHERE = 'http://127.0.0.1:9/';

/** Everything that a fault needs for its answer. */
interface FaultContext {
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
  const reply = (body: string, headers: Headers = JSON_TYPE, status = 200): Promise<void> => {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
    return Promise.resolve();
  };
  switch (fault.kind) {
    case 'status':
      return reply(fault.body ?? '', fault.headers ?? {}, fault.status);
    case 'html':
    case 'truncated':
    case 'array':
    case 'empty':
    case 'data-null': {
      const [body, headers]: readonly [string, Headers?] = CANNED[fault.kind];
      return reply(body, headers);
    }
    case 'oversize': {
      const padding = (fault.bytes ?? 10_000_000) - ENVELOPE_HEAD.length - ENVELOPE_TAIL.length;
      return reply(ENVELOPE_HEAD + 'x'.repeat(padding) + ENVELOPE_TAIL);
    }
    case 'redirect':
      return reply('', { location: fault.location ?? NOWHERE }, 302);
    case 'envelope':
      return reply(JSON.stringify({ code: fault.code, message: fault.message, data: null }));
    case 'data':
      return reply(success(fault.data).body);
    case 'altered': {
      const { status, body } = honest();
      const altered = request === undefined ? body : fault.alter(body, request);
      return reply(altered, JSON_TYPE, status);
    }
    case 'gzip-bomb':
      sendBomb(response, fault.bytes ?? 200_000_000);
      return;
    case 'reset':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 });
      response.write('{"code":0,"me', () => response.destroy());
      return;
    case 'refuse':
      response.destroy();
      return;
    case 'hang':
      return;
    case 'drip':
      return drip(response, clock, fault.intervalMs ?? 100);
  }
}

async function drip(response: ServerResponse, clock: Clock, intervalMs: number): Promise<void> {
  const body = '{"code":0,"message":"Success","data":{"list":[]}}';
  response.writeHead(200, { ...JSON_TYPE, 'content-length': body.length });
  for (const byte of body) {
    await clock.sleep(intervalMs);
    if (response.destroyed) return;
    response.write(byte);
  }
  response.end();
}

/** Joins gzip members, so that the unpacked text never exists here as a whole. */
function sendBomb(response: ServerResponse, bytes: number): void {
  const padding = gzipSync('x'.repeat(CHUNK_BYTES));
  const members = new Array<Buffer>(Math.ceil(bytes / CHUNK_BYTES)).fill(padding);
  const body = Buffer.concat([gzipSync(ENVELOPE_HEAD), ...members, gzipSync(ENVELOPE_TAIL)]);
  const headers = { ...JSON_TYPE, 'content-encoding': 'gzip', 'content-length': body.length };
  response.writeHead(200, headers);
  response.end(body);
}
