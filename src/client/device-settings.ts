import { ServiceError } from '../errors.ts';
import type { DeviceSettings, SettingValue } from '../model/settings.ts';
import type { SettingsRead } from './api.ts';
import type { DataCall, DataCaller } from './data-caller.ts';
import type { Operation } from './operation.ts';
import { DEVICE_OFFLINE_CODE, DEVICE_SILENT_CODE, ILLEGAL_ARGUMENT_CODE } from './service-codes.ts';
import { decodeBatchRead, decodeBatchReadId } from './settings-batch-read.ts';
import { decodeSettings } from './settings-wire.ts';
import { writeOneByOne } from './settings-writes.ts';

/** Where the endpoints for settings are found. */
export type SettingsUrls = Readonly<
  Record<'settingsGet' | 'settingsSet' | 'settingsRead' | 'settingsReadDetails', URL>
>;

/** How the device is named: in the body (interface endpoint 6) or in the query (field notes 1.5). */
type RequestForm = 'body' | 'query';

/** The device is offline, or did not answer (field notes 4.1). */
const DEVICE_CODES: ReadonlySet<string> = new Set([DEVICE_OFFLINE_CODE, DEVICE_SILENT_CODE]);

/** Reads and changes the settings of devices (interface endpoints 6 and 7, field notes 1.5). */
export class SettingsClient {
  readonly #caller: DataCaller;
  readonly #urls: SettingsUrls;
  /** The form that the service was seen to accept; absent until one was. */
  #acceptedForm: RequestForm | undefined;

  constructor(caller: DataCaller, urls: SettingsUrls) {
    this.#caller = caller;
    this.#urls = urls;
  }

  /** Reads what the service holds; the device itself is not asked. */
  async fetch(deviceId: string): Promise<DeviceSettings> {
    if (this.#acceptedForm !== undefined) return this.#fetchAs(this.#acceptedForm, deviceId);
    try {
      return await this.#fetchAs('body', deviceId);
    } catch (error) {
      // A device that cannot be asked says nothing about the form of the question.
      if (!isRefusedRequest(error) || DEVICE_CODES.has(error.serviceCode ?? '')) throw error;
      return this.#fetchByQuery(deviceId, error);
    }
  }

  /**
   * Writes all changes in one flat object (interface endpoint 7, rule 5), or one key per call where
   * reading showed settings that are objects (field notes 1.5).
   *
   * @param held - what reading showed.
   */
  change(
    deviceId: string,
    changes: ReadonlyMap<string, SettingValue>,
    held: DeviceSettings = new Map(),
  ): Promise<void> {
    if (this.#isObjectForm(held))
      return writeOneByOne(changes, (key, value) =>
        this.#write(this.#byQuery(this.#urls.settingsSet, deviceId), {
          id: deviceId,
          key,
          value: String(value),
        }),
      );
    return this.#write(this.#urls.settingsSet, { ...Object.fromEntries(changes), deviceId });
  }

  /** Has the service begin to ask the device itself; resolves to the id of this batch read. */
  startRead(deviceId: string): Promise<string> {
    return this.#ask(
      'settings-read',
      this.#byQuery(this.#urls.settingsRead, deviceId),
      {},
      decodeBatchReadId,
    );
  }

  /** Asks how far a batch read is: the one endpoint of settings that is a GET. */
  fetchRead(batchReadId: string): Promise<SettingsRead> {
    const url = new URL(this.#urls.settingsReadDetails);
    url.searchParams.set('batchReadId', batchReadId);
    return this.#ask('settings-read-details', url, undefined, decodeBatchRead);
  }

  /** Where the first form is refused, too, the error that says more about the device is the one to show. */
  async #fetchByQuery(deviceId: string, refused: ServiceError): Promise<DeviceSettings> {
    try {
      return await this.#fetchAs('query', deviceId);
    } catch (error) {
      throw isRefusedRequest(error) && !isTelling(error) ? refused : error;
    }
  }

  async #fetchAs(form: RequestForm, deviceId: string): Promise<DeviceSettings> {
    const url = this.#urls.settingsGet;
    const settings = await (form === 'body'
      ? this.#ask('settings-get', url, { deviceId }, decodeSettings)
      : this.#ask('settings-get', this.#byQuery(url, deviceId), {}, decodeSettings));
    this.#acceptedForm = form;
    return settings;
  }

  /** A device without settings shows no form; then the form of the question tells the two services apart. */
  #isObjectForm(held: DeviceSettings): boolean {
    if (held.size === 0) return this.#acceptedForm === 'query';
    return [...held.values()].some(({ form }) => form === 'object');
  }

  #write(url: URL, body: object): Promise<void> {
    return this.#ask('settings-set', url, body, () => undefined);
  }

  #byQuery(endpoint: URL, deviceId: string): URL {
    const url = new URL(endpoint);
    url.searchParams.set('deviceId', deviceId);
    return url;
  }

  #ask<T>(
    operation: Operation,
    url: URL,
    body: object | undefined,
    decode: (data: unknown, path: string) => T,
  ): Promise<T> {
    const call: DataCall<T> = { url, decode: (data) => decode(data, url.pathname) };
    return this.#caller.call(operation, () => (body === undefined ? call : { ...call, body }));
  }
}

function isRefusedRequest(error: unknown): error is ServiceError {
  return (
    error instanceof ServiceError &&
    (error.code === 'SERVICE_API_REFUSED' || error.code === 'SERVICE_REQUEST_REJECTED')
  );
}

function isTelling({ code, serviceCode }: ServiceError): boolean {
  return code === 'SERVICE_API_REFUSED' && serviceCode !== ILLEGAL_ARGUMENT_CODE;
}
