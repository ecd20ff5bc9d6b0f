import type { PortalSetting } from '../../families/portal-setting.ts';
import { CODES, illegalArgument, Refusal } from '../reply.ts';
import type { JsonObject } from '../service-request.ts';

/** The settings of one device: the fields of interface 2.6 and one it does not list. */
type DeviceSettings = Readonly<Record<string, string | number | boolean>>;

const FACTORY_SETTINGS: DeviceSettings = {
  operatingMode: 'Self-Use',
  batteryPriority: 'Solar First',
  gridChargingEnabled: false,
  gridFeedInEnabled: true,
  backupModeEnabled: false,
  maxChargingCurrent: 60,
};

/** The settings of each device. */
export class SettingsStore {
  readonly #changed = new Map<string, DeviceSettings>();

  get(deviceId: string): DeviceSettings {
    return this.#changed.get(deviceId) ?? FACTORY_SETTINGS;
  }

  /** Applies all of the changes or, when one is refused, none. */
  change(deviceId: string, changes: JsonObject): void {
    const settings = { ...this.get(deviceId) };
    for (const [name, value] of Object.entries(changes)) settings[name] = checked(name, value);
    this.#changed.set(deviceId, settings);
  }
}

function checked(name: string, value: unknown): string | number | boolean {
  if (!Object.hasOwn(FACTORY_SETTINGS, name))
    throw new Refusal(CODES.noSuchSetting, `no such setting: ${name}`);
  const isOfSameType = typeof value === typeof FACTORY_SETTINGS[name];
  if (typeof value === 'string' && isOfSameType && value !== '') return value;
  if ((typeof value === 'boolean' || typeof value === 'number') && isOfSameType) return value;
  throw illegalArgument(name);
}

/** The settings of each device in the portal's form: what it has, and what the service remembers of it. */
export class PortalSettingsStore {
  readonly #known: readonly PortalSetting[];
  readonly #isRemembered: boolean;
  readonly #written = new Map<string, Map<string, string>>();
  readonly #remembered = new Map<string, Map<string, string>>();

  /** @param isRemembered - whether every device was asked once, before anybody looks */
  constructor(known: readonly PortalSetting[], isRemembered: boolean) {
    this.#known = known;
    this.#isRemembered = isRemembered;
  }

  /** What the device itself has. */
  value(deviceId: string, { key, factoryValue }: PortalSetting): string {
    return this.#written.get(deviceId)?.get(key) ?? factoryValue;
  }

  /** What the service remembers, by key: nothing until the device was asked (field notes 8.2). */
  remembered(deviceId: string): ReadonlyMap<string, string> {
    return this.#memoryOf(deviceId);
  }

  /** Reads settings of the device into the memory; keys that it does not have are left out. */
  remember(deviceId: string, keys: readonly string[] | undefined): void {
    const memory = this.#memoryOf(deviceId);
    for (const setting of this.#known)
      if (keys === undefined || keys.includes(setting.key))
        memory.set(setting.key, this.value(deviceId, setting));
  }

  forget(deviceId: string): void {
    this.#memoryOf(deviceId).clear();
  }

  /** Changes the device. What was remembered of the setting follows; nothing else becomes known. */
  write(deviceId: string, key: string, value: string): void {
    const settings = this.#written.get(deviceId) ?? new Map<string, string>();
    this.#written.set(deviceId, settings.set(key, value));
    const memory = this.#memoryOf(deviceId);
    if (memory.has(key)) memory.set(key, value);
  }

  #memoryOf(deviceId: string): Map<string, string> {
    const known = this.#remembered.get(deviceId);
    if (known !== undefined) return known;
    const memory = new Map(
      this.#isRemembered ? this.#known.map(({ key, factoryValue }) => [key, factoryValue]) : [],
    );
    this.#remembered.set(deviceId, memory);
    return memory;
  }
}
