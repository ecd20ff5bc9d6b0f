import {
  COLOURS,
  DIGITS_0,
  DIGITS_1,
  ID,
  inColour,
  mappingsOf,
  NOT_BELOW_0,
  type Panel,
  PERCENT,
  type Query,
  STATES,
} from '../panel.ts';
import { BY_STATION, FLOWS, ownUse, S, share, stationNamed, stations } from '../promql.ts';

const TODAY = 'solar_station_energy_today_kwh';
const YESTERDAY = 'solar_energy_yesterday_kwh';
const MONTH = 'solar_energy_month_kwh';

// While the service is away, this is what stays of a station.
const STATIONS = `count(count by ${BY_STATION} (solar_up{${S}}))`;

const FLOW_WORDS = mappingsOf(
  Object.fromEntries(FLOWS.map(([flow, words]) => [flow, [words, STATES.neutral]])),
);

/** A share in a table. */
const SHARE = { unit: 'percentunit', decimals: 0, ...NOT_BELOW_0 };

const SELF_SUFFICIENT = 'the share of what the house drew that did not come from the grid';
const SELF_CONSUMED = 'the share of what the panels gave that was not fed in';

/** What a day brought: yesterday of the next morning, also where clocks have changed since; else the most counted. */
const DAYS = `sum by (flow) (max by (station_id, flow) (last_over_time(${YESTERDAY}{${S}}[12h] offset -12h) or ignoring (source) max_over_time(${TODAY}{${S}}[1d])))`;

/**
 * What a month brought: its figure is the highest around the midnight that ends it, which the clocks of now may miss by an
 * hour. From 10 hours behind UTC to 13 ahead, 13 hours after that midnight it is the first by UTC.
 */
const MONTHS = `sum by (flow) (max by (station_id, flow) (max_over_time(${MONTH}{${S}}[36h] offset -12h))) and on () day_of_month(vector(time() + 13 * 3600)) == 1`;

/** How the day was so far, whatever range is shown. */
export const todayPanels: readonly Panel[] = [
  {
    kind: 'numbers',
    title: 'Own share today',
    about: `Of each station, of many the three lowest. Self-sufficient: ${SELF_SUFFICIENT}; self-consumed: ${SELF_CONSUMED}. Since midnight of the station, whatever range is chosen: as the service says, or as the devices counted.`,
    size: [9, 6],
    ...PERCENT,
    decimals: 0,
    queries: (
      [
        ['load', 'grid_import', 'self-sufficient', COLOURS.house],
        ['pv', 'grid_feed_in', 'self-consumed', COLOURS.solar],
      ] as const
    ).map(([whole, part, word, colour]) => [
      `bottomk(3, max by (station_id, name) (${share(TODAY, whole, part)}))`,
      `{{name}} ${word}`,
      { ...inColour(colour), ...NOT_BELOW_0 },
    ]),
  },
  {
    kind: 'numbers',
    title: 'Money',
    about:
      'Saved: what the house drew without the grid, at the price of what is bought; below zero while the grid charges the battery. Earned: what was fed in, at its price. The prices are those of a tariff file, else those typed at the top. With the recording rules, the money of today follows a price that changes during the day. The month is counted at the price of now.',
    size: [15, 6],
    decimals: 2,
    queries: [
      // The rules record one price for each station.
      ...money(TODAY, 'today', 'solar:price_today:per_kwh', (energy, price) => {
        return `max by ${BY_STATION} (${energy}) * on ${BY_STATION} group_right ${price}`;
      }),
      ...money(MONTH, 'this month', 'solar_tariff_price_per_kwh', (energy, price) => {
        return `max by (station_id, currency) ((${energy}) * on (instance, station_id) group_right ${price})`;
      }),
      ...FLOWS.filter(([flow]) => flow.startsWith('grid_')).map(([flow, words]): Query => [
        `${STATIONS} - count(count by ${BY_STATION} (${MONTH}{${S}, flow="${flow}"})) > 0`,
        `stations without ${words}`,
        { ...inColour(STATES.attention), ...DIGITS_0 },
      ]),
    ],
  },
  {
    kind: 'columns',
    title: 'Energy by the hour',
    about:
      'Above zero where the energy came from, below zero where it went: the mean power of each hour of a day, or of the 24th part of another range.',
    size: [9, 9],
    unit: 'suffix:kWh',
    none: 'not known; needs a full hour',
    interval: '5m',
    maxDataPoints: 24,
    queries: [
      // Known at each step, so that Grafana does not draw a single bar as wide as ten.
      [
        `vector(0) and on () solar_station_power_watts{${S}} @ end()`,
        '',
        { 'custom.hideFrom': { legend: true, tooltip: true, viz: true } },
      ],
      ...FLOWS.map(([flow, legend, colour, sign]): Query => [
        `${sign}${stations(`avg_over_time(solar_station_power_watts{${S}, flow="${flow}"}[$__interval])`)} * $__interval_ms / 3.6e9`,
        legend,
        colour,
      ]),
    ],
  },
  {
    kind: 'table',
    title: 'Energy in kWh',
    about:
      "Today, yesterday and the month as the service says or the devices counted, the others the service's own figures, in the time zone of the station, whatever range is shown; the mean and the best day of the last 30. A station of which a flow is not known is not in that sum; last columns, if there are any, say how many stations a sum lacks.",
    size: [15, 9],
    queries: [
      ...[TODAY, YESTERDAY, MONTH, 'solar_energy_year_kwh', 'solar_energy_lifetime_kwh'].map(
        byFlow,
      ),
      // From hour to hour, what yesterday was then.
      `avg_over_time(${byFlow(YESTERDAY)}[30d:1h])`,
      `max_over_time(${byFlow(YESTERDAY)}[30d:1h])`,
      ...[TODAY, YESTERDAY, MONTH].map(lacking),
    ].map((expr) => [expr]),
    // From what the panels give to what charges the battery: by chance the alphabet from its end.
    sortBy: 'flow',
    columns: [
      ['flow', 'Flow', { 'custom.width': 150, mappings: FLOW_WORDS }],
      ['Value #A', 'Today', DIGITS_1],
      ['Value #B', 'Yesterday', DIGITS_1],
      ['Value #F', 'Mean day', DIGITS_1],
      ['Value #G', 'Best day', DIGITS_1],
      ['Value #C', 'Month', DIGITS_0],
      ['Value #D', 'Year', DIGITS_0],
      ['Value #E', 'Ever', DIGITS_0],
      ['Value #H', 'Not in today', DIGITS_0],
      ['Value #I', 'Not in yesterday', DIGITS_0],
      ['Value #J', 'Not in month', DIGITS_0],
    ],
  },
];

