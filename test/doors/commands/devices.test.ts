import { describe, expect, test } from 'vitest';
import { rewriting, startProxy } from '../../support/proxy.ts';
import { history, latest, startScriptedService } from '../scripted-service.ts';
import { FakeProcess, startProcess } from './fake-process.ts';

/** Lets a process ask its service through a proxy that changes the answers. */
async function rewriteFor(shell: FakeProcess, ...change: Parameters<typeof rewriting>) {
  const url = await startProxy(shell.env['SOLAR_BASE_URL'] ?? '', rewriting(...change));
  shell.env = { ...shell.env, SOLAR_BASE_URL: url };
}

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
    await rewriteFor(shell, (body) => body.replaceAll('"isOnline":true', rewrite));
    expect((await shell.run('devices')).out).toMatch(row);
  });

  test('lists a device without name, serial number and model by its id', async () => {
    const { shell, deviceId } = await startProcess();
    await rewriteFor(shell, (body) =>
      body
        .replace(/"name":"Inverter.*?"model":"[^"]*",/, '')
        .replace(/"(?:deviceSort|gatherProtocol)\w*":"[^"]*",/g, ''),
    );
    const { out } = await shell.run('devices');
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

/** The rows of a table, by the text of their first columns. */
function rowsOf(out: string): readonly (readonly string[])[] {
  return out.split('\n').map((line) => line.trim().split(/ {2,}/));
}

describe('devices --explain', () => {
  test('lists the key, unit, rule, value and age of every quantity', async () => {
    const { shell, simulator, deviceId } = await startProcess({ family: 'hpvinv02' });
    const { status, out, complaints } = await shell.run('devices', '--explain');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toContain('family hpvinv02, read from latest\n');
    expect(out).toContain('  looked at: readings ok, latest-state ok');
    expect(out).toContain('  missing: nothing\n');
    const truth = simulator.truth(deviceId, shell.clock.nowMs());
    const rows = rowsOf(out);
    expect(rows).toContainEqual([
      'pvPowerWatts',
      'generationPower',
      'kW',
      expect.stringContaining('hpvinv02'),
      String(Math.round(truth.pvPowerWatts)),
      '0 s',
    ]);
    expect(rows.find(([, key]) => key === 'bmsCurrentSOC')?.[4]).toBe('placeholder');
    expect(rows.find(([, key]) => key === 'mode')?.at(-2)).toBe('line');
    expect(out).toContain('every key it sends is known');
  });

  test('prints the keys that no rule describes, with unit and sample, and without any id', async () => {
    const { shell, simulator, stationId, deviceId } = await startProcess({ family: 'undescribed' });
    const { out } = await shell.run('devices', '--explain');
    const rows = rowsOf(out);
    expect(out).toContain(`device …${deviceId.slice(-4)}`);
    expect(rows.find(([key]) => key === 'sunFeedPower')).toEqual([
      'sunFeedPower',
      'kW',
      expect.stringMatching(/^\d+(\.\d+)?$/),
      'unknown',
    ]);
    expect(rows.find(([key]) => key === 'lampColour')?.at(-1)).toBe('unknown');
    for (const secret of [stationId, deviceId, simulator.options.account, 'Inverter 1'])
      expect(out).not.toContain(secret);
  });

  test.each([
    { value: '"amb"', shown: 'amb' },
    { value: '"007"', shown: '007' },
    { value: '-12.5', shown: '-12.5' },
    { value: '"Ivan Petrenko"', shown: 'text of 13 characters' },
    { value: '"SN-123456789 of someone@example.org"', shown: 'text of 35 characters' },
    { value: '"+380671234567"', shown: 'text of 13 characters' },
    { value: '"192.168.1.23"', shown: 'text of 12 characters' },
    { value: '1234567', shown: 'text of 7 characters' },
    // Where a device is, is nobody's business.
    { value: '50.45', shown: 'text of 5 characters', key: 'latitude' },
  ])(
    'shows of a sample $value no more than $shown',
    async ({ value, shown, key = 'lampColour' }) => {
      const { shell } = await startProcess({ family: 'undescribed' });
      await rewriteFor(shell, (body) =>
        body.replaceAll('lampColour', key).replaceAll('"amber"', value),
      );
      const { out } = await shell.run('devices', '--explain');
      expect(rowsOf(out).find(([first]) => first === key)?.[1]).toBe(shown);
    },
  );

  test('says why a value is not read', async () => {
    const { shell } = await startProcess({ family: 'maniy' });
    const { out } = await shell.run('devices', '--explain');
    expect(out).toContain(
      'missing: batteryDischargeCurrentAmperes, batteryChargingCurrentAmperes, gridFeedInPowerWatts',
    );
    const unread = rowsOf(out).filter(([, , , why]) => why === 'sign unconfirmed');
    expect(unread.map(([key]) => key)).toEqual([
      'inputMainsPower',
      'mainsInputRealTimePower',
      'gridConnectedPower',
      'lithiumBatteryChargeDischargeCurrent',
    ]);
  });

  test('shows how a rule of the user reads a key', async () => {
    const { shell, simulator, deviceId } = await startProcess({ family: 'undescribed' });
    shell.files = { 'mine.yml': '- {key: sunFeedPower, quantity: pv_power, unit: kW}' };
    const { out } = await shell.run('devices', '--explain', '--dialect.file=mine.yml');
    const truth = simulator.truth(deviceId, shell.clock.nowMs());
    expect(rowsOf(out)).toContainEqual([
      'pvPowerWatts',
      'sunFeedPower',
      'kW',
      'any family, user',
      String(Math.round(truth.pvPowerWatts)),
      '0 s',
    ]);
  });

  test.each([
    { watts: 0, says: 'missing: ' },
    {
      watts: null,
      says: '  unknown for now: pvPowerWatts, because pv2Power has no value while others have one; if the inverter does not use it, leave it out by a rule with "quantity: nothing" in --dialect.file\n',
    },
  ])('says which sums are unknown, and what to do: $watts', async ({ watts, says }) => {
    const shell = new FakeProcess();
    const fields = { pv1Power: [500, 'W'], pv2Power: [watts, 'W'] } as const;
    const script = { readings: history({}), latestState: latest(fields) };
    const { serviceUrl } = await startScriptedService(script, shell.clock);
    shell.env = { SOLAR_BASE_URL: serviceUrl, SOLAR_ACCESS_TOKEN: 'made-up' };
    const { out } = await shell.run('devices', '--explain');
    expect(out).toContain(says);
    expect(out.includes('unknown for now')).toBe(watts === null);
  });

  test('names the error code of an endpoint that did not answer', async () => {
    const { shell, simulator } = await startProcess({ family: 'techfine' });
    simulator.setFault('latest-state', { kind: 'status', status: 404 });
    const { status, out } = await shell.run('devices', '--explain');
    expect(status).toBe(0);
    expect(out).toContain('latest-state SERVICE_REQUEST_REJECTED, attributes ok');
  });
});

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
    await rewriteFor(shell, (body, { headers }) => {
      if (body.includes('"payload"')) zones.add(headers['iot-time-zone']);
      return body;
    });
    const flags = [`--station=${stationId}`];
    expect((await shell.run('readings', ...flags)).status).toBe(0);
    expect([...zones]).toEqual(['Europe/Madrid']);
  });

  test('that are missing are shown as unknown, like a missing time', async () => {
    const { shell, deviceId } = await startProcess();
    await rewriteFor(shell, (body) =>
      body.replace('"batterySOC"', '"another"').replace('"timeSeries"', '"instants"'),
    );
    const { out } = await shell.run('readings', deviceId);
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
    await rewriteFor(shell, (body) =>
      body
        .replaceAll('"isOnline":true', '"isOnline":false')
        .replaceAll(/"lastDataAt":"[^"]*"/g, '"lastDataAt":"2025-12-24T04:00:00Z"')
        .replaceAll(/"time(?:stamp)?":/g, '"another":'),
    );
    for (const argv of [['readings'], ['readings', deviceId]]) {
      const { out } = await shell.run(...argv);
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
