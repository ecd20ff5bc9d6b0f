import type { Clock } from '../base/clock.ts';
import { isRefusal, outcomeOf, ServiceError } from '../base/errors.ts';
import { isOver, waitFor } from '../base/wait.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import type { Call } from './endpoints.ts';
import {
  DEVICE_OFFLINE_CODE,
  DEVICE_SILENT_CODE,
  ILLEGAL_ARGUMENT_CODE,
  NO_SUCH_SETTING_CODE,
} from './exchange/decode.ts';

/** How the device is named: in the body (interface endpoint 6) or in the query (field notes 1.5). */
type RequestForm = 'body' | 'query';

/** The codes that concern the device and not the request (field notes 4.1). */
const DEVICE_CODES: ReadonlySet<string> = new Set([DEVICE_OFFLINE_CODE, DEVICE_SILENT_CODE]);

const POLL_INTERVAL_MS = 2000;
const LONGEST_READ_MS = 60_000;

/** Reads and changes the settings of devices (interface endpoints 6 and 7, field notes 1.5). */
export class SettingsClient {
  readonly #call: Call;
  readonly #clock: Clock;
  /** The form that the service has accepted; undefined until it accepts one. */
  #acceptedForm: RequestForm | undefined;

  constructor(call: Call, clock: Clock) {
    this.#call = call;
    this.#clock = clock;
  }

  /** Reads the settings as the service has stored them, without asking the device. */
  async fetch(deviceId: string): Promise<DeviceSettings> {
    if (this.#acceptedForm !== undefined) return this.#fetchAs(this.#acceptedForm, deviceId);
    try {
      return await this.#fetchAs('body', deviceId);
    } catch (refused) {
      // When the device does not answer, the service may still have accepted the form.
      if (!isRefusal(refused) || DEVICE_CODES.has(refused.serviceCode ?? '')) throw refused;
      return await this.#fetchAs('query', deviceId).catch((error: unknown) => {
        // Of two refusals, the one that says more about the device.
        throw isRefusal(error) && !isSpecific(error) ? refused : error;
      });
    }
  }

  async #fetchAs(form: RequestForm, deviceId: string): Promise<DeviceSettings> {
    const settings = await this.#call('settingsGet', () => ({ [form]: { deviceId } }));
    this.#acceptedForm = form;
    return settings;
  }

  /**
   * Reads the settings from the device itself, which usually takes ten seconds and at most a minute. Call
   * it only when a person asks for it, because it occupies the inverter.
   *
   * @throws ServiceError `SERVICE_TIMEOUT` when the device has not answered within a minute.
   */
  async readFromDevice(deviceId: string): Promise<DeviceSettings> {
    const clock = this.#clock;
    const batchReadId = await this.#call('settingsRead', () => ({ query: { deviceId } }));
    const patience = waitFor(LONGEST_READ_MS, clock);
    while (!isOver(patience, clock)) {
      await clock.sleep(POLL_INTERVAL_MS);
      const { isFinished, settings } = await this.#call('settingsReadDetails', () => ({
        query: { batchReadId },
      }));
      if (isFinished) return settings;
    }
    const waitedSeconds = LONGEST_READ_MS / 1000;
    throw new ServiceError(
      'SERVICE_TIMEOUT',
      `device ${deviceId} has not reported its settings within ${waitedSeconds} s`,
    );
  }

  /**
   * Writes all changes in one flat object (interface endpoint 7, rule 5), or one key per call where the
   * settings are objects (field notes 1.5).
   *
   * @param held - the settings as they were read.
   */
  change(
    deviceId: string,
    changes: ReadonlyMap<string, SettingValue>,
    held: DeviceSettings = new Map(),
  ): Promise<void> {
    const settings = [...held.values()];
    // Without any setting, the accepted form tells which service it is.
    const areObjects =
      settings.length === 0
        ? this.#acceptedForm === 'query'
        : settings.some(({ form }) => form === 'object');
    if (!areObjects)
      return this.#call('settingsSet', () => ({
        body: { ...Object.fromEntries(changes), deviceId },
      }));
    return writeOneByOne(changes, (key, value) =>
      this.#call('settingsSet', () => ({
        query: { deviceId },
        // Without `id` the service may answer 0 and change nothing (field notes 8.2).
        body: { id: deviceId, key: held.get(key)?.writeKey ?? key, value: String(value) },
      })),
    );
  }
}

/** Whether a refusal says more than that an argument is invalid. */
function isSpecific({ code, serviceCode }: ServiceError): boolean {
  return code === 'SERVICE_API_REFUSED' && serviceCode !== ILLEGAL_ARGUMENT_CODE;
}

/** Failures after which the setting is certainly unchanged; after any other it may have been written. */
const UNCHANGED_AFTER = new Set([
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
  const isUncertain = !UNCHANGED_AFTER.has(outcomeOf(error));
  const parts = {
    written,
    'perhaps written': isUncertain ? [failed] : [],
    'not written': isUncertain ? untried : [failed, ...untried],
  };
  const progress = Object.entries(parts).flatMap(([what, names]) =>
    names.length === 0 ? [] : `${what}: ${names.join(', ')}`,
  );
  return new ServiceError(code, [reason, ...progress].join('; '), {
    cause: error,
    serviceCode,
    retryAfterMs,
  });
}
