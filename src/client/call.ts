import type { RequestTime } from './exchange/decode.ts';

/** The parts of a request that differ from call to call. */
export interface RequestParameters {
  readonly query?: Readonly<Record<string, string>>;
  /** Sent with a POST only; an empty object when left out. */
  readonly body?: object;
}

export interface CallOptions {
  /** The station's own zone, where known. */
  readonly stationTimeZone?: string | undefined;
  /** Overrides the table: an endpoint that has answered once is not optional any more. */
  readonly isOptional?: boolean;
}

/**
 * Calls an endpoint with an access token, and decodes its answer.
 *
 * @typeParam Answers - the endpoints that a caller needs, by name, with their decoded answers. The files of the
 * decoders cannot import the table of endpoints, because the table imports them.
 */
export type Call<Answers> = <Name extends keyof Answers>(
  name: Name,
  build: (time: RequestTime) => RequestParameters,
  options?: CallOptions,
) => Promise<Answers[Name]>;
