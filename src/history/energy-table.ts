import { ZonedCalendar } from '../base/time-zone.ts';
import type { DailyEnergy } from '../model/energy.ts';
import { energiesToDate, type KnownEnergies } from './energies-to-date.ts';
import { DAY_METRICS, MONTH_METRICS, YEAR_METRICS } from './history-metrics.ts';
import { SeriesTable } from './series-table.ts';
import type { StepGrid } from './step-grid.ts';

/** A station's part of a month, and the zone of its days. */
export interface EnergyPart {
  readonly stationId: string;
  readonly timeZone: string;
  readonly fromMs: number;
  /** The first instant after it; not in the future. */
  readonly toMs: number;
}

/**
 * Writes down what the service had summed up for a station: of yesterday at every step, and what is only known
 * of a whole day, month or year at the last step of each day that lies in the part with its end.
 */
export function energyTable(part: EnergyPart, grid: StepGrid, known: KnownEnergies): SeriesTable {
  const table = new SeriesTable({ station_id: part.stationId });
  const calendar = new ZonedCalendar(part.timeZone);
  let day = calendar.dayPeriod(part.fromMs);
  while (day.startsAtMs < part.toMs) {
    const firstStep = grid.stepFrom(day.startsAtMs);
    const end = grid.stepFrom(day.endsAtMs);
    const daily: DailyEnergy = {
      today: {},
      yesterday: known.days.get(calendar.day(day.startsAtMs - 1)) ?? {},
      endsAtMs: day.endsAtMs,
    };
    const isWhole = day.endsAtMs <= part.toMs && end > firstStep;
    const lastStep = isWhole ? end - 1 : end;
    if (lastStep > firstStep) {
      table.addRow({ firstStep, steps: lastStep - firstStep });
      table.fill(DAY_METRICS, daily);
    }
    if (isWhole) {
      const name = calendar.day(day.startsAtMs);
      const toDate = energiesToDate(known, name, calendar.day(day.endsAtMs));
      table.addRow({ firstStep: lastStep, steps: 1, readAtMs: grid.atMs(lastStep) });
      table.fill(DAY_METRICS, { ...daily, today: toDate.day });
      table.fill(MONTH_METRICS, { ...toDate.month, ...day });
      table.fill(YEAR_METRICS, { ...toDate, endsAtMs: day.endsAtMs });
    }
    day = calendar.dayPeriod(day.endsAtMs);
  }
  return table;
}
