import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CLASSIC_DIALECT } from '../../src/client/dialects/classic.ts';
import { type Envelope, openEnvelope } from '../../src/client/envelope.ts';
import { parseJson } from '../../src/client/json.ts';
import { decodeMonthlyEnergy } from '../../src/client/monthly-summary.ts';
import { decodeReadings } from '../../src/client/time-series.ts';
import { decodeTokens, type TokenSet } from '../../src/client/tokens.ts';
import { decodeDevicePage, decodeSettings, decodeStationPage } from '../../src/client/wire.ts';

const DIRECTORY = new URL('../fixtures/client/', import.meta.url);
const PATH = '/apis/path';
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

interface Row {
  readonly file: string;
  readonly expected: unknown;
}

function read(file: string): unknown {
  return parseJson(readFileSync(new URL(`${file}.json`, DIRECTORY), 'utf8'));
}

function open(file: string): Envelope {
  return openEnvelope(read(file), PATH, true);
}

const garage = {
  deviceId: '100000000000000001',
  name: 'Garage inverter',
  serial: 'SN0001',
  model: undefined,
  isOnline: true,
  stationName: 'Home',
  stationTimeZone: 'Europe/Kyiv',
};
const tokens = {
  access: 'made-up-access-token-000000000001',
  refresh: 'made-up-refresh-token-00000000001',
  accessExpiresAt: '2026-08-24T10:00:00.000Z',
  refreshExpiresAt: '2026-09-23T08:00:00.000Z',
};
const augustEnergy = {
  pvGeneratedKwh: 140,
  gridImportKwh: 60.5,
  consumptionKwh: 280,
  solarRatio: 0.5,
};

const TOKENS: readonly Row[] = [
  { file: 'tokens-in-data', expected: tokens },
  { file: 'tokens-at-top-level', expected: tokens },
  { file: 'tokens-with-epoch-expiry', expected: tokens },
  {
    file: 'tokens-without-expiry',
    expected: { ...tokens, accessExpiresAt: undefined, refreshExpiresAt: undefined },
  },
];

const DEVICES: readonly Row[] = [
  { file: 'devices-page', expected: { total: 1, entries: [garage], isShort: true } },
  {
    file: 'devices-without-total',
    expected: {
      entries: [
        garage,
        {
          ...garage,
          deviceId: '100000000000000004',
          name: 'Roof inverter',
          serial: 'SN0002',
          isOnline: false,
        },
      ],
      isShort: true,
    },
  },
  { file: 'devices-null-list', expected: { total: 0, entries: [], isShort: true } },
];

const STATIONS: readonly Row[] = [
  {
    file: 'stations-numeric-id',
    expected: {
      total: 1,
      entries: [{ stationId: '100000000000000003', name: 'Home', timeZone: 'Europe/Kyiv' }],
      isShort: true,
    },
  },
];

const READINGS: readonly Row[] = [
  {
    file: 'readings-trailing-nulls',
    expected: {
      pvPowerWatts: 1250.5,
      acOutputPowerWatts: 850,
      batteryVoltageVolts: 52.4,
      batteryChargingCurrentAmperes: 7.5,
      batteryDischargeCurrentAmperes: 0,
      gridFeedInPowerWatts: 0,
      batterySocRatio: 0.93,
      measuredAtMs: Date.parse('2026-08-24T07:50:02Z'),
    },
  },
  {
    file: 'readings-numeric-text',
    expected: {
      pvPowerWatts: 1250.5,
      batterySocRatio: 0.93,
      measuredAtMs: Date.parse('2026-08-24T07:50:02Z'),
    },
  },
  {
    file: 'readings-as-objects',
    expected: {
      batteryVoltageVolts: 52.4,
      batterySocRatio: 0.93,
      measuredAtMs: Date.parse('2026-08-24T07:50:02Z'),
    },
  },
  {
    file: 'readings-missing-keys',
    expected: { batteryVoltageVolts: 52.4, measuredAtMs: Date.parse('2026-08-24T07:55:01Z') },
  },
  { file: 'readings-empty-window', expected: {} },
  { file: 'readings-null-payload', expected: {} },
];

