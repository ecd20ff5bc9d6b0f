import type { SessionStatus } from '../../src/client/session/session-status.ts';
import { CURVE_STEP_MS, type CurvePoint, DayCurve } from '../../src/model/day-curve.ts';
import { RefreshTracker } from '../../src/metrics/refresh-tracker.ts';
import { SelfMetrics } from '../../src/metrics/self.ts';
import type { Readings, SpokenDialect } from '../../src/model/readings.ts';
import { StatusReader } from '../../src/status/status-reader.ts';
import {
  createCollection,
  HOUR_MS,
  type HarnessOptions,
  MINUTE_MS,
} from '../collectors/collection-harness.ts';
import { CLASSIC, reportOf } from '../support/device-report.ts';
import { readTwoAccounts } from './two-accounts-answer.ts';

const WAIT_MS = 3000;

/** Longer than a name is shown. */
const LONG_NAME = 'Söller ☀ '.repeat(30);

/** A reader of the status over a collection on a fake clock, with a session and counts. */
function createReader(options: HarnessOptions, curve?: DayCurve) {
  const harness = createCollection(options);
  const { collection, clock, log } = harness;
  const self = new SelfMetrics();
  const session: { status: SessionStatus } = {
    status: {
      mode: 'account',
      accessExpiresAtMs: undefined,
      isReauthenticationRequired: false,
      blockedUntilMs: undefined,
    },
  };
  const reader = new StatusReader({
    collection: Object.assign(collection, { dayCurve: () => curve }),
    self,
    accounts: [
      {
        account: undefined,
        counts: self.countsOf(),
        sessionStatus: () => session.status,
        isSimulated: () => false,
      },
    ],
    areCredentialsIgnored: false,
    version: '1.2.3',
    telemetryPath: '/metrics',
    refreshes: new RefreshTracker({ clock, log }),
    clock,
  });
  return { ...harness, self, session, read: () => reader.read(WAIT_MS) };
}

function dialect(changes: Partial<SpokenDialect>): SpokenDialect {
  return { ...CLASSIC, ...changes };
}

/** The first minutes of a day of 23 hours, of which some are unknown. */
function morning(): DayCurve {
  const startsAtMs = Date.parse('2026-03-28T23:00:00Z');
  const curve = new DayCurve({ startsAtMs, endsAtMs: startsAtMs + 23 * HOUR_MS });
  const point = (step: number, loadPowerWatts: number, batterySocRatio: number): CurvePoint => ({
    atMs: startsAtMs + step * CURVE_STEP_MS,
    values: {
      pvPowerWatts: 0,
      loadPowerWatts,
      gridImportPowerWatts: loadPowerWatts,
      gridFeedInPowerWatts: 0,
      batteryPowerWatts: -12.5,
      batterySocRatio,
    },
  });
  curve.add(point(-1, 350, 0.5), point(1, 450.8, 0.49));
  curve.add(point(2, 350, 0.48), point(3, 340, 0.4777));
  return curve;
}

/** A station with an inverter of the interface's own dialect, one of a family, an undescribed one and one that is off. */
function readFullStation() {
  const { api, clock, self, session, read } = createReader(
    { settings: true, alarms: true, energy: true },
    morning(),
  );
  const measuredAtMs = clock.nowMs() - MINUTE_MS;
  api.stations = [{ stationId: '1001', name: 'Home "Sunny"', timeZone: 'Europe/Berlin' }];
  api.devices.set('1001', [
    {
      deviceId: '71',
      name: 'Roof\nSouth',
      serial: 'SN-0071',
      model: 'H5',
      isOnline: true,
      ratedPowerWatts: 5000,
      pvEnergyTodayKwh: 12.5,
      pvEnergyTotalKwh: 10_042.5,
      listedAtMs: clock.nowMs(),
    },
    { deviceId: '72', name: 'Barn', model: '', isOnline: true, pvEnergyTodayKwh: 0 },
    { deviceId: '73', name: LONG_NAME },
    { deviceId: '74', name: '', isOnline: false },
  ]);
  const classic: Readings = {
    pvPowerWatts: 3200,
    acOutputPowerWatts: 1850.5,
    gridFeedInPowerWatts: 120,
    batteryVoltageVolts: 52.4,
    batteryChargingCurrentAmperes: 20.5,
    batteryDischargeCurrentAmperes: 0,
    batterySocRatio: 0.87,
    measuredAtMs,
  };
  const family: Readings = {
    pvPowerWatts: 900,
    loadPowerWatts: 450,
    gridImportPowerWatts: 30,
    batteryPowerWatts: 200,
    batterySocRatio: 0.5,
    workingMode: 'battery',
    pvStrings: new Map([['1', { powerWatts: 900 }]]),
    measuredAtMs: measuredAtMs - MINUTE_MS,
    dialect: dialect({ family: 'pi30', source: 'latest', missing: ['gridFeedInPowerWatts'] }),
  };
  const undescribed: Readings = {
    pvPowerWatts: 0,
    gridVoltageVolts: 229.6,
    workingMode: '17',
    dialect: dialect({
      family: 'unknown',
      source: 'flow',
      missing: ['acOutputPowerWatts', 'gridFeedInPowerWatts', 'batterySocRatio'],
      unknownKeys: ['houseDraw'],
    }),
  };
  api.answer('readings 71', () => Promise.resolve(reportOf(classic)));
  api.answer('readings 72', () => Promise.resolve(reportOf(family)));
  api.answer('readings 73', () => Promise.resolve(reportOf(undescribed)));
  api.answer('readings 74', () => Promise.resolve(reportOf({})));
  api.month = {
    ...api.month,
    gridFeedInKwh: 55.5,
    batteryChargedKwh: 80,
    batteryDischargedKwh: 72.5,
  };
  const all = {
    pvGeneratedKwh: 12.5,
    gridImportKwh: 0,
    gridFeedInKwh: 1.5,
    consumptionKwh: 9,
    batteryChargedKwh: 4,
    batteryDischargedKwh: 3.5,
  };
  api.days = { ...api.days, today: all, yesterday: { ...all, pvGeneratedKwh: 20 } };
  api.years = { ...api.years, year: { ...all, pvGeneratedKwh: 2400 }, lifetime: all };
  api.alarms = [
    { deviceId: '73', key: LONG_NAME, level: 'notice' },
    { deviceId: '72', key: 'lineLoss', level: 'warning' },
    { deviceId: '72', key: 'batteryLow', level: 'critical', observedAtMs: clock.nowMs() },
    { deviceId: '71', key: 'cleared days ago', level: 'warning', observedAtMs: 0 },
  ];
  session.status = { ...session.status, accessExpiresAtMs: clock.nowMs() + 2 * HOUR_MS };
  self.countsOf().requestEnded('readings', 'ok', 0.05);
  self.countsOf().requestEnded('readings', 'SERVICE_TIMEOUT', 30.1);
  self.countsOf().requestEnded('login', 'ok', 0.2);
  return read();
}

