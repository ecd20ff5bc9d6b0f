import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { isRefusal, ServiceError } from '../base/errors.ts';
import type { DeviceSettings, Setting, SettingChoice, SettingValue } from '../model/settings.ts';
import type { Call } from './call.ts';
import * as wire from './exchange/decode.ts';
import {
  DEVICE_OFFLINE_CODE,
  DEVICE_SILENT_CODE,
  ILLEGAL_ARGUMENT_CODE,
  NO_SUCH_SETTING_CODE,
} from './exchange/envelope.ts';

const choicesSchema = wire.anyList.catch([]).transform((list) => {
  const choices = wire.choicesOf(list).map(({ value, text, localeText }): SettingChoice => ({
    value,
    label: text ?? localeText ?? value,
  }));
  return choices.length > 0 ? choices : undefined;
});
const stepSchema = wire.quantity.transform((value = 0) => (value > 0 ? value : undefined));
/** The value of a setting that describes itself; an empty text is none. */
const valueSchema = z
  .unknown()
  .transform((value) => (value == null || value === '' ? undefined : toValue(value)));

/** A setting as the service sends it; a write-only one has no value. */
type ReadSetting = Omit<Setting, 'value'> & { readonly value?: SettingValue | undefined };

/** Fields that only a setting with a description has; any other object is a value. */
const SELF_DESCRIBING = ['key', 'value', 'valueDisplay', 'isWritableConfigAttribute'] as const;

const settingsSchema = z.union([wire.anyList, wire.anyObject]);
const keySchema = wire.optional(z.string().min(1));

/**
 * Decodes the settings of a device in every form: bare values by name (service.md#settings), objects by name or
 * in a list, and mixtures of these. Leaves out a setting without a value; turns a bare
 * value that is neither text, number nor boolean into JSON text. Joins a setting that has one key for reading
 * and another for writing.
 */
export function decodeSettings(data: unknown, answer: wire.AnswerContext): DeviceSettings {
  const found = wire.parse(settingsSchema, data ?? {}, answer);
  const sent: readonly (readonly [key: string | undefined, setting: unknown])[] = Array.isArray(
    found,
  )
    ? found.map((setting: unknown) => [undefined, setting])
    : Object.entries(found);
  const read = wire.firstOf(sent, answer).flatMap(([name, setting]) => {
    const key = name ?? wire.readerOf(setting)(keySchema, 'key');
    return key === undefined ? [] : [{ key, about: subjectOf(key), ...readSetting(setting) }];
  });
  const settings = new Map<string, Setting>();
  for (const { key, about, value, ...setting } of read) {
    if (value === undefined) continue;
    const writable = read.filter((one) => one.isWritable === true && one.about === about);
    const isWrittenElsewhere = setting.isDescribed === true && setting.isWritable !== true;
    const [written] = isWrittenElsewhere && writable.length === 1 ? writable : [];
    settings.set(wire.labelText(key), {
      ...setting,
      value,
      // The writable entry describes the accepted values, often without having a value itself.
      ...(written !== undefined && {
        choices: written.choices ?? setting.choices,
        min: written.min ?? setting.min,
        max: written.max ?? setting.max,
        step: written.step ?? setting.step,
        isWritable: true,
        writeKey: written.key,
      }),
    });
  }
  return settings;
}

/** Reads a bare value, or a setting that describes itself (service.md#settings). */
function readSetting(sent: unknown): ReadSetting | undefined {
  if (sent == null) return undefined;
  const isSelfDescribing =
    typeof sent === 'object' && SELF_DESCRIBING.some((field) => Object.hasOwn(sent, field));
  if (!isSelfDescribing) return { value: toValue(sent) };
  const first = wire.readerOf(sent);
  const value = first(valueSchema, 'value');
  const choices = first(choicesSchema, 'enumValues', 'enumValueDisplays');
  const chosen = choices?.find((choice) => choice.value === String(value));
  return {
    value,
    name: first(wire.text, 'nameDisplay', 'name'),
    // A plain number has a `valueDisplay`, too, but no name.
    label: choices && (chosen?.label ?? first(wire.text, 'valueDisplay')),
    unit: first(wire.text, 'unit'),
    choices,
    min: first(wire.quantity, 'min'),
    max: first(wire.quantity, 'max'),
    step: first(stepSchema, 'step'),
    isWritable: first(wire.flag, 'isWritableConfigAttribute'),
    isHidden: first(wire.flag, 'isHidden'),
    isDescribed: true,
  };
}

/** Strips the words from a key that only mark it as a setting. */
function subjectOf(key: string): string {
  return key
    .replace(/^set(?:ting)?(?:Device)?(?=[A-Z])/, '')
    .replace(/Setting$/, '')
    .toLowerCase();
}

function toValue(value: unknown): SettingValue {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  try {
    return wire.labelText(typeof value === 'string' ? value : JSON.stringify(value));
  } catch {
    // A value that is nested too deeply for JSON is not a real setting.
    return '…';
  }
}

const startedSchema = z.object({ id: wire.id.pipe(z.string()) });
const detailsSchema = z.object({
  isFinished: z.boolean().catch(false),
  error: z.unknown().optional(),
  configAttributeStates: z.unknown().optional(),
});

/** Decodes the id of a batch read that has just started (service.md#settings). */
export function decodeBatchReadId(data: unknown, answer: wire.AnswerContext): string {
  return wire.parse(startedSchema, data, answer).id;
}

/**
 * Decodes the result of a batch read (service.md#settings); undefined until it has finished.
 *
 * @throws ServiceError `SERVICE_API_REFUSED` when it has finished with an error and without any setting.
 */
