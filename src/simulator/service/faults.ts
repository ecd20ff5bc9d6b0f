import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Clock } from '../../base/clock.ts';
import { JSON_TYPE, type Reply, sendReply, type ServiceRequest } from './call.ts';
import type { Endpoint } from './service.ts';

interface Reach {
  /** Strikes only the next so many requests; all until cleared when left out. */
  readonly times?: number;
  /** Strikes only requests that name this station or device, or one of these; all when left out. */
  readonly about?: string | readonly string[];
}

/** One way for the service to misbehave; every kind strikes after the request has arrived. */
export type Fault = Reach &
  /** Always the same answer: status 200 where no other is given, and an object as JSON. */
  (
    | { kind: 'reply'; status?: number; headers?: Reply['headers']; body?: string | object }
    /** The honest answer, rewritten. */
    | { kind: 'altered'; alter: (body: string, request: ServiceRequest) => string }
    /** A well-formed envelope of so many bytes; one that is zipped is small on the wire. */
    | { readonly kind: 'oversize'; readonly bytes: number; readonly isZipped?: boolean }
    /**
     * The connection breaks after the headers and part of the body, or before anything is answered; or no
     * answer comes until the simulator stops.
     */
    | { readonly kind: 'reset' | 'refuse' | 'hang' }
    /** One byte per `intervalMs` of the clock. */
    | { readonly kind: 'drip'; readonly intervalMs: number }
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
  take(endpoint: Endpoint, request: ServiceRequest): Fault | undefined {
    const key = this.#faults.has(endpoint) ? endpoint : '*';
    const entry = this.#faults.get(key);
    if (entry === undefined) return undefined;
    const { about } = entry.fault;
    if (about !== undefined && !names(request, about)) return undefined;
    entry.remaining -= 1;
    if (entry.remaining <= 0) this.#faults.delete(key);
    return entry.fault;
  }
}

/** Whether a request names one of these ids: as a whole value in the query, or as JSON text in the body. */
function names({ query, bodyBytes }: ServiceRequest, about: string | readonly string[]): boolean {
  const asked = [...query.values()];
  return [about].flat().some((id) => asked.includes(id) || bodyBytes.includes(JSON.stringify(id)));
}

const CHUNK_BYTES = 1_000_000;
const ENVELOPE_HEAD = '{"code":0,"message":"Success","data":{"padding":"';
const ENVELOPE_TAIL = '"}}';

/** Everything that a fault needs for its answer. */
interface FaultContext {
  readonly response: ServerResponse;
  readonly request: ServiceRequest;
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
    case 'reply': {
      const { status = 200, headers, body = '' } = fault;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      sendReply(response, { status, body: text, ...(headers && { headers }) });
      return;
    }
    case 'altered': {
      const { status, body } = honest();
      sendReply(response, { status, body: fault.alter(String(body), request) });
      return;
    }
    case 'oversize':
      sendReply(response, oversized(fault.bytes, fault.isZipped));
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
      return drip(response, clock, fault.intervalMs);
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

function oversized(bytes: number, isZipped = false): Reply {
  const padding = bytes - ENVELOPE_HEAD.length - ENVELOPE_TAIL.length;
  if (!isZipped) return { status: 200, body: ENVELOPE_HEAD + 'x'.repeat(padding) + ENVELOPE_TAIL };
  // Gzip members are joined, so that the unpacked text never exists here as a whole.
  const member = gzipSync('x'.repeat(CHUNK_BYTES));
  const members = new Array<Buffer>(Math.ceil(padding / CHUNK_BYTES)).fill(member);
  const body = Buffer.concat([gzipSync(ENVELOPE_HEAD), ...members, gzipSync(ENVELOPE_TAIL)]);
  return { status: 200, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body };
}
