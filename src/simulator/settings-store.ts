import { CODES, illegalArgument, Refusal } from './reply.ts';
import type { JsonObject } from './service-request.ts';

/** The settings of one device: the fields of interface 2.6 and one it does not list. */
export type DeviceSettings = Readonly<Record<string, string | number | boolean>>;

const FACTORY_SETTINGS: DeviceSettings = {
  operatingMode: 'Self-Use',
  batteryPriority: 'Solar First',
  gridChargingEnabled: false,
  gridFeedInEnabled: true,
  backupModeEnabled: false,
  maxChargingCurrent: 60,
};

/** What each device is set to. */
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
