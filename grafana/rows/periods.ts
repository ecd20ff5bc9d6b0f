import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { type Colour, COLOURS } from '../colours.ts';
import { stationSum } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { remarkedStat } from '../panels.ts';
import { series } from '../series.ts';

/** The metric of each period, with the words that stand beside its figure. */
const PERIODS = [
  ['today', 'solar_energy_today_kwh'],
  ['yesterday', 'solar_energy_yesterday_kwh'],
  ['this month', 'solar_energy_month_kwh'],
  ['this year', 'solar_energy_year_kwh'],
] as const;

const BY_THE_SERVICE =
  "The service's own figures in the time zone of the station, whatever range is shown.";
/** The energy of day, month and year, by the figures of the service. */
export const periodsStrip: Strip = {
  height: 6,
  panels: [
    [4, flow('Generated', 'What the panels gave.', 'pv', COLOURS.solar)],
    [4, flow('Consumed', 'What the house drew.', 'load', COLOURS.house)],
    [4, flow('Imported', 'What came from the grid.', 'grid_import', COLOURS.grid)],
    [4, flow('Fed in', 'What was fed in.', 'grid_feed_in', COLOURS.grid)],
    [4, flow('Charged', 'What went into the batteries.', 'battery_charge', COLOURS.battery)],
    [4, flow('Discharged', 'What came out of them.', 'battery_discharge', COLOURS.battery)],
  ],
};

function flow(title: string, what: string, name: string, colour: Colour): Panel {
  return remarkedStat(
    { title, description: `${what} ${BY_THE_SERVICE}`, unit: 'kwatth', decimals: 1 },
    PERIODS.map(([period, metric]) => ({
      expr: stationSum(series(metric, { flow: `="${name}"` })),
      legend: `${period}, {{coverage}}`,
      colour,
    })),
  );
}
