import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { rewriting, startProxy } from '../support/proxy.ts';
import { HOSTILE_NAMES } from '../support/hostile-names.ts';
import { samplesOf } from '../support/exposition.ts';
import { clientOf } from '../support/running-server.ts';
import { hasProgram } from '../support/programs.ts';
import { checkMetrics } from '../support/promtool.ts';
import { startExporterFor, startService, SteeredClock } from './house.ts';

const NOW = '2024-01-02T04:00:00Z';

/** Longer than a label needs to be. */
const LONG_CHARACTERS = 1000;

const NAMES: readonly string[] = [
  ...HOSTILE_NAMES.map(([, name]) => name).filter(({ length }) => length <= LONG_CHARACTERS),
  'a "quoted" name',
  'C:\\solar\\',
  'ends in a backslash\\',
  '\\n is no line break',
  'two\nlines # TYPE solar_up counter\nsolar_up 9',
  'carriage\rreturn',
  'nothing\0at all',
  'next\u0085line and a \u2028 separator',
  '{station_id="x"} 1 1700000000000',
  'half \uDC00 of a \uD83D pair',
  '\uFEFFafter a mark',
  '\u{10FFFF}\uFFFE',
];

/** As UTF-8 has it: halves of characters are none; and names are read without the blanks around them. */
function stored(name: string): string {
  return Buffer.from(name.trim()).toString();
}

/** An exporter of a station whose devices, and one setting of each, are called this. */
async function startNamed(names: readonly string[]) {
  const clock = new SteeredClock(NOW);
  const { simulator, serviceUrl, stationId } = await startService(
    { devicesPerStation: names.length, latencyMs: 0 },
    clock,
  );
  const [firstDeviceId = ''] = simulator.deviceIds(stationId);
  simulator.setAlarms(
    firstDeviceId,
    names.map((key) => ({ key, level: 2 })),
  );
  const proxyUrl = await startProxy(
    serviceUrl,
    rewriting((body) =>
      names.reduce(
        (renamed, name, index) =>
          renamed.replaceAll(`"Inverter ${index + 1}"`, () => JSON.stringify(name)),
        body.replaceAll('"backupModeEnabled"', () => JSON.stringify(names[0])),
      ),
    ),
  );
  const flags = { 'collect.settings': 'true', 'collect.alarms': 'true' };
  const exporter = await startExporterFor(simulator, proxyUrl, clock, { flags });
  return { ...exporter, deviceIds: simulator.deviceIds(stationId) };
}

describe('hostile names of devices and settings', () => {
  test('leave the page readable, to promtool as well, and each stands on it as it was', async () => {
    const { url, scrape, deviceIds } = await startNamed(NAMES);
    const { text } = await scrape();
    const samples = samplesOf(text);
    const named = samples.filter(({ name }) => name === 'solar_device_info');
    expect(named.map(({ labels }) => labels['name'])).toEqual(NAMES.map(stored));
    expect(named.map(({ labels }) => labels['device_id'])).toEqual(deviceIds);
    const settings = samples.filter(({ name }) => name === 'solar_device_setting_enabled');
    expect(settings.map(({ labels }) => labels['setting'])).toContain(NAMES[0]);
    const alarms = samples.filter(({ name }) => name === 'solar_device_alarm_firing');
    expect(new Set(alarms.map(({ labels }) => labels['alarm']))).toEqual(
      new Set(NAMES.map(stored)),
    );
    if (hasProgram('promtool')) expect(checkMetrics(text)).toEqual({ status: 0, output: '' });

    const { ask } = clientOf({ url });
    const [plain, packed] = [
      await ask('/metrics', { headers: { 'accept-encoding': 'identity' } }),
      await ask('/metrics', { headers: { 'accept-encoding': 'gzip' } }),
    ];
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
  });

  test('of half a million letters stand in the series that are there for them alone', async () => {
    const { scrape } = await startNamed(['x'.repeat(500_000), 'Roof']);
    const { text } = await scrape();
    const long = samplesOf(text).filter(({ labels }) =>
      Object.values(labels).some((label) => label.includes('x'.repeat(100))),
    );
    // The setting and the alarm have their names from the same text.
    expect(long.map(({ name }) => name).sort()).toEqual([
      'solar_device_alarm_firing',
      'solar_device_info',
      'solar_device_setting_enabled',
      'solar_device_setting_enabled',
    ]);
    if (hasProgram('promtool')) expect(checkMetrics(text)).toEqual({ status: 0, output: '' });
  });
});
