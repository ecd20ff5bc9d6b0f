import { describe, expect, test } from 'vitest';
import {
  CLASSIC,
  deviceList,
  history,
  latest,
  MEASURED_AT,
  type Script,
  stationList,
  type TaggedFields,
} from '../scripted-service.ts';
import { done, startScriptedProcess } from './fake-process.ts';

/** Two stations; of the last device the service says nothing but its id. */
const LISTS: Script = {
  stations: stationList('7', '8'),
  devices: ({ body }) =>
    body['stationId'] === '7'
      ? deviceList({ id: '1' }, { id: '2', isOnline: false })
      : { data: { total: 1, list: [{ id: '3' }] } },
};

describe('devices', () => {
  test('lists every device of every station', async () => {
    const { shell } = await startScriptedProcess(LISTS);
    expect(await shell.run('devices')).toEqual(
      done(`station  device  name             serial  model  online
7        1       Garage inverter  SN0001  M1     yes
7        2       Garage inverter  SN0001  M1     no
8        3
`),
    );
  });

  test('--json prints one document, without what the service does not say', async () => {
    const { shell } = await startScriptedProcess(LISTS);
    const known = {
      stationId: '7',
      stationName: 'Home 7',
      timeZone: 'Europe/Kyiv',
      name: 'Garage inverter',
      serial: 'SN0001',
      model: 'M1',
      lastDataAt: MEASURED_AT,
    };
    expect(JSON.parse((await shell.run('devices', '--json')).out)).toEqual({
      devices: [
        { ...known, deviceId: '1', isOnline: true },
        { ...known, deviceId: '2', isOnline: false },
        { stationId: '8', stationName: 'Home 8', timeZone: 'Asia/Manila', deviceId: '3' },
      ],
    });
  });
});

/** Explains a device whose latest state has these keys, and whose history has none. */
async function explain(fields: TaggedFields, rules?: string): Promise<string> {
  const script = { readings: history({}), latestState: latest(fields) };
  const { shell } = await startScriptedProcess(script);
  shell.files = { 'mine.yml': rules ?? '' };
  const flags = rules === undefined ? [] : ['--dialect.file=mine.yml'];
  const { status, out, complaints } = await shell.run('devices', '--explain', ...flags);
  expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
  return out;
}

