import type {
  EnergiesByPeriod,
  PastQuery,
  Patience,
  Period,
  ServiceApi,
} from '../../../src/client/api.ts';
import type { PastReading } from '../../../src/model/readings.ts';

/** What a service knows of the past, without a client. */
export class FakePast implements Pick<ServiceApi, 'fetchPastReadings' | 'fetchPastEnergies'> {
  /** Every reading of every device that has none of its own. */
  past: readonly PastReading[] = [];
  readonly pastOf = new Map<string, readonly PastReading[]>();
  /** How many readings are a page. */
  pageLength = 2000;
  /** By period; the same for all stations. */
  energies: Readonly<Record<Period, EnergiesByPeriod>> = {
    day: new Map(),
    month: new Map(),
    year: new Map(),
  };
  /** The time zone that came with the last question about readings. */
  timeZone: string | undefined;

  async *fetchPastReadings(
    { deviceId, fromMs, toMs, timeZone, passedOver = () => 0 }: PastQuery,
    patiently: Patience = (ask) => ask(),
  ): AsyncGenerator<readonly PastReading[]> {
    this.timeZone = timeZone;
    const past = this.pastOf.get(deviceId) ?? this.past;
    const asked = past.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
    for (let index = 0; index === 0 || index < asked.length; index += this.pageLength) {
      const page = asked.slice(index, index + this.pageLength);
      const count = passedOver(page.map(({ atMs }) => atMs));
      yield await patiently(() => Promise.resolve(withoutPassedOver(page, count)));
    }
  }

  fetchPastEnergies(
    _stationId: string,
    _timeZone: string | undefined,
    period: Period,
    of: string,
  ): Promise<EnergiesByPeriod> {
    const asked = [...this.energies[period]].filter(
      ([name]) => period === 'year' || name.startsWith(of),
    );
    return Promise.resolve(new Map(asked));
  }
}

/** Leaves out the first of these readings; their times are said by the one that follows them. */
function withoutPassedOver(page: readonly PastReading[], count: number): readonly PastReading[] {
  const [first, ...rest] = page.slice(count);
  if (first === undefined) return [];
  const timesAtMs = page.slice(0, count + 1).map(({ atMs }) => atMs);
  return [{ ...first, report: { ...first.report, timesAtMs } }, ...rest];
}
