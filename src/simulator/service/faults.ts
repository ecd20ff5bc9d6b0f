import type { Endpoint } from './endpoints.ts';
import type { ServiceRequest } from './service-request.ts';

interface Reach {
  /** Strikes only the next so many requests; all until cleared when left out. */
  readonly times?: number;
  /** Strikes only requests that name this station or device, or one of these; all when left out. */
  readonly about?: string | readonly string[];
}

/** One way for the service to misbehave; every kind strikes after the request has arrived. */
export type Fault = Reach &
  (
    | {
        /** Any HTTP status. */
        readonly kind: 'status';
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: string;
      }
    /** A web page with status 200, as a proxy or a maintenance notice gives. */
    | { readonly kind: 'html' }
    /** JSON that breaks off, with a matching length. */
    | { readonly kind: 'truncated' }
    /** A JSON array in place of the envelope. */
    | { readonly kind: 'array' }
    /** A well-formed envelope of so many bytes. */
    | { readonly kind: 'oversize'; readonly bytes?: number }
    /** Status 302. */
    | { readonly kind: 'redirect'; readonly location?: string }
    /** Status 200 and no body. */
    | { readonly kind: 'empty' }
    /** A failure (or any other) code inside status 200. */
    | { readonly kind: 'envelope'; readonly code: number | string; readonly message: string }
    /** A success envelope whose data is null. */
    | { readonly kind: 'data-null' }
    /** A success envelope around any data. */
    | { readonly kind: 'data'; readonly data: unknown }
    /** The honest answer, rewritten. */
    | {
        readonly kind: 'altered';
        readonly alter: (body: string, request: ServiceRequest) => string;
      }
    /** A compressed envelope: small on the wire, so many bytes unpacked. */
    | { readonly kind: 'gzip-bomb'; readonly bytes?: number }
    /** The connection breaks after the headers and part of the body. */
    | { readonly kind: 'reset' }
    /** The connection breaks before anything is answered. */
    | { readonly kind: 'refuse' }
    /** No answer until the simulator stops. */
    | { readonly kind: 'hang' }
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
  const ids = [about].flat();
  const asked = [...query.values()];
  const body = Buffer.from(bodyBytes);
  return ids.some((id) => asked.includes(id) || body.includes(JSON.stringify(id)));
}
