import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from '../colours.ts';
import { knownOfMonth, perStation, stationSum } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { remarkedStat, stat } from '../panels.ts';
import { series } from '../series.ts';

const GENERATED = knownOfMonth('solar_month_pv_generated_kwh', 'pv_generated');
const CONSUMED = knownOfMonth('solar_month_consumption_kwh', 'consumption');
const IMPORTED = knownOfMonth('solar_month_grid_import_kwh', 'grid_import');
const FED_IN = series('solar_month_grid_feed_in_kwh');

/** Shares and money of the month so far, by the figures of the service. */
export const monthStrip: Strip = {
  height: 4,
  panels: [
    [
      6,
      share(
        'Self-sufficiency this month',
        'The share of what the house drew that did not come from the grid.',
        `${CONSUMED} - ${IMPORTED}`,
        `${CONSUMED} and ${IMPORTED}`,
      ),
    ],
    [
      6,
      share(
        'Self-consumption this month',
        'The share of what the panels gave that was not fed in.',
        `${GENERATED} - ${FED_IN}`,
        `${GENERATED} and ${FED_IN}`,
      ),
    ],
    [
      6,
      money(
        'Saved this month',
        'What the house drew without the grid, times the tariff.',
        `(${CONSUMED} - ${IMPORTED}) * $tariff`,
      ),
    ],
    [
      6,
      money(
        'Earned this month',
        'What was fed in, times the feed-in price.',
        `${FED_IN} * $feed_in_price`,
      ),
    ],
  ],
};

function share(title: string, what: string, part: string, whole: string): Panel {
  const ratio = `sum(${perStation(part)}) / (sum(${perStation(whole)}) > 0)`;
  return stat(
    {
      title,
      description: `${what} From the service's figures; only stations count that have both.`,
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
    },
    [{ expr: `clamp_min(${ratio}, 0)`, legend: title, colour: STATES.neutral }],
  );
}

function money(title: string, what: string, expression: string): Panel {
  return remarkedStat(
    { title, description: `${what} From the service's figures.`, unit: 'none', decimals: 2 },
    [{ expr: stationSum(expression), legend: '{{coverage}}', colour: STATES.neutral }],
  );
}
