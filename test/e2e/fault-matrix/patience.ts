import type { ServiceErrorCode } from '../../../src/base/errors.ts';

/** Flags that say how long an exporter waits for a silent service, which is real time. */
export type Patience = Readonly<Record<string, string>>;

const PATIENCES: readonly Patience[] = ['1s', '4s', '16s'].map((timeout) => ({
  'request.timeout': timeout,
}));

/**
 * Meets a service of which one endpoint is silent. On a busy machine the honest endpoints may be late as
 * well: then it is met again with more patience, and only the most patient meeting fails.
 */
export async function withPatience<T>(meet: (patience: Patience) => Promise<T>): Promise<T> {
  let failure: unknown;
  for (const patience of PATIENCES)
    try {
      return await meet(patience);
    } catch (error) {
      failure = error;
    }
  throw failure;
}

/** Meets a fault that is counted with this code; only where it is silence, patience grows. */
export function meetPatiently<T>(
  code: ServiceErrorCode,
  meet: (flags: Patience) => Promise<T>,
): Promise<T> {
  return code === 'SERVICE_TIMEOUT' ? withPatience(meet) : meet({});
}
