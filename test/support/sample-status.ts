import { accountProblems, stationProblems } from '../../src/status/problems.ts';
import type {
  CollectorStatus,
  DeviceStatus,
  StationPageStatus,
  Status,
} from '../../src/status/status.ts';

export const AT_MS = Date.parse('2026-06-21T12:00:00Z');

/** What a station and its only device measure. */
const FLOW = {
  pvPowerWatts: 4200,
  loadPowerWatts: 900,
  gridImportPowerWatts: 0,
  gridFeedInPowerWatts: 1300,
  batteryPowerWatts: -2000,
  batterySocRatio: 0.63,
};

/** A device that does everything a device can, two minutes ago, with these changes. */
export function sampleDevice(changes: Partial<DeviceStatus> = {}): DeviceStatus {
  return {
    deviceId: '100000000000000001',
    name: 'Garage inverter',
    model: 'M1',
    family: 'classic',
    workingMode: 'battery',
    isOnline: true,
    isReporting: true,
    measuredAtMs: AT_MS - 120_000,
    lateAfterMs: 600_000,
    ...FLOW,
    missingQuantities: [],
    alarms: [],
    ...changes,
  };
}

/** A collector whose last round went well, a minute ago. */
function sampleCollector(
  collector: CollectorStatus['collector'],
  durationSeconds: number,
): CollectorStatus {
  return {
    collector,
    code: 'ok',
    durationSeconds,
    lastSuccessAtMs: AT_MS - 60_000,
    isServed: true,
  };
}

/** A station of one such device, with these changes. */
export function sampleStation(changes: Partial<StationPageStatus> = {}): StationPageStatus {
  const known = {
    stationId: '100000000000000003',
    name: 'Home',
    timeZone: 'Europe/Kyiv',
    isUp: true,
    flow: FLOW,
    partial: [],
    devicesMissing: 0,
    countedToday: [],
    pvEnergyTodayKwh: 12.3,
    month: { pvGeneratedKwh: 300, consumptionKwh: 400, gridImportKwh: 100, solarRatio: 0.75 },
    energy: {
      today: { pvGeneratedKwh: 12.4, consumptionKwh: 6.2, batteryChargedKwh: 2.5 },
      yesterday: { pvGeneratedKwh: 20.1, consumptionKwh: 0 },
      year: { pvGeneratedKwh: 2400, consumptionKwh: 3000 },
      lifetime: { pvGeneratedKwh: 7100.5 },
    },
    devices: [sampleDevice()],
    collectors: [
      sampleCollector('devices', 0.2),
      sampleCollector('readings', 0.4),
      sampleCollector('alarms', 0.1),
    ],
    ...changes,
  };
  return { problems: stationProblems(known), ...known };
}

/** The status of an exporter of one such station, with these changes. */
export function sampleStatus(changes: Partial<Status> = {}): Status {
  const known: Omit<Status, 'problems'> = {
    atMs: AT_MS,
    version: '1.2.3',
    telemetryPath: '/metrics',
    isSimulated: false,
    areCredentialsIgnored: false,
    session: {
      mode: 'account',
      accessExpiresAtMs: AT_MS + 7_080_000,
      isReauthenticationRequired: false,
      isShared: false,
      blockedUntilMs: undefined,
    },
    account: [sampleCollector('stations', 0.1)],
    stations: [sampleStation()],
    requests: [
      { operation: 'login', outcome: 'ok', count: 1 },
      { operation: 'readings', outcome: 'SERVICE_TIMEOUT', count: 2 },
    ],
    ...changes,
  };
  return { problems: [...accountProblems(known)], ...known };
}
