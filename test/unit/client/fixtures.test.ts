import { describe, expect, test } from 'vitest';
import { ZonedCalendar } from '../../../src/base/time-zone.ts';
import { type Envelope, openEnvelope } from '../../../src/client/exchange/envelope.ts';
import { decodeDays, decodeYears } from '../../../src/client/energy/days-and-years.ts';
import { decodeMonthlyEnergy } from '../../../src/client/energy/monthly-summary.ts';
import {
  decodeBatchRead,
  decodeBatchReadId,
} from '../../../src/client/settings/settings-batch-read.ts';
import { decodeSettings } from '../../../src/client/settings/settings-wire.ts';
import { decodeTokens, type TokenSet } from '../../../src/client/session/tokens.ts';
import {
  decodeDevicePage,
  decodeStationPage,
} from '../../../src/client/stations/inventory-pages.ts';
import { flatSetting } from '../../../src/model/settings.ts';
import { RECORDING_NAMES, readRecording } from '../../support/recordings.ts';

const PATH = '/apis/path';
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
const NOW = { nowMs: NOW_MS, calendar: new ZonedCalendar('UTC'), serviceAheadMs: 0 };

interface Row {
  readonly file: string;
  readonly expected: unknown;
}

function open(file: string): Envelope {
  return openEnvelope(readRecording(file), PATH, true);
}

const garage = {
  deviceId: '100000000000000001',
  name: 'Garage inverter',
  serial: 'SN0001',
  model: 'XX0000000',
  isOnline: true,
  dataloggerId: '100000000000000002',
  dataloggerNumber: '00000000000000000000',
  stationId: '100000000000000003',
  stationName: 'Home',
  stationTimeZone: 'Europe/Kyiv',
  ratedPowerWatts: 5000,
  pvEnergyTodayKwh: 4.5,
  pvEnergyTotalKwh: 1004.5,
  lastDataAtMs: Date.parse('2026-08-24T07:55:01Z'),
};
const garageWithoutFigures = {
  ...garage,
  model: 'PV inverter',
  isOnline: false,
  ratedPowerWatts: undefined,
  pvEnergyTodayKwh: undefined,
  pvEnergyTotalKwh: undefined,
  lastDataAtMs: undefined,
};
const tokens = {
  access: 'made-up-access-token-000000000001',
  refresh: 'made-up-refresh-token-00000000001',
  accessExpiresAt: '2026-08-24T10:00:00.000Z',
  refreshExpiresAt: '2026-09-23T08:00:00.000Z',
};
const todayEnergy = { pvGeneratedKwh: 9.35, consumptionKwh: 6.05 };
const yesterdayEnergy = {
  pvGeneratedKwh: 21.7,
  batteryChargedKwh: 5.1,
  consumptionKwh: 14.2,
  gridImportKwh: 0,
};

const augustEnergy = {
  pvGeneratedKwh: 140,
  gridImportKwh: 60.5,
  consumptionKwh: 280,
  solarRatio: 0.5,
};

const outputSourcePriority = {
  label: 'SUB',
  choices: [
    { value: '0', label: 'USO' },
    { value: '1', label: 'SUB' },
    { value: '2', label: 'SBU' },
  ],
  form: 'object',
};
const maxTotalChargeCurrent = {
  value: 60,
  unit: 'A',
  min: 10,
  max: 80,
  step: 10,
  form: 'object',
};
const namedChargeCurrent = { ...maxTotalChargeCurrent, name: 'Maximum total charge current' };

const TOKENS: readonly Row[] = [
  { file: 'tokens-in-data', expected: tokens },
  { file: 'tokens-at-top-level', expected: tokens },
  { file: 'tokens-with-epoch-expiry', expected: tokens },
  {
    file: 'tokens-without-expiry',
    expected: { ...tokens, accessExpiresAt: undefined, refreshExpiresAt: undefined },
  },
  { file: 'tokens-with-lifetimes-alone', expected: tokens },
  {
    file: 'tokens-with-implausible-expiry',
    expected: { ...tokens, accessExpiresAt: undefined },
  },
];

