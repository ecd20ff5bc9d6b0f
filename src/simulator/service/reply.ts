/** An answer before it is written to a socket. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Data that is JSON text already. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Answers a success envelope (interface 2.1), without data when there is none. */
export function success(data: unknown): Reply {
  const text = data instanceof JsonText ? data.text : JSON.stringify(data);
  const dataField = data === undefined ? '' : `,"data":${text}`;
  return {
    status: 200,
    body: `{"code":0,"message":"Success","localMessage":"Success"${dataField}}`,
  };
}

/** Thrown by a handler that refuses inside the envelope. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  /** Goes where the data would: a few refusals explain themselves there (field notes 2.11). */
  readonly detail: string | null;

  constructor(code: number, message: string, detail: string | null = null) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** Thrown by a handler that refuses with an HTTP status. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Answers what was thrown: a refusal with status 200, as the portal does, and everything else as the
 * service's web framework does when a request never reaches the application.
 */
export function failure(error: unknown, path: string, atMs: number): Reply {
  if (error instanceof Refusal) {
    const { code, message, detail } = error;
    const body = JSON.stringify({ code, message, localMessage: message, data: detail });
    return { status: 200, body };
  }
  const { status, message } =
    error instanceof Rejection ? error : new Rejection(500, 'Internal Server Error');
  const timestamp = new Date(atMs).toISOString();
  return { status, body: JSON.stringify({ timestamp, status, error: message, path }) };
}

/** The portal's codes (field notes 4.1) that the simulator uses. */
export const CODES = {
  wrongPassword: 7,
  tokenExpired: 9,
  unknownApp: 36,
  badSignature: 44,
  unknownAccount: 20_007,
  illegalArgument: 20_101,
  tooManyReads: 70_021,
  noFlowRule: 70_132,
  noSuchSetting: 70_134,
  deviceOffline: 71_000,
} as const;

/** Makes the portal's refusal of an argument. */
export function illegalArgument(name: string): Refusal {
  return new Refusal(CODES.illegalArgument, `illegal argument: ${name}`);
}
