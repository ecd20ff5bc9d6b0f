import { collectMonth, type MonthPart, type PastPage } from '../../../src/history/collect-month.ts';
import { PastEnergies } from '../../../src/history/past-energies.ts';
import type { MaxAge } from '../../../src/model/max-age.ts';
import type { PastReading, Readings } from '../../../src/model/readings.ts';
import type { Device } from '../../../src/model/station.ts';
import { CLASSIC, reportOf } from '../../support/device-report.ts';
import { FakePast } from './fake-past.ts';
import { MINUTE_MS } from '../../support/durations.ts';

export const TIME_ZONE = 'Asia/Manila';

export const INVERTER: Device = {
  deviceId: 'inverter-1',
  name: 'Roof',
  serial: 'S1',
  model: 'HPVINV02',
  ratedPowerWatts: 5000,
};

/** A part of August 2026, from its first midnight unless said otherwise. */
export function partOf(
  from = '2026-08-01T00:00:00+08:00',
  to = '2026-08-01T06:00:00+08:00',
): MonthPart {
  return {
    station: { stationId: 'house', name: 'Casa', timeZone: TIME_ZONE },
    month: '2026-08',
    fromMs: Date.parse(from),
    toMs: Date.parse(to),
    isWhole: false,
  };
}

/** Of a family whose unknown quantities are unknown, and not 0 as those of the interface. */
const DIALECT = { ...CLASSIC, family: 'uwb1' };

/** A reading of a device at a time at which all of it was measured. */
export function pastReading(
  at: string | number,
  readings: Readings = { pvPowerWatts: 1000 },
): PastReading {
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  return {
    atMs,
    report: reportOf({ dialect: DIALECT, ...readings, measuredAtMs: atMs }, { timesAtMs: [atMs] }),
  };
}

/** A month that is asked of a service with these readings, without any patience. */
export async function collected({
  part = partOf(),
  past = [],
  devices = [INVERTER],
  stepMs = MINUTE_MS,
  maxAge,
  api = new FakePast(),
  onPage,
}: {
  part?: MonthPart;
  past?: readonly PastReading[];
  devices?: readonly Device[];
  stepMs?: number;
  maxAge?: MaxAge;
  api?: FakePast;
  onPage?: (page: PastPage) => void;
} = {}) {
  api.past = past;
  const patiently = <T>(ask: () => Promise<T>): Promise<T> => ask();
  const energies = new PastEnergies(api, patiently);
  return collectMonth(part, devices, api, { stepMs, maxAge, patiently, energies, onPage });
}