/** The last days and months, as far back as Prometheus remembers. */
export const daysPanels: readonly Panel[] = [
  past('The last 31 days', 'day', '31d', DAYS),
  past('The last 12 months', 'month', '1y', MONTHS),
  {
    kind: 'table',
    title: 'Stations this month, in kWh',
    about: `What the service says of each station since the start of its month, or its devices counted. Self-sufficient: ${SELF_SUFFICIENT}; self-consumed: ${SELF_CONSUMED}.`,
    size: [24, 6],
    queries: [
      stationNamed(`solar_station_devices{${S}}`, 'name, time_zone'),
      stationNamed(`1000 * solar_month_start_timestamp_seconds{${S}}`),
      stationNamed(`sum without (flow) (${MONTH}{${S}, flow="pv"})`),
      stationNamed(`sum without (flow) (${MONTH}{${S}, flow="load"})`),
      share(MONTH, 'load', 'grid_import'),
      share(MONTH, 'pv', 'grid_feed_in'),
    ].map((expr) => [expr]),
    columns: [
      ['name', 'Station'],
      ['Value #B', 'Counted since', { unit: 'dateTimeAsIso', ...ID }],
      ['Value #C', 'Generated', DIGITS_1],
      ['Value #D', 'Consumed', DIGITS_1],
      ['Value #E', 'Self-sufficient', SHARE],
      ['Value #F', 'Self-consumed', SHARE],
      ['Value #A', 'Devices', DIGITS_0],
      ['time_zone', 'Time zone'],
      ['station_id', 'Station id', ID],
      ['instance', 'Exporter', ID],
    ],
  },
];

/** The sums of all stations by flow. */
function byFlow(metric: string): string {
  return `sum by (flow) (max by (station_id, flow) (${metric}{${S}}))`;
}

/** How many stations the sum of each flow lacks. */
function lacking(metric: string): string {
  return `scalar(${STATIONS}) - count by (flow) (max by (station_id, flow) (${metric}{${S}})) > 0`;
}

/**
 * What was saved and earned, by currency: at the prices of a tariff file, and of the stations without one at what is
 * typed.
 *
 * @param prices - the metric that has them, by station and currency.
 */
function money(
  figure: string,
  when: string,
  prices: string,
  pricedBy: (energy: string, price: string) => string,
): readonly Query[] {
  const fedIn = `${figure}{${S}, flow="grid_feed_in"}`;
  const sides = [
    ['saved', ownUse(figure), 'import', '$tariff'],
    ['earned', fedIn, 'feed_in', '$feed_in_price'],
  ] as const;
  return sides.flatMap(([word, energy, direction, typed]): readonly Query[] => {
    const price = `${prices}{direction="${direction}"}`;
    const atTyped = `max by ${BY_STATION} (${energy}) unless on ${BY_STATION} ${price}`;
    return [
      [`sum by (currency) (${pricedBy(energy, price)})`, `{{currency}} ${word} ${when}`],
      [`sum(${atTyped}) * (${typed} + 0)`, `$currency ${word} ${when}`],
    ];
  });
}

/** Energy by its flows, of which Grafana draws the last three below zero. */
function past(title: string, each: string, timeFrom: string, expr: string): Panel {
  return {
    kind: 'columns',
    title,
    about: `The energy of each full ${each}: above zero where it came from, below zero where it went. Prometheus keeps 15 days unless it is told otherwise.`,
    size: [24, 9],
    none: `not known; needs a full ${each}`,
    timeFrom,
    interval: '1d',
    unit: 'suffix:kWh',
    queries: [[expr, '{{flow}}']],
    series: Object.fromEntries(
      FLOWS.map(([flow, displayName, fixedColor, sign]) => {
        const below = sign === '-' ? { 'custom.transform': 'negative-Y' } : {};
        return [flow, { displayName, ...inColour(fixedColor), ...below }];
      }),
    ),
  };
}
