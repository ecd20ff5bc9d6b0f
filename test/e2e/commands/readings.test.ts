import { describe, expect, test } from 'vitest';
import { rewriting, startProxy } from '../../support/proxy.ts';
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
    // Log-in, stations, devices, readings, units.
    expect(simulator.requests()).toBe(5);
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
    const proxyUrl = await startProxy(
      shell.env['SOLAR_BASE_URL'] ?? '',
      rewriting((body, { headers }) => {
        if (body.includes('"payload"')) zones.add(headers['iot-time-zone']);
        return body;
      }),
    );
    const flags = [`--station=${stationId}`, `--base-url=${proxyUrl}`];
    expect((await shell.run('readings', ...flags)).status).toBe(0);
    expect([...zones]).toEqual(['Europe/Madrid']);
  });

  test('that are missing are shown as unknown, like a missing time', async () => {
    const { shell, deviceId } = await startProcess();
    const { SOLAR_BASE_URL: serviceUrl = '' } = shell.env;
    const proxyUrl = await startProxy(
      serviceUrl,
      rewriting((body) =>
        body.replace('"batterySOC"', '"another"').replace('"timeSeries"', '"instants"'),
      ),
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
    expect(status).toBe(2);
    expect(complaints).toBe(
      'solar-exporter: "12345": unknown device; accepted: the id, the name or the serial number of a device; solar-exporter devices lists them\n',
    );
  });

  test('of a device are found by its name and its serial number', async () => {
    const { shell, deviceId } = await startProcess({ devicesPerStation: 2 });
    const { out: listed } = await shell.run('devices');
    const [, serial = ''] = /Inverter 1 +(SIM\d+)/.exec(listed) ?? [];
    for (const name of ['inverter 1', serial.toLowerCase()]) {
      const { status, out } = await shell.run('readings', name);
      expect(status).toBe(0);
      expect(new Set([...out.matchAll(/^(\d+) /gm)].map(([, device]) => device))).toEqual(
        new Set([deviceId]),
      );
    }
  });

  test('are read by rules for the model of the device, like the metrics', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    shell.files = {
      'rules.yml': '- {key: pvInputPower, quantity: pv_power, unit: kW, model: SIM-5K}',
    };
    const { pvPowerWatts } = simulator.truth(deviceId, shell.clock.nowMs());
    for (const argv of [['readings'], ['readings', deviceId], ['readings', 'Inverter 1']]) {
      const { out } = await shell.run(...argv, '--dialect.file=rules.yml');
      expect(quantities(out)['PV power']).toBe(`${Math.round(pvPowerWatts) * 1000} W`);
    }
  });

  test('without a time of their own are not shown for a device that went offline days ago', async () => {
    const { shell, deviceId } = await startProcess({ family: 'uwb1' });
    const proxyUrl = await startProxy(
      shell.env['SOLAR_BASE_URL'] ?? '',
      rewriting((body) =>
        body
          .replaceAll('"isOnline":true', '"isOnline":false')
          .replaceAll(/"lastDataAt":"[^"]*"/g, '"lastDataAt":"2025-12-24T04:00:00Z"')
          .replaceAll(/"time(?:stamp)?":/g, '"another":'),
      ),
    );
    for (const argv of [['readings'], ['readings', deviceId]]) {
      const { out } = await shell.run(...argv, `--base-url=${proxyUrl}`);
      expect(out).toContain('nothing recent enough');
    }
  });

  test('--json prints one document, in the units of the metrics', async () => {
    const { shell, simulator, stationId, deviceId } = await startProcess();
    const { status, out } = await shell.run('readings', '--json');
    expect(status).toBe(0);
    const truth = simulator.truth(deviceId, shell.clock.nowMs());
    const document = JSON.parse(out) as { devices: { values: { metric: string }[] }[] };
    expect(document.devices).toMatchObject([
      { stationId, deviceId, isReporting: true, measuredAt: '2026-01-02T04:00:00.000Z' },
    ]);
    expect(document.devices[0]?.values).toContainEqual({
      metric: 'solar_pv_power_watts',
      quantity: 'PV power',
      value: Math.round(truth.pvPowerWatts),
      isDerived: false,
    });
  });
});
