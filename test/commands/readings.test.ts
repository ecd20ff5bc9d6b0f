import { describe, expect, test } from 'vitest';
import { startProxy } from '../e2e/proxy.ts';
import { startProcess } from './command-harness.ts';

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
  test('of one device are those the service measured, and what follows from them', async () => {
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
    expect(simulator.requests()).toBe(2);
  });

  test('are of all devices when none is named', async () => {
    const { shell, simulator, stationId } = await startProcess({ devicesPerStation: 3 });
    const { out } = await shell.run('readings');
    const devices = new Set([...out.matchAll(/^(\d+) /gm)].map(([, device]) => device));
    expect([...devices]).toEqual([...simulator.deviceIds(stationId)]);
  });

  test('of a configured station are asked in the time zone that its devices name', async () => {
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

  test('that are missing are unknown, and so is a time that the service does not give', async () => {
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

  test('of a device that last reported hours ago say so, and when that was', async () => {
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

  test('of an unknown device are a failure with its code', async () => {
    const { shell } = await startProcess();
    const { status, complaints } = await shell.run('readings', '12345');
    expect(status).toBe(1);
    expect(complaints).toContain('SERVICE_API_REFUSED');
    expect(complaints).toContain('a serial number is not an id');
  });
});
