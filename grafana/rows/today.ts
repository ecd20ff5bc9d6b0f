import { COLOURS, STATES } from '../colours.ts';
import {
  DIGITS_0,
  DIGITS_1,
  ID,
  mappingsOf,
  type Panel,
  type Query,
  SHARE_LINE,
} from '../panel.ts';
import {
  BY_STATION,
  FLOWS,
  ownUse,
  S,
  share,
  stationNamed,
  stations,
  stationsMissing,
} from '../promql.ts';

const ENERGY = 'solar_station_energy_today_kwh';
const MONTH = 'solar_energy_month_kwh';

const FLOW_WORDS = mappingsOf(
  Object.fromEntries(FLOWS.map(([flow, words]) => [flow, [words, STATES.neutral]])),
);

const SELF_SUFFICIENT = 'the share of what the house drew that did not come from the grid';
const SELF_CONSUMED = 'the share of what the panels gave that was not fed in';
const SINCE_MIDNIGHT =
  'Since midnight of the station, whatever range is chosen: as the service says, or as the devices counted.';

/** How the day was so far, whatever range is shown. */
export const todayPanels: readonly Panel[] = [
  energy('Generated today', 'What the panels gave.', 'pv', COLOURS.solar),
  energy('Consumed today', 'What the house drew.', 'load', COLOURS.house),
  {
    kind: 'numbers',
    title: 'Own share today',
    about: `Of each station, of many the three lowest. Self-sufficient: ${SELF_SUFFICIENT}; self-consumed: ${SELF_CONSUMED}. ${SINCE_MIDNIGHT}`,
    size: [6, 5],
    unit: 'percentunit',
    decimals: 0,
    min: 0,
    max: 1,
    queries: (
      [
        ['load', 'grid_import', 'self-sufficient', COLOURS.house],
        ['pv', 'grid_feed_in', 'self-consumed', COLOURS.solar],
      ] as const
    ).map(([whole, part, word, colour]) => ({
      expr: `bottomk(3, max by (account, station_id, name) (${share(ENERGY, whole, part)}))`,
      legend: `{{name}} ${word}`,
      colour,
    })),
  },
  {
    kind: 'numbers',
    title: 'Money',
    about:
      'Saved: what the house drew without the grid, times the price of what is bought, below zero while the grid charges the battery; earned: what was fed in, times the price for it. Of today, each price of a tariff file counts by the power at its time, which the recording rules know; of the month, its energy counts at the price of this moment. Without such a file, what is typed at the top counts.',
    size: [6, 5],
    decimals: 2,
    queries: [
      ...money(
        ENERGY,
        'today',
        (direction) => `last_over_time(solar:price_today:per_kwh{direction="${direction}"}[10m])`,
      ),
      ...money(
        MONTH,
        'this month',
        (direction) =>
          `max by (account, station_id, currency) (solar_tariff_price_per_kwh{direction="${direction}"})`,
      ),
      stationsMissing(`${MONTH}{${S}, flow="grid_import"}`, 'stations without import'),
      stationsMissing(`${MONTH}{${S}, flow="grid_feed_in"}`, 'stations without feed-in'),
    ],
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
      "Today, yesterday and the month as the service says or the devices counted, the others the service's own figures, in the time zone of the station, whatever range is shown. A station of which a flow is not known is not in that sum; where the month lacks some, a last column says how many.",
    size: [14, 9],
    queries: [
      byFlow(ENERGY),
      ...['yesterday', 'month', 'year', 'lifetime'].map((of) => byFlow(`solar_energy_${of}_kwh`)),
      {
        expr: `scalar(count(count by ${BY_STATION} (solar_station_devices{${S}}))) - count by (flow) (count by (account, station_id, flow) (${MONTH}{${S}})) > 0`,
      },
    ],
    // From what the panels give to what charges the battery: by chance the alphabet from its end.
    sortBy: 'flow',
    columns: [
      ['flow', 'Flow', { 'custom.width': 150, mappings: FLOW_WORDS }],
      ['Value #A', 'Today', DIGITS_1],
      ['Value #B', 'Yesterday', DIGITS_1],
      ['Value #C', 'Month', DIGITS_0],
      ['Value #D', 'Year', DIGITS_0],
      ['Value #E', 'Ever', DIGITS_0],
      ['Value #F', 'Stations missing', DIGITS_0],
    ],
  },
];

