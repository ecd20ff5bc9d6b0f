import { type DeviceSettings, numberOf, type Setting } from '../model/settings.ts';
import { type Collector, type DeviceSubject, slowlyChanging } from './collector.ts';
import { metricsOf, pointOf } from './metric.ts';

/** Reads the settings of a device (service.md#settings); only with `--collect.settings`. */
export const settingsCollector: Collector<DeviceSubject, DeviceSettings> = {
  name: 'settings',
  validity: ({ settingsTtlMs, maxAgeMs }, _settings, fetchedAtMs) =>
    slowlyChanging(fetchedAtMs, settingsTtlMs, maxAgeMs),
  fetch: (api, { device }) => api.fetchSettings(device.deviceId),
  metrics: metricsOf<DeviceSettings>('gauge', ['station_id', 'device_id', 'setting'], {
    solar_device_setting_value: [
      'A setting of the device that is a number, in the unit of its label.',
      (settings) =>
        visibleSettings(settings).flatMap(([name, setting]) =>
          pointOf(numberOf(setting), { setting: name, unit: setting.unit }),
        ),
      'unit',
    ],
    solar_device_setting_info: [
      'A setting of the device that is a text or a choice, and its value.',
      (settings) =>
        visibleSettings(settings).flatMap(([name, setting]) =>
          typeof setting.value === 'boolean' || numberOf(setting) !== undefined
            ? []
            : pointOf(1, { setting: name, value: setting.label ?? String(setting.value) }),
        ),
      'value',
    ],
    solar_device_setting_enabled: [
      'A setting of the device that is on (1) or off (0).',
      (settings) =>
        // Only booleans: which value of a two-way choice means "on" would be a guess.
        visibleSettings(settings).flatMap(([setting, { value }]) =>
          typeof value === 'boolean' ? pointOf(Number(value), { setting }) : [],
        ),
    ],
  }),
};

/** Returns the settings without those that the portal hides from its users. */
export function visibleSettings(settings: DeviceSettings): readonly (readonly [string, Setting])[] {
  return [...settings].filter(([, { isHidden = false }]) => !isHidden);
}