describe('devices --explain', () => {
  test('shows how each key is read, or why not, without whole ids or names', async () => {
    const out = await explain({
      pv1Power: [0.5, 'kW'],
      bmsCurrentSOC: [0, '%'],
      inputMainsPower: [1, 'W'],
      mode: ['Line Mode', ''],
      sunFeedPower: [1.2, 'kW'],
    });
    expect(out).toBe(`device …0001, model M1: family hpvinv02, read from latest
  looked at: history ok, latest ok, flow SERVICE_REQUEST_REJECTED, attributes SERVICE_REQUEST_REJECTED, allKeys ok
  missing: acOutputPowerWatts, batteryDischargeCurrentAmperes, batteryChargingCurrentAmperes, batteryVoltageVolts, gridFeedInPowerWatts, batterySocRatio

  quantity            key              sent                  rule              value             age
  stringPowerWatts 1  pv1Power         0.5 kW                uwb1, high        500 W             240 s
  batterySocRatio     bmsCurrentSOC    0 %                   hpvinv02, medium  placeholder       unknown
  gridPower           inputMainsPower  1 W                   maniy, low        sign unconfirmed  unknown
  workingMode         mode             text of 9 characters  hpvinv02, high    line              240 s

  keys that no rule reads, to paste into an issue or to use in --dialect.file:
  key              unit  value  why
  inputMainsPower  W     1      sign unconfirmed
  sunFeedPower     kW    1.2    unknown
`);
  });

  test('says that nothing is missing where all is read', async () => {
    const { shell } = await startScriptedProcess({
      devices: deviceList({ id: '0017', model: undefined }),
    });
    const { out } = await shell.run('devices', '--explain');
    expect(out).toMatch(
      /^device 0017, model unknown: family classic, read from history\n.*\n {2}missing: nothing/,
    );
    expect(out).toContain(
      '  acOutputPowerWatts              acOutputActivePower      0.85 kW (assumed)',
    );
    expect(out).toMatch(/\n\n {2}every key it sends is known\n$/);
  });

  test('shows of a sample no more than a word or a number that nobody owns', async () => {
    const samples = [
      ['code', 'amb', 'amb'],
      ['zeros', '007', '007'],
      ['below', '-12.5', '-12.5'],
      ['phone', '+380671234567', 'text of 13 characters'],
      ['address', '192.168.1.23', 'text of 12 characters'],
      ['digits', '123456', 'text of 6 characters'],
      ['exact', '0.1234', 'text of 6 characters'],
      ['word', 'amber', 'text of 5 characters'],
      // Where a device is, is nobody's business.
      ['gpsLat', '50.45', 'text of 5 characters'],
      ['longitude', '30.52', 'text of 5 characters'],
      ['LNG', '30.52', 'text of 5 characters'],
    ] as const;
    const fields = samples.map(([key, value]) => [key, [value, '']] as const);
    const rows = (await explain(Object.fromEntries(fields))).split('\n');
    const cells = rows.map((row) => row.trim().split(/ {2,}/));
    for (const [key, , shown] of samples) expect(cells).toContainEqual([key, shown, 'unknown']);
  });

  test('shows how a rule of the user reads a key', async () => {
    const rule = '- {key: sunFeedPower, quantity: pv_power, unit: kW}';
    const more = `${rule}\n- {key: moonPower, quantity: pv_power, unit: W}`;
    const out = await explain({ SunFeedPower: [1.2, 'kW'] }, more);
    expect(out).toMatch(/: family own, read from/);
    expect(out).toMatch(
      /^ {2}pvPowerWatts +SunFeedPower +1.2 kW +any family, user +1200 W +240 s$/m,
    );
    expect(out).toMatch(/\nkeys of --dialect.file that no device sends: moonPower\n$/);
  });

  const SOC: TaggedFields = { bmsSOC: [9, '%'] };
  test.each<[says: string, fields: TaggedFields]>([
    [
      'unknown for now: batteryPowerWatts, because batteryPower says 300000 W, and -200000 to 200000 W can be',
      { ...SOC, batteryPower: [300_000, 'W'] },
    ],
    [
      'unknown for now: stringPowerWatts, pvPowerWatts, because pv1Power says 65535 W, which stands for no value',
      { ...SOC, pv1Power: [65_535, 'W'] },
    ],
    [
      'left out: cellTemperature2 says 255 °C, and -50 to 100 °C can be',
      { ...SOC, cellTemperature1: [24, '°C'], cellTemperature2: [255, '°C'] },
    ],
    [
      'stringPowerWatts 3  pv3Power  1 MW  uwb1, high    implausible  unknown',
      { ...SOC, pv3Power: [1, 'MW'] },
    ],
    [
      'unknown for now: pvPowerWatts, because pv2Power, pv1Power add up to more than the device can carry',
      { pv1Power: [120, 'kW'], pv2Power: [120, 'kW'] },
    ],
  ])('says what cannot be, and what is unknown for it: %s', async (says, fields) => {
    expect(await explain(fields)).toContain(`\n  ${says}\n`);
  });

  test.each([
    [0, 'missing: acOutputPowerWatts'],
    [
      null,
      '  unknown for now: pvPowerWatts, because pv2Power has no value while others have one; if the inverter does not use it, leave it out by a rule with "quantity: nothing" in --dialect.file\n',
    ],
  ])('says which sums are unknown, and what to do: %s', async (watts, says) => {
    const out = await explain({ pv1Power: [500, 'W'], pv2Power: [watts, 'W'] });
    expect(out).toContain(says);
    expect(out.includes('unknown for now')).toBe(watts === null);
  });
});

