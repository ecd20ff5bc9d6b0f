import type { IncomingHttpHeaders } from 'node:http';
import { illegalArgument, Rejection } from './reply.ts';

/** One request, read completely. */
export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bodyBytes: Uint8Array;
}

/** A JSON object from a request body. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a header that a client sends once; absent and repeated ones read as undefined. */
export function header(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

/** Reads the JSON object every endpoint takes; throws status 400, as the service's framework does. */
export function jsonBody(request: ServiceRequest): JsonObject {
  if (
    !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(
      header(request, 'content-type') ?? '',
    )
  )
    throw new Rejection(400, 'Bad Request');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(request.bodyBytes);
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  } catch {
    // Falls through: broken JSON and JSON that is not an object are the same mistake.
  }
  throw new Rejection(400, 'Bad Request');
}

/** Reads a string field; anything else is an illegal argument, a number in particular. */
export function stringField(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string') throw illegalArgument(name);
  return value;
}

/** Reads a whole number of `min` to `max`. */
function integerField(body: JsonObject, name: string, min: number, max: number): number {
  const value = body[name];
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
    throw illegalArgument(name);
  return value;
}

/** Reads a boolean field, or what it is when it is left out. */
export function booleanField(body: JsonObject, name: string, otherwise: boolean): boolean {
  const value = body[name] ?? otherwise;
  if (typeof value !== 'boolean') throw illegalArgument(name);
  return value;
}

/** Reads a list of strings that may be left out. */
export function optionalStrings(body: JsonObject, name: string): readonly string[] | undefined {
  const values = body[name];
  if (values === undefined) return undefined;
  if (!Array.isArray(values)) throw illegalArgument(name);
  return values.map((value: unknown) => {
    if (typeof value !== 'string') throw illegalArgument(name);
    return value;
  });
}

/** Reads an ISO-8601 instant with an offset; some clients send fractions of a second (field notes 8.2). */
export function instantField(body: JsonObject, name: string): number {
  const text = stringField(body, name);
  const isWellFormed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text);
  const atMs = Date.parse(text);
  if (!isWellFormed || Number.isNaN(atMs)) throw illegalArgument(name);
  return atMs;
}

/** Whether a filter is left out: clients also send it empty or null (field notes 8.2). */
export function isUnset(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Which part of a list is asked for. */
export interface Paging {
  /** Starts at 1. */
  readonly page: number;
  readonly count: number;
}

// The portal's documented maximum; the interface states none.
const MOST_PER_PAGE = 2000;

/** Reads `page` and `count`, which every list takes. */
export function pagingFields(body: JsonObject): Paging {
  return {
    page: integerField(body, 'page', 1, Number.MAX_SAFE_INTEGER),
    count: integerField(body, 'count', 1, MOST_PER_PAGE),
  };
}

/** Cuts one page out of a list. */
export function pageOf<T>(list: readonly T[], { page, count }: Paging): readonly T[] {
  return list.slice((page - 1) * count, page * count);
}