export function decodeBatchRead(
  data: unknown,
  answer: wire.AnswerContext,
): DeviceSettings | undefined {
  const { isFinished, error, configAttributeStates } = wire.parse(detailsSchema, data, answer);
  if (!isFinished) return undefined;
  const settings = decodeSettings(configAttributeStates, answer);
  if (settings.size > 0 || !error) return settings;
  throw new ServiceError(
    'SERVICE_API_REFUSED',
    `${answer.path}: the device did not report its settings`,
  );
}

/** The codes that concern the device and not the request (service.md#codes). */
const DEVICE_CODES: ReadonlySet<string> = new Set([DEVICE_OFFLINE_CODE, DEVICE_SILENT_CODE]);

const POLL_INTERVAL_MS = 2000;
const MOST_POLLS = 30;

/** Reads and changes the settings of devices (service.md#settings). */
export interface SettingsOfDevices {
  /** Reads the settings as the service has stored them, without asking the device. */
  fetchSettings(deviceId: string): Promise<DeviceSettings>;
  /**
   * Reads the settings from the device itself, which usually takes ten seconds. Call it only when a person
   * asks for it, because it occupies the inverter.
   *
   * @throws ServiceError `SERVICE_TIMEOUT` when the device has not answered within a minute.
   */
  readSettingsFromDevice(deviceId: string): Promise<DeviceSettings>;
  /**
   * Writes all changes in one flat object (service.md#settings), or one key per call where the
   * settings are objects.
   *
   * @param held - the settings as they were read.
   */
  changeSettings(
    deviceId: string,
    changes: ReadonlyMap<string, SettingValue>,
    held: DeviceSettings,
  ): Promise<void>;
}

interface SettingsAnswers {
  readonly settingsGet: DeviceSettings;
  readonly settingsSet: undefined;
  readonly settingsRead: string;
  readonly settingsReadDetails: DeviceSettings | undefined;
}

/** Makes {@link SettingsOfDevices}; it remembers which form of request the service accepts. */
export function settingsOf(call: Call<SettingsAnswers>, clock: Clock): SettingsOfDevices {
  /**
   * Where the service expects the id of the device: in the body or in the query (service.md#settings);
   * undefined until it has accepted one of them.
   */
  let acceptedForm: 'body' | 'query' | undefined;

  return {
    async fetchSettings(deviceId) {
      if (acceptedForm !== undefined) return fetchAs(acceptedForm, deviceId);
      try {
        return await fetchAs('body', deviceId);
      } catch (refused) {
        // When the device does not answer, the service may still have accepted the form.
        if (!isRefusal(refused) || DEVICE_CODES.has(refused.serviceCode ?? '')) throw refused;
        return await fetchAs('query', deviceId).catch((error: unknown) => {
          if (!isRefusal(error)) throw error;
          // Throw the refusal that says more about the device.
          const { serviceCode = ILLEGAL_ARGUMENT_CODE } = error;
          throw serviceCode === ILLEGAL_ARGUMENT_CODE ? refused : error;
        });
      }
    },

    async readSettingsFromDevice(deviceId) {
      const batchReadId = await call('settingsRead', () => ({ query: { deviceId } }));
      for (let polls = 0; polls < MOST_POLLS; polls += 1) {
        await clock.sleep(POLL_INTERVAL_MS);
        const settings = await call('settingsReadDetails', () => ({ query: { batchReadId } }));
        if (settings !== undefined) return settings;
      }
      const waitedSeconds = (MOST_POLLS * POLL_INTERVAL_MS) / 1000;
      throw new ServiceError(
        'SERVICE_TIMEOUT',
        `device ${deviceId} has not reported its settings within ${waitedSeconds} s`,
      );
    },

    changeSettings(deviceId, changes, held) {
      const areObjects = [...held.values()].some(({ isDescribed }) => isDescribed === true);
      // Without any setting, the accepted form tells which service it is.
      if (areObjects || (held.size === 0 && acceptedForm === 'query'))
        return writeOneByOne(changes, (key, value) =>
          call('settingsSet', () => ({
            query: { deviceId },
            // Without `id` the service may answer 0 and change nothing (service.md#settings).
            body: { id: deviceId, key: held.get(key)?.writeKey ?? key, value: String(value) },
          })),
        );
      return call('settingsSet', () => ({ body: { ...Object.fromEntries(changes), deviceId } }));
    },
  };

  async function fetchAs(form: 'body' | 'query', deviceId: string): Promise<DeviceSettings> {
    const settings = await call('settingsGet', () => ({ [form]: { deviceId } }));
    acceptedForm = form;
    return settings;
  }
}

/** Failures after which the setting is certainly unchanged; after any other it may have been written. */
const UNCHANGED_AFTER = new Set([
  'SERVICE_API_REFUSED',
  'SERVICE_REQUEST_REJECTED',
  'SERVICE_AUTH_REJECTED',
  'SERVICE_RATE_LIMITED',
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
  const names = [...changes.keys()];
  for (const [at, [name, value]] of [...changes].entries()) {
    await write(name, value).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      const { code, serviceCode, retryAfterMs } = error;
      const reason =
        serviceCode === NO_SUCH_SETTING_CODE
          ? `this device has no setting ${name} (code ${NO_SUCH_SETTING_CODE})`
          : `${name}: ${error.message}`;
      const firstUnchanged = UNCHANGED_AFTER.has(code) ? at : at + 1;
      const progress = [
        ['written', names.slice(0, at)],
        ['perhaps written', names.slice(at, firstUnchanged)],
        ['not written', names.slice(firstUnchanged)],
      ] as const;
      const told = progress.filter(([, some]) => some.length > 0);
      const message = [reason, ...told.map(([what, some]) => `${what}: ${some.join(', ')}`)].join(
        '; ',
      );
      throw new ServiceError(code, message, { cause: error, serviceCode, retryAfterMs });
    });
  }
}
