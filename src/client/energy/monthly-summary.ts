import { deriveMonthlyEnergy, type MonthFigures, type MonthlyEnergy } from '../../model/month.ts';
import type { AnswerTime } from '../exchange/decode.ts';
import { monthOf } from './measured-buckets.ts';
import { openSummary } from './summary-answer.ts';

/** Decodes the summary for the month of the request and adds when that month begins and ends. */
export function decodeCurrentMonth(
  data: unknown,
  path: string,
  { nowMs, calendar, serviceAheadMs }: AnswerTime,
): MonthlyEnergy {
  const { startsAtMs, endsAtMs } = calendar.monthPeriod(nowMs);
  return {
    ...decodeMonthlyEnergy(data, calendar.month(nowMs), path),
    startsAtMs,
    // The end is by our clock. When this answer shows that our clock is wrong, the month may be over.
    endsAtMs: endsAtMs - serviceAheadMs,
  };
}

/**
 * Decodes the summary for `month` (`2026-08`). An answer has the flat form of interface 2.5, which follows
 * the rules of interface 2.7, or the portal's nested form (field notes 2.9), or both. Every quantity is
 * absent when it has neither.
 */
export function decodeMonthlyEnergy(data: unknown, month: string, path: string): MonthFigures {
  const { measured: byMonth, flat } = openSummary(data, path, monthOf);
  const measured = byMonth.energies.get(month) ?? {};
  if (flat === undefined) return deriveMonthlyEnergy(measured);

  const pick = (...keys: string[]): (number | undefined)[] => keys.map((key) => flat.get(key));
  return deriveMonthlyEnergy(measured, {
    pvGeneratedKwh: pick(month, 'pvTotal', 'pv'),
    gridImportKwh: pick('gridImport', 'buy'),
    consumptionKwh: pick('totalConsumption', 'load'),
  });
}