/** Configured stations of which little is left, a quarter of an hour after the service began to fail. */
async function readStationsInTrouble() {
  const stationIds = ['withdrawn', 'empty', 'refused', 'settings-only'];
  const { api, clock, session, read } = createReader({ stationIds, settings: true, alarms: true });
  api.devices.set('withdrawn', [
    { deviceId: 'silent', name: 'Silent', isOnline: true, pvEnergyTodayKwh: 3, listedAtMs: 0 },
    { deviceId: 'partly', name: 'Partly', model: 'H5', isOnline: true, stationName: 'Hut' },
    { deviceId: 'endless', isOnline: true },
  ]);
  api.devices.set('empty', []);
  api.fail('devices refused', 'SERVICE_REQUEST_REJECTED');
  api.devices.set('settings-only', [{ deviceId: 'set', name: 'Set' }]);
  const { startsAtMs, endsAtMs } = api.month;
  api.answer('summary empty', () => Promise.resolve({ startsAtMs, endsAtMs }));
  api.answer('summary withdrawn', () =>
    Promise.resolve({ startsAtMs, endsAtMs, pvGeneratedKwh: 0, solarRatio: Infinity }),
  );
  const endless = { pvPowerWatts: Infinity, acOutputPowerWatts: NaN, batterySocRatio: 0 };
  api.answer('readings endless', () => Promise.resolve(reportOf(endless)));
  const old = { batteryVoltageVolts: 52, measuredAtMs: clock.nowMs() - 10 * MINUTE_MS };
  const { measurements } = reportOf(old);
  api.answer('readings partly', () => {
    const recent = reportOf({ pvPowerWatts: 700, measuredAtMs: clock.nowMs() });
    return Promise.resolve({ ...recent, measurements: [...recent.measurements, ...measurements] });
  });
  await read();
  api.fail('readings silent', 'SERVICE_SERVER_ERROR');
  api.devices.set('withdrawn', api.devices.get('withdrawn')?.slice(0, 2) ?? []);
  api.fail('devices settings-only', 'SERVICE_TIMEOUT');
  api.fail('readings set', 'SERVICE_TIMEOUT');
  clock.advance(HOUR_MS);
  await read();
  clock.advance(16 * MINUTE_MS);
  session.status = {
    mode: 'refresh_token',
    accessExpiresAtMs: undefined,
    isReauthenticationRequired: true,
    blockedUntilMs: clock.nowMs() + MINUTE_MS,
  };
  return read();
}

function readNothingKnown() {
  const { api, read } = createReader({});
  api.fail('stations', 'SERVICE_AUTH_REJECTED');
  return read();
}

/** The recorded answers of `/api/v1/status`, and how each comes about. */
export const STATUS_ANSWERS = [
  { name: 'full-station', when: 'a station has devices of all kinds', read: readFullStation },
  {
    name: 'stations-in-trouble',
    when: 'the service fails and values have been withdrawn',
    read: readStationsInTrouble,
  },
  {
    name: 'nothing-known',
    when: 'the service refuses everything from the start',
    read: readNothingKnown,
  },
  {
    name: 'two-accounts',
    when: 'one of two accounts is refused',
    read: readTwoAccounts,
  },
] as const;
