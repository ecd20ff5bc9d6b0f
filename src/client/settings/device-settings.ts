import { ServiceError } from '../../base/errors.ts';
import type { DeviceSettings, SettingValue } from '../../model/settings.ts';
import { ENDPOINTS } from '../endpoints.ts';
import type { DataCaller, RequestParameters } from '../exchange/caller.ts';
import {
  DEVICE_OFFLINE_CODE,
  DEVICE_SILENT_CODE,
  ILLEGAL_ARGUMENT_CODE,
} from '../exchange/decode.ts';
import type { SettingsRead } from './settings-batch-read.ts';
import { writeOneByOne } from './settings-writes.ts';

/** How the device is named: in the body (interface endpoint 6) or in the query (field notes 1.5). */
type RequestForm = 'body' | 'query';

/** The codes that concern the device and not the request (field notes 4.1). */
const DEVICE_CODES: ReadonlySet<string> = new Set([DEVICE_OFFLINE_CODE, DEVICE_SILENT_CODE]);

/** Reads and changes the settings of devices (interface endpoints 6 and 7, field notes 1.5). */
export class SettingsClient {
  readonly #caller: DataCaller;
  /** The form that the service has accepted; undefined until it accepts one. */
  #acceptedForm: RequestForm | undefined;

  constructor(caller: DataCaller) {
    this.#caller = caller;
  }

  /** Reads the settings as the service has stored them, without asking the device. */
  async fetch(deviceId: string): Promise<DeviceSettings> {
    if (this.#acceptedForm !== undefined) return this.#fetchAs(this.#acceptedForm, deviceId);
    try {
      return await this.#fetchAs('body', deviceId);
    } catch (error) {
      // When the device does not answer, the service may still have accepted the form.
      if (!isRefusedRequest(error) || DEVICE_CODES.has(error.serviceCode ?? '')) throw error;
      return this.#fetchByQuery(deviceId, error);
    }
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
    if (this.#isObjectForm(held))
      return writeOneByOne(changes, (key, value) =>
        this.#write({
          query: { deviceId },
          // Without `id` the service may answer 0 and change nothing (field notes 8.2).
          body: { id: deviceId, key: held.get(key)?.writeKey ?? key, value: String(value) },
        }),
      );
    return this.#write({ body: { ...Object.fromEntries(changes), deviceId } });
  }

  /** Tells the service to read the settings from the device; resolves to the id of this batch read. */
  startRead(deviceId: string): Promise<string> {
    return this.#caller.call(ENDPOINTS.settingsRead, () => ({ query: { deviceId } }));
  }

  /** Asks for the progress of a batch read. */
  fetchRead(batchReadId: string): Promise<SettingsRead> {
    return this.#caller.call(ENDPOINTS.settingsReadDetails, () => ({ query: { batchReadId } }));
  }

  /** When the service refuses both forms, throws the refusal that says more about the device. */
  async #fetchByQuery(deviceId: string, refused: ServiceError): Promise<DeviceSettings> {
    try {
      return await this.#fetchAs('query', deviceId);
    } catch (error) {
      throw isRefusedRequest(error) && !isSpecific(error) ? refused : error;
    }
  }

  async #fetchAs(form: RequestForm, deviceId: string): Promise<DeviceSettings> {
    const settings = await this.#caller.call(ENDPOINTS.settingsGet, () => ({
      [form]: { deviceId },
    }));
    this.#acceptedForm = form;
    return settings;
  }

  /** Whether settings are objects. Without any setting, the accepted form tells which service it is. */
  #isObjectForm(held: DeviceSettings): boolean {
    if (held.size === 0) return this.#acceptedForm === 'query';
    return [...held.values()].some(({ form }) => form === 'object');
  }

  #write(parameters: RequestParameters): Promise<void> {
    return this.#caller.call(ENDPOINTS.settingsSet, () => parameters);
  }
}

function isRefusedRequest(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_REQUEST_REJECTED')
  );
}

/** Whether a refusal says more than that an argument is invalid. */
function isSpecific({ code, serviceCode }: ServiceError): boolean {
  return code === 'SERVICE_API_REFUSED' && serviceCode !== ILLEGAL_ARGUMENT_CODE;
}
