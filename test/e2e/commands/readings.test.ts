import { describe, expect, test } from 'vitest';
import { startProxy } from '../proxy.ts';
import { startProcess } from '../../commands/command-harness.ts';

function quantities(out: string): Record<string, string> {
  const rows = out.trimEnd().split('\n').slice(1);
  return Object.fromEntries(
    rows.map((row) => {
      const [, quantity = '', value = ''] = row.split(/ {2,}/);
      return [quantity, value];
    }),
  );
}

describe('readings', () => {
  test('of one device are the measured values and those derived from them', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    const { status, out, complaints } = await shell.run('readings', deviceId);
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    const truth = simulator.truth(deviceId, shell.clock.nowMs());
    expect(quantities(out)).toMatchObject({
      'PV power': `${Math.round(truth.pvPowerWatts)} W`,
      'AC output power': `${Math.round(truth.loadPowerWatts)} W`,
      'load power (derived)': `${Math.round(truth.loadPowerWatts)} W`,
      'battery SOC': `${Math.round(truth.batterySocRatio * 100)} %`,
      'measured at': '2026-01-02T04:00:00.000Z',
    });
    expect(simulator.requests()).toBe(3);
  });

  test('are of all devices without a device in the command line', async () => {
    const { shell, simulator, stationId } = await startProcess({ devicesPerStation: 3 });
    const { out } = await shell.run('readings');
    const devices = new Set([...out.matchAll(/^(\d+) /gm)].map(([, device]) => device));
    expect([...devices]).toEqual([...simulator.deviceIds(stationId)]);
  });

  test('of a configured station are requested in the time zone of its devices', async () => {
    const zones = new Set<unknown>();
    const { shell, stationId } = await startProcess({ timeZone: 'Europe/Madrid' });
    const proxyUrl = await startProxy(shell.env['SOLAR_BASE_URL'] ?? '', (body, headers) => {
      if (body.includes('"payload"')) zones.add(headers['iot-time-zone']);
      return body;
    });
    const flags = [`--station=${stationId}`, `--base-url=${proxyUrl}`];
    expect((await shell.run('readings', ...flags)).status).toBe(0);
    expect([...zones]).toEqual(['Europe/Madrid']);
  });

  test('that are missing are shown as unknown, like a missing time', async () => {
    const { shell, deviceId } = await startProcess();
    const { SOLAR_BASE_URL: serviceUrl = '' } = shell.env;
    const proxyUrl = await startProxy(serviceUrl, (body) =>
      body.replace('"batterySOC"', '"another"').replace('"timeSeries"', '"instants"'),
    );
    const { out } = await shell.run('readings', deviceId, `--base-url=${proxyUrl}`);
    expect(quantities(out)).toMatchObject({
      'PV power': expect.stringMatching(/^\d+ W$/) as unknown,
      'battery SOC': 'unknown',
      'measured at': 'unknown',
    });
  });

  test('of a device that last reported hours ago say so, with the time', async () => {
    const { shell, deviceId } = await startProcess({ sampleIntervalMs: 24 * 3_600_000 });
    expect(await shell.run('readings', deviceId)).toEqual({
      status: 0,
      out: [
        'device              quantity               value',
        `${deviceId}  nothing recent enough`,
        `${deviceId}  measured at            2026-01-02T00:00:00.000Z`,
        '',
      ].join('\n'),
      complaints: '',
    });
  });

  test('of an unknown device fail with the code of the service', async () => {
    const { shell } = await startProcess();
    const { status, complaints } = await shell.run('readings', '12345');
    expect(status).toBe(1);
    expect(complaints).toContain('SERVICE_API_REFUSED');
    expect(complaints).toContain('a serial number is not an id');
  });
});