describe('devices --share', () => {
  const LISTED: Script = {
    stations: { data: { total: 1, list: [{ id: '7', name: 'Villa Rosa' }] } },
    devices: deviceList({
      id: '0071',
      name: 'Anna',
      serialNumber: 'SN00-71',
      stationName: 'Rosa (south)',
      model: 'M1 of Anna',
      dtuId: '900000042',
      dtuDtuid: 'W0012345678',
    }),
    readings: history({}),
  };
  const FIELDS: TaggedFields = {
    pv1Power: [0.5, 'kW'],
    owner: ['anna', ''],
    lampColour: ['SBU', ''],
    moonPower: [71.5, 'W'],
    dtuId: [42, ''],
    wifiName: ['Home', ''],
    batterySN: ['A7', ''],
    batterySerialNumber: [4711, ''],
    hardware: ['SN00-71', ''],
    linked: ['0071', ''],
    W0012345678Volts: [3, 'V'],
    annaPower: [5, 'W'],
    outputApparentPower: [600, 'VA'],
  };
  const share = async (...flags: readonly string[]) => {
    const { shell } = await startScriptedProcess({ ...LISTED, latestState: latest(FIELDS) });
    const { status, out, complaints } = await shell.run('devices', ...flags);
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    return out;
  };
  const rowsOf = (out: string) => out.split('\n').map((row) => row.trim().split(/ {2,}/));

  test('prints the explanation without a part of an id, name or serial number', async () => {
    const out = await share('--explain', '--share');
    expect(out).toMatch(/^device 1, model M1 of \[name\]: family/);
    for (const identity of [/0071/, /\banna\b/i, /rosa/i, /SN00/, /12345678/, /4711|Home|A7/])
      expect(out).not.toMatch(identity);
    const rows = rowsOf(out);
    for (const row of [
      ['owner', '[name]', 'unknown'],
      ['lampColour', 'SBU', 'unknown'],
      ['moonPower', 'W', '71.5', 'unknown'],
      ['linked', '[id]', 'unknown'],
      ['hardware', 'text of 7 characters', 'unknown'],
      ['dtuId', 'text of 2 characters', 'unknown'],
      ['wifiName', 'text of 4 characters', 'unknown'],
      ['[serial number]Volts', 'V', '3', 'unknown'],
      ['annaPower', 'W', '5', 'unknown'],
    ])
      expect(rows).toContainEqual(row);
    expect(rows.flat()).not.toContain('outputApparentPower');
    expect(await share('--share')).toBe(out);
  });

  test('lists also what rules leave out with --collect.fields', async () => {
    const out = await share('--share', '--collect.fields');
    expect(out).toContain('  keys that no metric shows, to paste into an issue');
    expect(rowsOf(out)).toContainEqual(['outputApparentPower', 'VA', '600', 'not exported']);
  });

  test('leaves a model as it is that the device is named after', async () => {
    const { shell } = await startScriptedProcess({ devices: deviceList({ name: 'm1' }) });
    const { out } = await shell.run('devices', '--explain', '--share');
    expect(out).toMatch(/^device 1, model M1: family classic/);
  });
});

