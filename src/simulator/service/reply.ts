/** An answer before it is written to a socket. */
export interface Reply {
  readonly status: number;
  readonly body: string;
}

/** Answers a success envelope (interface 2.1). */
export function success(data: unknown): Reply {
  return successText(JSON.stringify(data));
}

/** Answers a success envelope around data that is JSON text already. */
export function successText(dataJson: string): Reply {
  return {
    status: 200,
    body: `{"code":0,"message":"Success","localMessage":"Success","data":${dataJson}}`,
  };
}

/** Answers a success envelope without data. */
export function acknowledged(): Reply {
  return { status: 200, body: '{"code":0,"message":"Success","localMessage":"Success"}' };
}

/** Answers a failure envelope: HTTP status 200, as the portal does. */
export function refused({ code, message, detail }: Refusal): Reply {
  return {
    status: 200,
    body: JSON.stringify({ code, message, localMessage: message, data: detail }),
  };
}

/** Answers as the service's web framework does when a request never reaches the application. */
export function rejected(status: number, error: string, path: string, atMs: number): Reply {
  const timestamp = new Date(atMs).toISOString();
  return { status, body: JSON.stringify({ timestamp, status, error, path }) };
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
