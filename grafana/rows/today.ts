import { COLOURS, STATES } from '../colours.ts';
import { DIGITS_0, DIGITS_1, mappingsOf, type Panel, type Query, SHARE_LINE } from '../panel.ts';
import {
  BY_STATION,
  type Figure,
  FLOWS,
  ownUse,
  S,
  share,
  stations,
  stationsMissing,
} from '../promql.ts';

const ENERGY = 'solar_station_energy_today_kwh';

const FLOW_WORDS = mappingsOf(
  Object.fromEntries(FLOWS.map(([flow, words]) => [flow, [words, STATES.neutral]])),
);

const SINCE_MIDNIGHT =
  'Since midnight of the station, whatever range is chosen: as the service says, or as the devices counted.';

/** How the day was so far, whatever range is shown. */
export const todayPanels: readonly Panel[] = [
  energy('Generated today', 'What the panels gave.', 'pv', COLOURS.solar),
  energy('Consumed today', 'What the house drew.', 'load', COLOURS.house),
  shares('Own share today', SINCE_MIDNIGHT, ENERGY),
  {
    kind: 'numbers',
    title: 'Money today',
    about:
      'Saved: what the house drew without the grid, times the price of what is bought, below zero while the grid charges the battery; earned: what was fed in, times the price for it. Each price of a tariff file counts by the power at its time, which the recording rules know; else what is typed at the top counts.',
    size: [6, 5],
    decimals: 2,
    queries: money(
      ENERGY,
      (direction) => `last_over_time(solar:price_today:per_kwh{direction="${direction}"}[10m])`,
    ),
  },
  {
    kind: 'columns',
    title: 'Energy by the hour',
    about:
      'Above zero where the energy came from, below zero where it went: the mean power of each hour of a day, or of the 24th part of another range.',
    size: [10, 9],
    unit: 'suffix:kWh',
    interval: '5m',
    maxDataPoints: 24,
    queries: FLOWS.map(([flow, legend, colour, sign]) => ({
      expr: `${sign}${stations(`avg_over_time(solar_station_power_watts{${S}, flow="${flow}"}[$__interval])`)} * $__interval_ms / 3.6e9`,
      legend,
      colour,
    })),
  },
  {
    kind: 'table',
    title: 'Energy in kWh',
    about:
      "Today as the service says or the devices counted, the others the service's own figures in the time zone of the station, whatever range is shown. A station of which it does not say a flow is not in that sum.",
    size: [14, 9],
    queries: [
      ENERGY,
      'solar_energy_yesterday_kwh',
      'solar_energy_month_kwh',
      'solar_energy_year_kwh',
    ].map((metric) => ({
      expr: `sum by (flow) (max by (account, station_id, flow) (${metric}{${S}}))`,
    })),
    // From what the panels give to what charges the battery: by chance the alphabet from its end.
    sortBy: 'flow',
    columns: [
      ['flow', 'Flow', { 'custom.width': 150, mappings: FLOW_WORDS }],
      ['Value #A', 'Today', DIGITS_1],
      ['Value #B', 'Yesterday', DIGITS_1],
      ['Value #C', 'Month', DIGITS_0],
      ['Value #D', 'Year', DIGITS_0],
    ],
  },
];

/** The last days and months, as far back as Prometheus remembers. */
export const daysPanels: readonly Panel[] = [
  past('The last 31 days', 'day of your own time zone', '31d', ofDay),
  past('The last 12 months', 'full month, as the service says,', '1y', ofMonth),
];

/** How much of what the house drew was its own, and how much of what the panels gave it kept. */
export function shares(title: string, since: string, figure: Figure): Panel {
  return {
    kind: 'numbers',
    title,
    about: `Of each station. Self-sufficient: the share of what the house drew that did not come from the grid; self-consumed: the share of what the panels gave that was not fed in. ${since}`,
    size: [6, 5],
    unit: 'percentunit',
    decimals: 0,
    min: 0,
    max: 1,
    queries: [
      {
        expr: share(figure, 'load', 'grid_import'),
        legend: '{{name}} self-sufficient',
        colour: COLOURS.house,
      },
      {
        expr: share(figure, 'pv', 'grid_feed_in'),
        legend: '{{name}} self-consumed',
        colour: COLOURS.solar,
      },
    ],
  };
}

