import { STATUS_CODES } from 'node:http';

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
  const body = `{"code":0,"message":"Success","localMessage":"Success"${dataField}}`;
  return { status: 200, body };
}

/** Thrown by a handler that refuses: inside the envelope, or with an HTTP status. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  /** Goes where the data would: a few refusals explain themselves there (field notes 2.11). */
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
