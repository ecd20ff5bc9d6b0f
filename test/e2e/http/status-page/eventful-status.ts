import type { Status } from '../../../../src/status/status.ts';
import {
  AT_MS,
  sampleDevice,
  sampleStation,
  sampleStatus,
} from '../../../http/status-page/sample-status.ts';

/** A status with one of everything that the page has a look of its own for. */
export function eventfulStatus(): Status {
  const devices = [
    sampleDevice({
      deviceId: '1',
      alarms: [
        { alarm: 'fanSpeedLow', level: 'notice' },
        { alarm: 'batteryLow', level: 'warning' },
        { alarm: 'overTemperature', level: 'critical' },
      ],
    }),
    sampleDevice({ deviceId: '2', name: 'Late', measuredAtMs: AT_MS - 700_000 }),
    {
      deviceId: '3',
      name: 'Silent',
      isOnline: false,
      isReporting: false,
      measuredAtMs: AT_MS - 86_400_000,
      missingQuantities: ['gridFeedInPowerWatts', 'batterySocRatio'],
      alarms: [],
    },
    { deviceId: '4', missingQuantities: [], alarms: [] },
    sampleDevice({ deviceId: '6', family: 'unknown', missingQuantities: ['batterySocRatio'] }),
  ];
  return sampleStatus({
    isSimulated: true,
    areCredentialsIgnored: true,
    session: {
      mode: 'account',
      accessExpiresAtMs: AT_MS - 60_000,
      isReauthenticationRequired: true,
      blockedUntilMs: AT_MS + 60_000,
    },
    account: [
      { collector: 'stations', code: 'SERVICE_TIMEOUT', durationSeconds: 9, isServed: false },
    ],
    stations: [
      sampleStation({ isUp: false, devices }),
      sampleStation({ stationId: '5', name: 'Empty', flow: {}, month: {}, devices: [] }),
    ],
  });
}

const LONG_NAME = `${'Sonnenblumenhinterhausdachwechselrichter'.repeat(3)} ${'name '.repeat(10)}`;

/** A status with texts that are as long as they get, in every table. */
export function crowdedStatus(): Status {
  const longest = {
    code: 'SERVICE_REQUEST_REJECTED',
    durationSeconds: 119.9,
    lastSuccessAtMs: AT_MS - 50_000_000,
    isServed: false,
  } as const;
  const device = sampleDevice({
    name: LONG_NAME,
    model: LONG_NAME,
    family: 'charge-controller',
    isReporting: false,
    isOnline: false,
    alarms: [{ alarm: LONG_NAME, level: 'critical' }],
    missingQuantities: ['grid_feed_in_power', 'battery_discharge_current', 'ac_output_power'],
  });
  return sampleStatus({
    account: [{ collector: 'stations', ...longest }],
    stations: ['1', '2'].map((stationId) =>
      sampleStation({
        stationId,
        name: LONG_NAME,
        devices: [device, sampleDevice({ deviceId: '2' })],
        collectors: ['devices', 'summary', 'alarms', 'readings', 'settings'].map((collector) => ({
          collector,
          ...longest,
        })),
      }),
    ),
    requests: [
      { operation: 'settings-read-details', outcome: longest.code, count: 123_456_789 },
      { operation: 'readings', outcome: 'ok', count: 1 },
    ],
  });
}