/**
 * What was saved and earned, by currency: at the prices of a tariff file, and of the stations without one at what is
 * typed. The prices come by station and currency.
 */
export function money(
  figure: Figure,
  priceOf: (direction: 'import' | 'feed_in') => string,
): readonly Query[] {
  const worth = (energy: string, direction: 'import' | 'feed_in', typed: string, word: string) => [
    {
      expr: `sum by (currency) (${energy} * on ${BY_STATION} group_right () ${priceOf(direction)})`,
      legend: `{{currency}} ${word}`,
    },
    {
      expr: `sum(${energy} unless on ${BY_STATION} ${priceOf(direction)}) * ${typed}`,
      legend: `$currency ${word}`,
    },
  ];
  const fedIn = `max by ${BY_STATION} (${figure}{${S}, flow="grid_feed_in"})`;
  return [
    ...worth(ownUse(figure), 'import', '$tariff', 'saved'),
    ...worth(fedIn, 'feed_in', '$feed_in_price', 'earned'),
  ];
}

function energy(title: string, what: string, flow: string, colour: string): Panel {
  const ofYesterday = `solar_energy_yesterday_kwh{${S}, flow="${flow}"}`;
  const today = `${ENERGY}{${S}, flow="${flow}"}`;
  return {
    kind: 'numbers',
    title,
    about: `${what} ${SINCE_MIDNIGHT} Beside it the mean and the best of the last 30 days.`,
    size: [6, 5],
    unit: 'suffix:kWh',
    decimals: 1,
    queries: [
      { expr: stations(today), legend: 'today', colour },
      stationsMissing(today),
      { expr: stations(ofYesterday), legend: 'yesterday' },
      // Once a day, what yesterday was.
      { expr: `avg_over_time(${stations(ofYesterday)}[30d:1d])`, legend: 'mean of 30 days' },
      { expr: `max_over_time(${stations(ofYesterday)}[30d:1d])`, legend: 'best of 30 days' },
    ],
  };
}

/** Energy by its flows, and the share of it that is the houses' own. */
function past(title: string, each: string, timeFrom: string, of: (flow: string) => string): Panel {
  const own = `clamp_min(1 - ${of('grid_import')} / (${of('load')} > 0), 0)`;
  return {
    kind: 'columns',
    title,
    about: `The energy of each ${each} with where it came from above zero and where it went below; dashed, and on the right, the share of what the houses drew that did not come from the grid. Prometheus keeps 15 days unless it is told otherwise.`,
    size: [24, 9],
    timeFrom,
    interval: '1d',
    unit: 'suffix:kWh',
    queries: [
      // First, because Grafana draws the bars of a first query as wide as a step, which is a day.
      { expr: own, legend: 'self-sufficient', more: { ...SHARE_LINE, 'custom.spanNulls': true } },
      ...FLOWS.map(([flow, legend, colour, sign]) => ({ expr: sign + of(flow), legend, colour })),
    ],
  };
}

/** What a day brought: its figure is the highest just before midnight, where the point of the day is. */
function ofDay(flow: string): string {
  return stations(`max_over_time(${ENERGY}{${S}, flow="${flow}"}[1d])`);
}

/** What a month brought, at the midnight that ends it; half a day on it is the first everywhere up to UTC+12. */
function ofMonth(flow: string): string {
  const month = stations(`max_over_time(solar_energy_month_kwh{${S}, flow="${flow}"}[1d:1h])`);
  return `(${month} and on () day_of_month(vector(time() + 43200)) == 1)`;
}
