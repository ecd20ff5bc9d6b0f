import { outcomeOf, ServiceError } from '../../base/errors.ts';
import type { SettingValue } from '../../model/settings.ts';
import { NO_SUCH_SETTING_CODE } from '../exchange/decode.ts';

/** Failures after which the setting is certainly unchanged; after any other it may have been written. */
const REFUSALS = new Set([
  'SERVICE_API_REFUSED',
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_AUTH_REJECTED',
  'SERVICE_RATE_LIMITED',
  'SERVICE_BUDGET_USED_UP',
]);

/**
 * Writes settings one by one, in order, and stops at the first failure.
 *
 * @throws ServiceError with the code of that failure; its message lists what was written and what was not.
 */
export async function writeOneByOne(
  changes: ReadonlyMap<string, SettingValue>,
  write: (name: string, value: SettingValue) => Promise<void>,
): Promise<void> {
  const pending = [...changes.keys()];
  const written: string[] = [];
  for (const [name, value] of changes) {
    try {
      await write(name, value);
    } catch (error) {
      throw error instanceof ServiceError ? stoppedAt(error, written, pending) : error;
    }
    pending.shift();
    written.push(name);
  }
}

function stoppedAt(
  error: ServiceError,
  written: readonly string[],
  [failed = '', ...untried]: readonly string[],
): ServiceError {
  const { code, serviceCode, retryAfterMs } = error;
  const reason =
    serviceCode === NO_SUCH_SETTING_CODE
      ? `this device has no setting ${failed} (code ${NO_SUCH_SETTING_CODE})`
      : `${failed}: ${error.message}`;
  const isUncertain = !REFUSALS.has(outcomeOf(error));
  const progress = [
    listing('written', written),
    isUncertain ? listing('perhaps written', [failed]) : '',
    listing('not written', isUncertain ? untried : [failed, ...untried]),
  ].filter((part) => part !== '');
  return new ServiceError(code, [reason, ...progress].join('; '), {
    cause: error,
    serviceCode,
    retryAfterMs,
  });
}

function listing(what: string, names: readonly string[]): string {
  return names.length === 0 ? '' : `${what}: ${names.join(', ')}`;
}