/** The last days and months, as far back as Prometheus remembers. */
export const daysPanels: readonly Panel[] = [
  past('The last 31 days', 'day of your own time zone', '31d', ofDay),
  past(
    'The last 12 months',
    'full month, as the service says or the devices counted,',
    '1y',
    ofMonth,
  ),
  {
    kind: 'table',
    title: 'Stations this month, in kWh',
    about: `What the service says of each station since the start of its month, or its devices counted. Self-sufficient: ${SELF_SUFFICIENT}; self-consumed: ${SELF_CONSUMED}.`,
    size: [24, 6],
    queries: [
      { expr: stationNamed(`solar_station_devices{${S}}`, 'name, time_zone') },
      { expr: stationNamed(`1000 * solar_month_start_timestamp_seconds{${S}}`) },
      { expr: stationNamed(`sum without (flow) (${MONTH}{${S}, flow="pv"})`) },
      { expr: stationNamed(`sum without (flow) (${MONTH}{${S}, flow="load"})`) },
      { expr: share(MONTH, 'load', 'grid_import') },
      { expr: share(MONTH, 'pv', 'grid_feed_in') },
    ],
    columns: [
      ['name', 'Station'],
      ['Value #B', 'Counted since', { unit: 'dateTimeAsIso', ...ID }],
      ['Value #C', 'Generated', DIGITS_1],
      ['Value #D', 'Consumed', DIGITS_1],
      ['Value #E', 'Self-sufficient', { unit: 'percentunit', decimals: 0 }],
      ['Value #F', 'Self-consumed', { unit: 'percentunit', decimals: 0 }],
      ['Value #A', 'Devices', DIGITS_0],
      ['time_zone', 'Time zone'],
      ['station_id', 'Station id', ID],
      ['instance', 'Exporter'],
    ],
  },
];

/** The sums of all stations by flow. */
function byFlow(metric: string): Query {
  return { expr: `sum by (flow) (max by (account, station_id, flow) (${metric}{${S}}))` };
}

/**
 * What was saved and earned, by currency: at the prices of a tariff file, and of the stations without one at what is
 * typed. The prices come by station and currency.
 */
function money(
  figure: string,
  when: string,
  priceOf: (direction: 'import' | 'feed_in') => string,
): readonly Query[] {
  const worth = (energy: string, direction: 'import' | 'feed_in', typed: string, word: string) => [
    {
      expr: `sum by (currency) (${energy} * on ${BY_STATION} group_right () ${priceOf(direction)})`,
      legend: `{{currency}} ${word} ${when}`,
    },
    {
      expr: `sum(${energy} unless on ${BY_STATION} ${priceOf(direction)}) * ${typed}`,
      legend: `$currency ${word} ${when}`,
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
      stationsMissing(ofYesterday, 'stations missing then'),
      // From hour to hour, what yesterday was then.
      { expr: `avg_over_time(${stations(ofYesterday)}[30d:1h])`, legend: 'mean of 30 days' },
      { expr: `max_over_time(${stations(ofYesterday)}[30d:1h])`, legend: 'best of 30 days' },
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
    none: 'none has ended yet',
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

/** What a day brought: its figure is the highest just before midnight; an imported past has that of the service alone. */
function ofDay(flow: string): string {
  const of = (metric: string): string =>
    `max by ${BY_STATION} (max_over_time(${metric}{${S}, flow="${flow}"}[1d]))`;
  return `sum(${of(ENERGY)} or ${of('solar_energy_today_kwh')})`;
}

/** What a month brought, at the midnight that ends it; half a day on it is the first everywhere up to UTC+12. */
function ofMonth(flow: string): string {
  const month = stations(`max_over_time(solar_energy_month_kwh{${S}, flow="${flow}"}[1d:1h])`);
  return `(${month} and on () day_of_month(vector(time() + 43200)) == 1)`;
}