const DEVICES: readonly Row[] = [
  { file: 'devices-page', expected: { total: 1, entries: [garage], length: 1 } },
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
      length: 2,
    },
  },
  { file: 'devices-null-list', expected: { total: 0, entries: [], length: 0 } },
  {
    file: 'devices-null-figures',
    expected: { total: 1, entries: [garageWithoutFigures], length: 1 },
  },
  {
    file: 'devices-loose-types',
    expected: { total: 1, entries: [{ ...garage, model: 'Protocol 1' }], length: 1 },
  },
  {
    file: 'devices-total-of-pages',
    expected: {
      total: 1,
      entries: [
        garageWithoutFigures,
        {
          ...garageWithoutFigures,
          deviceId: '100000000000000004',
          name: 'Roof inverter',
          serial: 'SN0002',
        },
      ],
      length: 2,
    },
  },
];

const STATIONS: readonly Row[] = [
  {
    file: 'stations-numeric-id',
    expected: {
      total: 1,
      entries: [{ stationId: '100000000000000003', name: 'Home', timeZone: 'Europe/Kyiv' }],
      length: 1,
    },
  },
];

const SUMMARIES: readonly Row[] = [
  { file: 'summary-flat-properties', expected: augustEnergy },
  { file: 'summary-flat-list', expected: augustEnergy },
  {
    file: 'summary-nested',
    expected: {
      pvGeneratedKwh: 140,
      consumptionKwh: 280,
      gridFeedInKwh: 0,
      batteryChargedKwh: 44.5,
      solarRatio: 0.5,
    },
  },
  { file: 'summary-nested-pv-only', expected: { pvGeneratedKwh: 140 } },
  { file: 'summary-nested-placeholders', expected: {} },
  { file: 'summary-nested-units', expected: augustEnergy },
  { file: 'summary-mixed', expected: augustEnergy },
];

const DAYS: readonly Row[] = [
  {
    file: 'summary-days',
    expected: {
      today: { ...todayEnergy, batteryChargedKwh: 2.2, gridImportKwh: 0 },
      yesterday: { ...yesterdayEnergy, batteryDischargedKwh: 4.8 },
    },
  },
  {
    file: 'summary-days-spellings',
    expected: { today: { ...todayEnergy, batteryChargedKwh: 2.2 }, yesterday: yesterdayEnergy },
  },
  {
    file: 'summary-days-flat',
    expected: { today: { pvGeneratedKwh: 9.35 }, yesterday: { pvGeneratedKwh: 21.7 } },
  },
];

const YEARS: readonly Row[] = [
  {
    file: 'summary-years',
    expected: {
      year: { pvGeneratedKwh: 2790.1, consumptionKwh: 1850, gridFeedInKwh: 75 },
      lifetime: { pvGeneratedKwh: 10_100.85, consumptionKwh: 4750 },
    },
  },
];

const SETTINGS: readonly Row[] = [
  {
    file: 'settings-flat',
    expected: {
      operatingMode: flatSetting('Self-Use'),
      batteryPriority: flatSetting('Solar First'),
      gridChargingEnabled: flatSetting(false),
      gridFeedInEnabled: flatSetting(true),
      backupModeEnabled: flatSetting(false),
    },
  },
  {
    file: 'settings-as-objects',
    expected: {
      outputSourcePrioritySetting: {
        ...outputSourcePriority,
        value: '1',
        name: 'Output source priority',
        isWritable: true,
        isHidden: false,
      },
      maxTotalChargeCurrentSetting: namedChargeCurrent,
    },
  },
  {
    file: 'settings-enum-value-displays',
    expected: {
      acInputRangeSetting: {
        value: '011',
        label: 'UPS',
        choices: [
          { value: '010', label: 'Appliance' },
          { value: '011', label: 'UPS' },
        ],
        isWritable: false,
        isHidden: true,
        form: 'object',
      },
    },
  },
  {
    file: 'settings-as-list',
    expected: {
      maxTotalChargeCurrentSetting: namedChargeCurrent,
      outputSourcePrioritySetting: { ...outputSourcePriority, value: 1 },
    },
  },
  {
    file: 'settings-mixed',
    expected: {
      operatingMode: flatSetting('Backup'),
      gridChargingEnabled: flatSetting(true),
      maxTotalChargeCurrentSetting: { ...maxTotalChargeCurrent, value: '60' },
    },
  },
  { file: 'settings-empty', expected: {} },
];

