/** An error that says in a code what happened; whoever catches it acts on the code. */
export abstract class ExporterError extends Error {
  abstract readonly code: string;
}

/** The configuration or the command line is wrong: text for a person, exit status 2. */
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
  /** What helps, where the code does not tell. */
  readonly remedy?: string | undefined;
  /** Whether the service has nothing at this path. */
  readonly isMissing?: boolean | undefined;
  /** Whether this may be how a refused token or log-in looks, or something else: nobody knows these words. */
  readonly isDoubtful?: boolean | undefined;
}

/** A call to the service failed. The message carries no secret and no body. */
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

/** The label value for a failure: the service's code, or `UNEXPECTED` for what must be our bug. */
export function outcomeOf(error: unknown): ServiceErrorCode | 'UNEXPECTED' {
  return error instanceof ServiceError ? error.code : 'UNEXPECTED';
}

/** Whether the service understood a request and said no to it. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_REQUEST_REJECTED')
  );
}
