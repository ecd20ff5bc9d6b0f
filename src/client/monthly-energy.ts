import type { MonthlyEnergy } from '../model/month.ts';
import type { DataCaller, DataCall, Moment } from './data-caller.ts';
import { decodeMonthlyEnergy } from './monthly-summary.ts';
import type { ServiceClock } from './service-clock.ts';

const SUMMARY_CATEGORY = 'pvInverterElectricityQuantityClass';

/**
 * Asks for the energy of a station's current month (interface endpoint 5, rule 4). Which month that
 * is, the service's clock says; `endsAtMs` comes back by ours.
 */
export function fetchMonthlyEnergy(
  caller: DataCaller,
  serviceClock: Pick<ServiceClock, 'aheadMs'>,
  summaryUrl: URL,
  stationId: string,
  timeZone?: string,
): Promise<MonthlyEnergy> {
  const ask = ({ nowMs, calendar }: Moment): DataCall<MonthlyEnergy> => {
    const url = new URL(summaryUrl);
    url.searchParams.set('stationId', stationId);
    url.searchParams.set('summaryCategoryKey', SUMMARY_CATEGORY);
    const { startsAtMs, endsAtMs } = calendar.monthPeriod(nowMs);
    return {
      url,
      body: { time: calendar.year(nowMs) },
      decode: (data) => ({
        ...decodeMonthlyEnergy(data, calendar.month(nowMs), url.pathname),
        startsAtMs,
        // As the answer dated it: one that shows our clock to be wrong may end the month it brings.
        endsAtMs: endsAtMs - serviceClock.aheadMs,
      }),
    };
  };
  return caller.call('summary', ask, { stationTimeZone: timeZone });
}