const BATCH_STARTS: readonly Row[] = [
  { file: 'settings-batch-started', expected: '100000000000000009' },
];

const BATCH_READS: readonly Row[] = [
  { file: 'settings-batch-running', expected: { isFinished: false, settings: new Map() } },
  {
    file: 'settings-batch-finished',
    expected: {
      isFinished: true,
      settings: new Map([['maxTotalChargeCurrentSetting', namedChargeCurrent]]),
    },
  },
];

const REFUSALS: readonly Row[] = [
  { file: 'refused-token-expired', expected: { code: 'SERVICE_AUTH_REJECTED' } },
  {
    file: 'refused-rule-missing',
    expected: {
      code: 'SERVICE_API_REFUSED',
      message: `${PATH}: service answered code 70132: the service has no energy flow for this model`,
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
    expect(decodeDevicePage(open(file).data, PATH)).toEqual(expected);
  });

  test.each(STATIONS)('$file', ({ file, expected }) => {
    expect(decodeStationPage(open(file).data, PATH)).toEqual(expected);
  });

  test.each(SUMMARIES)('$file', ({ file, expected }) => {
    expect(decodeMonthlyEnergy(open(file).data, '2026-08', PATH)).toEqual(expected);
  });

  test.each(DAYS)('$file', ({ file, expected }) => {
    const { today, yesterday } = decodeDays(open(file).data, PATH, NOW);
    expect({ today, yesterday }).toEqual(expected);
  });

  test.each(YEARS)('$file', ({ file, expected }) => {
    const { year, lifetime } = decodeYears(open(file).data, PATH, NOW);
    expect({ year, lifetime }).toEqual(expected);
  });

  test.each(SETTINGS)('$file', ({ file, expected }) => {
    expect(Object.fromEntries(decodeSettings(open(file).data, PATH))).toEqual(expected);
  });

  test.each(BATCH_STARTS)('$file', ({ file, expected }) => {
    expect(decodeBatchReadId(open(file).data, PATH)).toEqual(expected);
  });

  test.each(BATCH_READS)('$file', ({ file, expected }) => {
    expect(decodeBatchRead(open(file).data, PATH)).toEqual(expected);
  });

  test.each(REFUSALS)('$file', ({ file, expected }) => {
    expect(() => open(file)).toThrow(expect.objectContaining(expected as object));
  });
});

describe('every fixture', () => {
  test('is read by a test', () => {
    const batches = [BATCH_STARTS, BATCH_READS].flat();
    const summaries = [SUMMARIES, DAYS, YEARS].flat();
    const answers = [TOKENS, DEVICES, STATIONS, SETTINGS, REFUSALS].flat();
    const rows = [...answers, ...summaries, ...batches];
    // What a page shows of the others, test/doors holds, and the tests of their decoders.
    const others = /^(family|readings|latest|flow|attributes|alarms)-/;
    const names = RECORDING_NAMES.filter((name) => !others.test(name));
    expect(rows.map(({ file }) => file).sort()).toEqual(names);
  });

  test.each(RECORDING_NAMES)('has a note about its purpose: %s', (file) => {
    expect(readRecording(file)).toHaveProperty(
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
