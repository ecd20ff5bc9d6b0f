/** An error with a code for what happened; callers act on the code. */
export abstract class ExporterError extends Error {
  abstract readonly code: string;
}

/** Reports a wrong configuration or command line: text for a person, exit status 2. */
export class ConfigError extends ExporterError {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  /** One sentence per problem, naming the option, what was given and what is accepted. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** Every way in which a call to the service fails, or is not made; the label values of a counter. */
export const SERVICE_ERROR_CODES = [
  'SERVICE_UNREACHABLE',
  'SERVICE_TIMEOUT',
  'SERVICE_SERVER_ERROR',
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_AUTH_REJECTED',
  'SERVICE_BLOCKED',
  'SERVICE_RATE_LIMITED',
  'SERVICE_API_REFUSED',
  'SERVICE_PAYLOAD_INVALID',
] as const;

export type ServiceErrorCode = (typeof SERVICE_ERROR_CODES)[number];

export interface ServiceErrorOptions extends ErrorOptions {
  /** How long the service asks us to stay away; overrides our own pause. */
  readonly retryAfterMs?: number | undefined;
  /** The service's own code, from inside its envelope. */
  readonly serviceCode?: string | undefined;
  /** What to do, where the code alone does not tell. */
  readonly remedy?: string | undefined;
  /** Whether the service has nothing at this path. */
  readonly isMissing?: boolean | undefined;
  /** Whether it is unclear if this is a refusal of the token or log-in, or something else. */
  readonly isDoubtful?: boolean | undefined;
}

/** Reports a failed call to the service. The message holds no secret and no body. */
export class ServiceError extends ExporterError {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly serviceCode: string | undefined;
  readonly remedy: string | undefined;
  readonly isMissing: boolean;
  readonly isDoubtful: boolean;

  constructor(code: ServiceErrorCode, message: string, options?: ServiceErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryAfterMs = options?.retryAfterMs;
    this.serviceCode = options?.serviceCode;
    this.remedy = options?.remedy;
    this.isMissing = options?.isMissing ?? false;
    this.isDoubtful = options?.isDoubtful ?? false;
  }
}

/** Returns the label value for a failure: the code of a ServiceError, or `UNEXPECTED` for a bug of ours. */
export function outcomeOf(error: unknown): ServiceErrorCode | 'UNEXPECTED' {
  return error instanceof ServiceError ? error.code : 'UNEXPECTED';
}

/** Whether the service understood a request and refused it. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_REQUEST_REJECTED')
  );
}