const SUMMARIES: readonly Row[] = [
  { file: 'summary-flat-properties', expected: augustEnergy },
  { file: 'summary-flat-list', expected: augustEnergy },
];

const SETTINGS: readonly Row[] = [
  {
    file: 'settings-flat',
    expected: {
      operatingMode: 'Self-Use',
      batteryPriority: 'Solar First',
      gridChargingEnabled: false,
      gridFeedInEnabled: true,
      backupModeEnabled: false,
    },
  },
  {
    file: 'settings-as-objects',
    expected: {
      outputSourcePrioritySetting: expect.stringContaining('"valueDisplay":"SUB"') as string,
      maxTotalChargeCurrentSetting: expect.stringContaining('"value":60') as string,
    },
  },
  { file: 'settings-empty', expected: {} },
];

const REFUSALS: readonly Row[] = [
  { file: 'refused-token-expired', expected: { code: 'SERVICE_AUTH_REJECTED' } },
  {
    file: 'refused-rule-missing',
    expected: {
      code: 'SERVICE_API_REFUSED',
      message: `${PATH}: service answered code 70132: no rule for this model`,
    },
  },
  {
    file: 'refused-by-msg',
    expected: {
      code: 'SERVICE_API_REFUSED',
      message: `${PATH}: service answered code 70001: no such station`,
    },
  },
];

describe('a recorded shape decodes', () => {
  test.each(TOKENS)('$file', ({ file, expected }) => {
    expect(shown(decodeTokens(open(file), PATH, NOW_MS))).toEqual(expected);
  });

  test.each(DEVICES)('$file', ({ file, expected }) => {
    expect(decodeDevicePage(open(file).data, PATH, 50)).toEqual(expected);
  });

  test.each(STATIONS)('$file', ({ file, expected }) => {
    expect(decodeStationPage(open(file).data, PATH, 50)).toEqual(expected);
  });

  test.each(READINGS)('$file', ({ file, expected }) => {
    expect(decodeReadings(open(file).data, CLASSIC_DIALECT, PATH)).toEqual(expected);
  });

  test.each(SUMMARIES)('$file', ({ file, expected }) => {
    expect(decodeMonthlyEnergy(open(file).data, '2026-08', PATH)).toEqual(expected);
  });

  test.each(SETTINGS)('$file', ({ file, expected }) => {
    expect(Object.fromEntries(decodeSettings(open(file).data, PATH))).toEqual(expected);
  });

  test.each(REFUSALS)('$file', ({ file, expected }) => {
    expect(() => open(file)).toThrow(expect.objectContaining(expected as object));
  });
});

describe('every fixture', () => {
  const files = readdirSync(DIRECTORY).map((name) => name.replace(/\.json$/, ''));

  test('is read by a test', () => {
    const rows = [TOKENS, DEVICES, STATIONS, READINGS, SUMMARIES, SETTINGS, REFUSALS].flat();
    expect(rows.map(({ file }) => file).sort()).toEqual(files.sort());
  });

  test.each(files)('says what it stands for: %s', (file) => {
    expect(read(file)).toHaveProperty(
      '_note',
      expect.stringMatching(/^(Field notes|Interface) [\d., row]+: .+\.$/),
    );
  });
});

function shown(set: TokenSet): object {
  const iso = (atMs: number | undefined) =>
    atMs === undefined ? undefined : new Date(atMs).toISOString();
  return {
    access: set.accessToken.reveal(),
    refresh: set.refreshToken?.reveal(),
    accessExpiresAt: iso(set.accessExpiresAtMs),
    refreshExpiresAt: iso(set.refreshExpiresAtMs),
  };
}
