import { describe, expect, test } from 'vitest';
import { rewriting, startProxy } from '../../support/proxy.ts';
import { startProcess } from '../../commands/command-harness.ts';

function columns(out: string): readonly (readonly string[])[] {
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

describe('devices', () => {
  test('lists every device of every station', async () => {
    const { shell, simulator } = await startProcess({ stations: 2, devicesPerStation: 2 });
    const { status, out, complaints } = await shell.run('devices');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    const [header, ...rows] = columns(out);
    expect(header).toEqual(['station', 'device', 'name', 'serial', 'model', 'online']);
    expect(rows).toEqual(
      simulator.stationIds.flatMap((stationId) =>
        simulator
          .deviceIds(stationId)
          .map((deviceId, index) => [
            stationId,
            deviceId,
            `Inverter ${index + 1}`,
            expect.stringMatching(/^SIM\d+$/) as unknown,
            'SIM-5K',
            'yes',
          ]),
      ),
    );
  });

  test('lists the devices of every page', async () => {
    const { shell } = await startProcess({ devicesPerStation: 120 });
    expect(columns((await shell.run('devices')).out)).toHaveLength(121);
  });

  test('lists only the devices of the configured stations', async () => {
    const { shell, simulator } = await startProcess({ stations: 3 });
    const second = simulator.stationIds[1] ?? '';
    const { out } = await shell.run('devices', `--station=${second}`);
    expect(columns(out).map(([station]) => station)).toEqual(['station', second]);
    expect(simulator.requests('stations')).toBe(0);
  });

  test('prints only the header for an account without devices', async () => {
    const { shell, simulator } = await startProcess();
    simulator.setStations(0);
    expect(await shell.run('devices')).toEqual({
      status: 0,
      out: 'station  device  name  serial  model  online\n',
      complaints: '',
    });
  });

  test.each([
    {
      what: 'an offline device',
      rewrite: '"isOnline":false',
      row: /Inverter 1 +SIM\d+ +SIM-5K +no$/m,
    },
    { what: 'one that may be online', rewrite: '"x":1', row: /Inverter 1 +SIM\d+ +SIM-5K$/m },
  ])('tells $what from others', async ({ rewrite, row }) => {
    const { shell } = await startProcess();
    const proxyUrl = await startProxy(
      shell.env['SOLAR_BASE_URL'] ?? '',
      rewriting((body) => body.replaceAll('"isOnline":true', rewrite)),
    );
    expect((await shell.run('devices', `--base-url=${proxyUrl}`)).out).toMatch(row);
  });

  test('lists a device without name, serial number and model by its id', async () => {
    const { shell, deviceId } = await startProcess();
    const proxyUrl = await startProxy(
      shell.env['SOLAR_BASE_URL'] ?? '',
      rewriting((body) =>
        body
          .replace(/"name":"Inverter.*?"model":"[^"]*",/, '')
          .replace(/"(?:deviceSort|gatherProtocol)\w*":"[^"]*",/g, ''),
      ),
    );
    const { out } = await shell.run('devices', `--base-url=${proxyUrl}`);
    expect(out).toMatch(new RegExp(`^\\d+ +${deviceId} +yes$`, 'm'));
  });

  test('fails with a code and a remedy when the list cannot be read', async () => {
    const { shell, simulator } = await startProcess();
    simulator.setFault('devices', { kind: 'status', status: 502 });
    const { status, out, complaints } = await shell.run('devices');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toBe(
      `solar-exporter: SERVICE_SERVER_ERROR: ${shell.env['SOLAR_BASE_URL'] ?? ''}/apis/device/list: HTTP 502\n  → the service has a fault of its own: try again later\n`,
    );
  });

  test('--json prints one document', async () => {
    const { shell, stationId, deviceId } = await startProcess({ timeZone: 'Europe/Madrid' });
    const { status, out } = await shell.run('devices', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual({
      devices: [
        {
          stationId,
          stationName: 'Station 1',
          timeZone: 'Europe/Madrid',
          deviceId,
          name: 'Inverter 1',
          serial: expect.stringMatching(/^SIM\d+$/) as unknown,
          model: 'SIM-5K',
          isOnline: true,
          lastDataAt: expect.stringMatching(/^2026-01-02T/) as unknown,
        },
      ],
    });
  });
});
