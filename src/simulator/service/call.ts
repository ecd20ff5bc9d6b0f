import { type IncomingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http';
import type { FleetDevice, FleetStation } from '../physics/fleet.ts';
import type { World } from './world.ts';

/** One request, read completely. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: Buffer;
}

/** A JSON object from a request body. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Which part of a list is asked for; pages start at 1. */
export type Paging = Readonly<Record<'page' | 'count', number>>;

const SENT_TYPE = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i;
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
// As the portal has it; the specification states none (service.md#paging).
const MOST_PER_PAGE = 2000;

/** A request to the service and what it asks for; what it does not say rightly is refused with code 20101. */
export class Call {
  readonly request: ServiceRequest;
  readonly world: World;

  constructor(request: ServiceRequest, world: World) {
    this.request = request;
    this.world = world;
  }

  /** Reads a header that a client sends once; absent and repeated ones read as undefined. */
  header(name: string): string | undefined {
    const value = this.request.headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  }

  /** Reads a parameter of the query; empty when it is left out. */
  query(name: string): string {
    return this.request.query.get(name) ?? '';
  }

  /** Reads the JSON object every POST takes; throws status 400, as the service's framework does. */
  get body(): JsonObject {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(this.request.bodyBytes);
      const body: unknown = JSON.parse(text);
      const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
      if (isObject && SENT_TYPE.test(this.header('content-type') ?? '')) return { ...body };
    } catch {
      // Falls through: broken JSON and JSON that is not an object are the same mistake.
    }
    throw rejected(400);
  }

  /** Reads a string field of the body; a number in particular is refused. */
  text(name: string, body = this.body): string {
    const value = body[name];
    if (typeof value !== 'string') throw illegalArgument(name);
    return value;
  }

  /** Reads the list `keys` of the body, which may be left out. */
  keys(): readonly string[] | undefined {
    const { keys } = this.body;
    if (keys === undefined) return undefined;
    const isText = (key: unknown): key is string => typeof key === 'string';
    if (!Array.isArray(keys) || !keys.every(isText)) throw illegalArgument('keys');
    return keys;
  }

  /** Reads an ISO-8601 instant with an offset; some clients send fractions of a second (service.md#times). */
  instantMs(name: string): number {
    const text = this.text(name);
    const atMs = Date.parse(text);
    if (!ISO_8601.test(text) || Number.isNaN(atMs)) throw illegalArgument(name);
    return atMs;
  }

  /** Reads `page` and `count`, which every list takes. */
  paging(): Paging {
    const { body } = this;
    const number = (name: string, most: number): number => {
      const value = body[name];
      if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > most)
        throw illegalArgument(name);
      return value;
    };
    return { page: number('page', Number.MAX_SAFE_INTEGER), count: number('count', MOST_PER_PAGE) };
  }

  /** Finds a station: the one that the query names when no other is asked for. */
  station(stationId: unknown = this.query('stationId')): FleetStation {
    const station = typeof stationId === 'string' ? this.world.fleet.station(stationId) : undefined;
    if (station === undefined) throw illegalArgument('stationId');
    return station;
  }

  /** Finds a device: the one that the query names when no other is asked for. */
  device(deviceId: unknown = this.query('deviceId')): FleetDevice {
    const device = typeof deviceId === 'string' ? this.world.fleet.device(deviceId) : undefined;
    if (device === undefined) throw illegalArgument('deviceId');
    return device;
  }

  /** Finds the device a query names, for a call that reaches it; throws code 71000 when it is offline. */
  onlineDevice(): FleetDevice {
    const device = this.device();
    if (!this.world.contact.isOnline(device)) throw new Refusal(71_000, 'device offline');
    return device;
  }
}

/** Whether a field is left out: clients also send it empty or null (service.md#paging). */
export function isUnset(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Cuts one page out of a list. */
export function pageOf<T>(list: readonly T[], { page, count }: Paging): readonly T[] {
  return list.slice((page - 1) * count, page * count);
}

/** An answer: JSON, unless its headers say otherwise. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export const JSON_TYPE = { 'content-type': 'application/json;charset=UTF-8' } as const;

export function sendReply(
  response: ServerResponse,
  { status, headers = JSON_TYPE, body }: Reply,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** Answers a success envelope (service.md#envelope), without data when there is none. */
export function success(data: unknown): Reply {
  const answer = JSON.stringify({ code: 0, message: 'Success', localMessage: 'Success', data });
  return { status: 200, body: answer.replaceAll(BARE_NUMBER, '$1') };
}

/** Writes an id as a number in an answer, which one of JavaScript would round. */
export const bareNumber = (digits: string): string => `bare ${digits}`;

const BARE_NUMBER = /"bare (\d+)"/g;

/** Thrown by a handler that refuses: with a code inside the envelope (service.md#codes), or with an HTTP status. */
export class Refusal extends Error {
  readonly code: number;
  /** Goes where the data would: a few refusals explain themselves there (service.md#envelope). */
  readonly detail: string | null;
  readonly status: number;

  constructor(code: number, message: string, detail: string | null = null, status = 200) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.status = status;
  }
}

/** Makes the refusal of the service's web framework, of a request that never reaches the application. */
export function rejected(status: number): Refusal {
  return new Refusal(status, STATUS_CODES[status] ?? '', null, status);
}

/** Makes the portal's refusal of an argument. */
export function illegalArgument(name: string): Refusal {
  return new Refusal(20_101, `illegal argument: ${name}`);
}

/** Answers what was thrown. */
export function failure(error: unknown, path: string, atMs: number): Reply {
  const { status, code, message, detail } = error instanceof Refusal ? error : rejected(500);
  const timestamp = new Date(atMs).toISOString();
  const answer =
    status === 200
      ? { code, message, localMessage: message, data: detail }
      : { timestamp, status, error: message, path };
  return { status, body: JSON.stringify(answer) };
}
