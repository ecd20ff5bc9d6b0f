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
  ];
  return sampleStatus({
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
