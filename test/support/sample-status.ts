import type { DeviceStatus, StationPageStatus, Status } from '../../src/status/status.ts';

export const AT_MS = Date.parse('2026-06-21T12:00:00Z');

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
    pvPowerWatts: 4200,
    loadPowerWatts: 900,
    gridImportPowerWatts: 0,
    gridFeedInPowerWatts: 1300,
    batteryPowerWatts: -2000,
    batterySocRatio: 0.63,
    missingQuantities: [],
    alarms: [],
    ...changes,
  };
}

/** A station of one such device, with these changes. */
export function sampleStation(changes: Partial<StationPageStatus> = {}): StationPageStatus {
  return {
    stationId: '100000000000000003',
    name: 'Home',
    timeZone: 'Europe/Kyiv',
    isUp: true,
    flow: {
      pvPowerWatts: 4200,
      loadPowerWatts: 900,
      gridImportPowerWatts: 0,
      gridFeedInPowerWatts: 1300,
      batteryPowerWatts: -2000,
      batterySocRatio: 0.63,
    },
    partial: [],
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
      {
        collector: 'devices',
        code: 'ok',
        durationSeconds: 0.2,
        lastSuccessAtMs: AT_MS - 60_000,
        isServed: true,
      },
      {
        collector: 'readings',
        code: 'ok',
        durationSeconds: 0.4,
        lastSuccessAtMs: AT_MS - 20_000,
        isServed: true,
      },
      {
        collector: 'alarms',
        code: 'ok',
        durationSeconds: 0.1,
        lastSuccessAtMs: AT_MS - 20_000,
        isServed: true,
      },
    ],
    ...changes,
  };
}

/** The status of an exporter of one such station, with these changes. */
export function sampleStatus(changes: Partial<Status> = {}): Status {
  return {
    atMs: AT_MS,
    version: '1.2.3',
    telemetryPath: '/metrics',
    isSimulated: false,
    areCredentialsIgnored: false,
    session: {
      mode: 'account',
      accessExpiresAtMs: AT_MS + 7_080_000,
      isReauthenticationRequired: false,
      blockedUntilMs: undefined,
    },
    account: [
      {
        collector: 'stations',
        code: 'ok',
        durationSeconds: 0.1,
        lastSuccessAtMs: AT_MS - 60_000,
        isServed: true,
      },
    ],
    stations: [sampleStation()],
    requests: [
      { operation: 'login', outcome: 'ok', count: 1 },
      { operation: 'readings', outcome: 'SERVICE_TIMEOUT', count: 2 },
    ],
    ...changes,
  };
}