describe('readings', () => {
  const WITHOUT_VOLTAGE = { ...CLASSIC, batteryVoltage: null };

  test('of one device are the measured values and those derived from them', async () => {
    const { shell } = await startScriptedProcess({ readings: history(WITHOUT_VOLTAGE) });
    expect(await shell.run('readings', 'Garage inverter')).toEqual(
      done(`device              quantity                        value
100000000000000001  PV power                        1200 W
100000000000000001  AC output power                 850 W
100000000000000001  load power (derived)            850 W
100000000000000001  grid power                      unknown
100000000000000001  grid import power (derived)     0 W
100000000000000001  grid feed-in power              0 W
100000000000000001  interface grid power (derived)  0 W
100000000000000001  battery power (derived)         0 W
100000000000000001  battery voltage                 unknown
100000000000000001  battery charging current        5 A
100000000000000001  battery discharge current       0 A
100000000000000001  battery SOC                     93 %
100000000000000001  measured at                     2026-08-24T07:56:00.000Z
`),
    );
  });

  test('are of each PV string and the working mode, also at an unknown time', async () => {
    const fields = { pv1Power: [499.996, 'W'], mode: ['Line Mode', ''] } as const;
    const state = latest(fields, { time: undefined });
    const { shell } = await startScriptedProcess({ readings: history({}), latestState: state });
    expect((await shell.run('readings')).out).toMatch(
      /PV string 1 power +500 W\n\d+ +working mode +line\n\d+ +measured at +unknown\n$/,
    );
  });

  test('of a device that cannot be read do not hide those of others', async () => {
    const { shell } = await startScriptedProcess({
      devices: deviceList({ id: '1' }, { id: '2' }),
      readings: ({ body }) => (body['deviceId'] === '1' ? { status: 503 } : history(CLASSIC)),
    });
    const { out, complaints, status } = await shell.run('readings');
    expect(out).toMatch(/^2 +battery SOC +93 %$/m);
    expect(complaints).toMatch(
      /SERVICE_SERVER_ERROR: device 1: .*HTTP 503\n {2}→ the service has a fault/,
    );
    expect(status).toBe(1);
  });

  test('of a configured station are requested in the time zone of its devices', async () => {
    const { shell, asked, requests } = await startScriptedProcess({});
    expect((await shell.run('readings', '--station=7')).status).toBe(0);
    const zones = asked('readings').map(({ headers }) => headers['iot-time-zone']);
    expect(new Set(zones)).toEqual(new Set(['Europe/Kyiv']));
    expect(asked('devices').map(({ body }) => body['stationId'])).toEqual(['7']);
    const endpoints = requests.map(({ endpoint }) => endpoint);
    expect(endpoints).toEqual(['devices', 'readings', 'latestState']);
  });

  test.each<[what: string, printed: string, script: Script]>([
    [
      'last reported hours ago say so, with the time',
      `device              quantity               value
100000000000000001  nothing recent enough
100000000000000001  measured at            2026-08-24T00:00:00.000Z
`,
      { readings: history(CLASSIC, ['2026-08-24T00:00:00Z']) },
    ],
    [
      'went offline days ago are not shown where they have no time of their own',
      `device              quantity               value
100000000000000001  nothing recent enough
`,
      {
        devices: deviceList({ isOnline: false, lastDataAt: '2026-08-15T04:00:00Z' }),
        readings: history({}),
        latestState: latest({ pv1Power: [500, 'W'] }, { time: undefined }),
      },
    ],
  ])('of a device that %s', async (_what, printed, script) => {
    const { shell } = await startScriptedProcess(script);
    expect(await shell.run('readings')).toEqual(done(printed));
  });

  test('are read by rules for the model of the device, like the metrics', async () => {
    const { shell } = await startScriptedProcess({});
    shell.files = { 'r.yml': '- {key: pvInputPower, quantity: pv_power, unit: mW, model: M1}' };
    for (const argv of [['readings'], ['readings', 'Garage inverter']]) {
      const { out } = await shell.run(...argv, '--dialect.file=r.yml');
      expect(out).toMatch(/PV power +1.2 W\n/);
    }
  });

  test('of all devices are one document with --json, in units of the metrics', async () => {
    const { shell } = await startScriptedProcess({ ...LISTS, readings: history(WITHOUT_VOLTAGE) });
    const { out } = await shell.run('readings', '--json');
    const { devices } = JSON.parse(out) as { devices: Record<string, readonly object[]>[] };
    expect(devices).toMatchObject([
      { stationId: '7', deviceId: '1', isReporting: true, measuredAt: MEASURED_AT },
      { stationId: '7', deviceId: '2', name: 'Garage inverter', serial: 'SN0001', model: 'M1' },
      { stationId: '8', deviceId: '3', family: 'classic', source: 'history' },
    ]);
    expect(devices[0]?.['values']).toHaveLength(10);
    expect(devices[0]?.['values']?.slice(1, 3)).toEqual([
      {
        metric: 'solar_ac_output_power_watts',
        quantity: 'AC output power',
        value: 850,
        isDerived: false,
      },
      {
        metric: 'solar_load_power_watts',
        quantity: 'load power',
        value: 850,
        isDerived: true,
      },
    ]);
  });
});
