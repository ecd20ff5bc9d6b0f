import { type DeviceSettings, numberOf, type Setting } from '../model/settings.ts';
import { type Collector, type DeviceSubject, slowlyChanging } from './collector.ts';
import { pointOf } from './metric.ts';

/** Reads the settings of a device (interface endpoint 6); only with `--collect.settings`. */
export const settingsCollector: Collector<DeviceSubject, DeviceSettings> = {
  name: 'settings',
  lifetime: ({ settingsTtlMs, maxAgeMs }) => slowlyChanging(settingsTtlMs, maxAgeMs),
  fetch: (api, { device }) => api.fetchSettings(device.deviceId),
  metrics: [
    {
      name: 'solar_device_setting_value',
      type: 'gauge',
      help: 'A setting of the device that is a number, in the unit of its label; without that label where the service names none.',
      labelNames: ['station_id', 'device_id', 'setting', 'unit'],
      read: (settings) =>
        visibleSettings(settings).flatMap(([name, setting]) =>
          pointOf(numberOf(setting), { setting: name, unit: setting.unit }),
        ),
    },
    {
      name: 'solar_device_setting_info',
      type: 'gauge',
      help: 'Always 1; a setting of the device that is text or one of several choices, and its value.',
      labelNames: ['station_id', 'device_id', 'setting', 'value'],
      read: (settings) =>
        visibleSettings(settings).flatMap(([name, setting]) =>
          typeof setting.value === 'boolean' || numberOf(setting) !== undefined
            ? []
            : pointOf(1, { setting: name, value: setting.label ?? String(setting.value) }),
        ),
    },
    {
      name: 'solar_device_setting_enabled',
      type: 'gauge',
      help: 'A setting of the device that is on (1) or off (0).',
      labelNames: ['station_id', 'device_id', 'setting'],
      read: (settings) =>
        // Only booleans: which value of a two-way choice means "on" would be a guess.
        visibleSettings(settings).flatMap(([setting, { value }]) =>
          typeof value === 'boolean' ? [{ value: Number(value), labels: { setting } }] : [],
        ),
    },
  ],
};

/** Returns the settings without those that the portal hides from its users. */
export function visibleSettings(settings: DeviceSettings): readonly (readonly [string, Setting])[] {
  return [...settings].filter(([, { isHidden = false }]) => !isHidden);
}
