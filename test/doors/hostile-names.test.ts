import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../support/hostile-names.ts';
import { samplesOf } from '../support/exposition.ts';
import { scrapeHouse } from './house.ts';
import { deviceList } from './scripted-service.ts';

/** Longer than a label needs to be. */
const LONG_CHARACTERS = 1000;

const NAMES: readonly string[] = [
  ...HOSTILE_NAMES.map(([, name]) => name).filter(({ length }) => length <= LONG_CHARACTERS),
  // What has a meaning in the text format, unit/metrics/station-pages.test.ts tries.
  'two\nlines # TYPE solar_up counter\nsolar_up 9',
  '\uFEFFafter a mark',
];

/** As UTF-8 has it: halves of characters are none; and names are read without the blanks around them. */
function stored(name: string): string {
  return Buffer.from(name.trim()).toString();
}

/** The page of a station whose devices, the alarms of the first of them, and a setting of each are called this. */
function scrapeNamed(names: readonly string[]) {
  const [setting = ''] = names;
  const alarms = names.map((key) => ({ key, deviceId: '0', level: 2, disappearedAt: null }));
  const devices = names.map((name, index) => ({ id: String(index), name }));
  return scrapeHouse(
    {
      devices: deviceList(...devices),
      alarms: { data: { list: alarms } },
      settingsGet: { data: { [setting]: { key: setting, value: true } } },
    },
    { flags: { 'collect.settings': 'true' } },
  );
}

describe('hostile names of devices and settings', () => {
  test('leave the page readable, and each stands on it as it was', async () => {
    const { page } = await scrapeNamed(NAMES);
    const samples = samplesOf(page.text);
    const labelsOf = (metric: string, label: string) =>
      samples.filter(({ name }) => name === metric).map(({ labels }) => labels[label]);
    expect(labelsOf('solar_device_info', 'name')).toEqual(NAMES.map(stored));
    expect(labelsOf('solar_device_info', 'device_id')).toEqual(NAMES.map((_, id) => String(id)));
    expect(labelsOf('solar_device_setting_enabled', 'setting')).toContain(NAMES[0]);
    const alarms = labelsOf('solar_device_alarm_firing', 'alarm');
    expect(new Set(alarms)).toEqual(new Set(NAMES.map(stored)));
  });

  test('of half a million letters stand in the series for names alone', async () => {
    const { page } = await scrapeNamed(['x'.repeat(500_000), 'Roof']);
    const long = samplesOf(page.text).filter(({ labels }) =>
      Object.values(labels).some((label) => label.includes('x'.repeat(100))),
    );
    const settings = ['solar_device_setting_enabled', 'solar_device_setting_enabled'];
    expect(long.map(({ name }) => name).sort()).toEqual([
      'solar_device_alarm_firing',
      'solar_device_info',
      ...settings,
    ]);
  });
});
