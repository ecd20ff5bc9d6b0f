import type { ConcurrencyLimit } from '../../base/concurrency.ts';
import type { CollectorApi } from '../collector.ts';

/**
 * Returns the service as one station asks it: it has only so many questions under way as the limit allows, so
 * that a station whose answers take long delays no other.
 */
export function apiOfStation(api: CollectorApi, limit: ConcurrencyLimit): CollectorApi {
  return {
    serviceNowMs: () => api.serviceNowMs(),
    listStations: () => api.listStations(),
    listDevices: (stationId) => limit(() => api.listDevices(stationId)),
    fetchDevice: (deviceId) => limit(() => api.fetchDevice(deviceId)),
    fetchReadings: (deviceId, timeZone, model, windowMs) =>
      limit(() => api.fetchReadings(deviceId, timeZone, model, windowMs)),
    // Between two pages nothing is asked.
    fetchPastReadings: (query, patiently = (ask) => ask()) =>
      api.fetchPastReadings(query, (ask) => patiently(() => limit(ask))),
    forgetDevice: (deviceId) => api.forgetDevice(deviceId),
    fetchAlarms: (stationId, deviceIds) => limit(() => api.fetchAlarms(stationId, deviceIds)),
    fetchMonthlyEnergy: (stationId, timeZone) =>
      limit(() => api.fetchMonthlyEnergy(stationId, timeZone)),
    fetchDailyEnergy: (stationId, timeZone, previous) =>
      limit(() => api.fetchDailyEnergy(stationId, timeZone, previous)),
    fetchYearlyEnergy: (stationId, timeZone, previous) =>
      limit(() => api.fetchYearlyEnergy(stationId, timeZone, previous)),
    fetchSettings: (deviceId) => limit(() => api.fetchSettings(deviceId)),
  };
}
