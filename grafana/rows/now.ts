import { COLOURS, STATES } from '../colours.ts';
import { mappingsOf, type Panel, type Query, SHARE_LINE } from '../panel.ts';
import { DEVICE, E, FLOWS, named, power, S, stationNamed, stations } from '../promql.ts';

const SOC = `solar_battery_soc_ratio{${S}}`;
// Up to half of what is low, a battery is nearly empty: by the alerts at 20 % and 10 %.
// Some inverters without a battery say 0 % for ever.
const NO_BATTERY = '(solar_battery_soc_ratio == 0 unless ignoring (bms) solar_device_battery_info)';
const EMPTY = `(${SOC} <= $low_soc / 200 unless ${NO_BATTERY})`;
const LOW = `(${SOC} <= $low_soc / 100 > $low_soc / 200)`;
const ENOUGH = `(${SOC} > $low_soc / 100)`;
const STATION = '(instance, station_id)';
/** Until nothing is shown of it any more, a station can only not be refreshed. */
const UNREAD = `((solar_up{${S}} == 0) unless on ${STATION} solar_station_power_watts)`;
const STATION_SOC = `solar_station_battery_soc_ratio{${S}}`;
const COLLECTORS = `min by (collector) (solar_collector_success{${S}})`;
const FAILING = `${COLLECTORS} == 0`;
/** When the service is away, all of them fail. */
const MANY_FAILING = `count_values("some", count(${FAILING}) > 2) * on () group_left (all) count_values("all", count(${COLLECTORS}))`;

/** Nothing of these is 0 while all is well, and nothing of those is there. */
const GOOD = `{__name__=~"solar_(up|collector_success|device_reporting|device_listed)", ${S}}`;
const BAD = [
  `{__name__=~"solar_(device_alarm_firing|reauthentication_required)", ${E}} == 1`,
  'ALERTS{alertname=~"Solar.+", alertstate="firing"}',
  `solar_device_dialect_info{${S}, family="unknown"}`,
  `up{${E}} == 0`,
  EMPTY,
  LOW,
].join(' or ');

/** What is wrong, and of each case its words. */
const WRONG = [
  [`absent(up{job=~"$job"})`, 'no data: does Prometheus scrape?'],
  [`up{${E}} == 0`, 'exporter unreachable: {{instance}}'],
  [`solar_reauthentication_required{${E}} == 1`, 'credentials refused: {{instance}}'],
  ...alerts('="critical"'),
  [named(EMPTY), `${DEVICE}: battery nearly empty`],
  [named(`solar_device_alarm_firing{${S}, level="critical"}`), `${DEVICE}: {{alarm}}`],
  [stationNamed(UNREAD), '{{name}}: cannot be read'],
  [`${UNREAD} unless on ${STATION} solar_station_info`, '{{station_id}}: cannot be read'],
  [`solar_up{${E}, station_id=""} == 0`, 'no station can be read'],
] as const;

const ODD = [
  ...alerts('!="critical"'),
  [
    `increase(solar_session_replaced_total{${E}}[1h]) > 1`,
    'somebody else uses the account: {{instance}}',
  ],
  [named(LOW), `${DEVICE}: battery low`],
  [named(`(solar_device_listed{${S}} == 0)`), `${DEVICE}: gone from the list`],
  [named(`(solar_device_reporting{${S}} == 0)`), `${DEVICE}: silent`],
  [named(`solar_device_dialect_info{${S}, family="unknown"}`), `${DEVICE}: unknown family`],
  [named(`solar_device_alarm_firing{${S}, level!="critical"}`), `${DEVICE}: {{alarm}} ({{level}})`],
  [`${FAILING} and on () count(${FAILING}) <= 2`, 'cannot be refreshed: {{collector}}'],
  [MANY_FAILING, 'cannot be refreshed: {{some}} of {{all}} collectors'],
] as const;

/** Less than this is not exact enough to differ from nothing. */
const NOTHING = 20;

const DEVICES_MISSING: Query = {
  expr: `${stations(`solar_station_devices_missing{${S}}`)} > 0`,
  legend: 'devices missing',
  colour: STATES.attention,
  more: { unit: 'none' },
};

const CHARGE = `round(100 * avg(${STATION_SOC}))`;
const CHARGING = `${power('battery_charge')} - ${power('battery_discharge')}`;

/** What flows, in the words of the status page, as the rest of a sentence: of each fact the first that is known. */
const FACTS = Object.entries({
  pv: [[kilowatts('pv'), ' · $1\u00A0kW PV']],
  battery: [
    [`${CHARGE} == 100`, ', battery full'],
    [`${CHARGE} and on () ${CHARGING} > ${NOTHING}`, ', battery charging at $1\u00A0%'],
    [`${CHARGE} and on () ${CHARGING} < -${NOTHING}`, ', battery discharging at $1\u00A0%'],
    [CHARGE, ', battery at $1\u00A0%'],
  ],
  bought: [[kilowatts('grid_import', ` > ${NOTHING}`), ', importing $1\u00A0kW']],
  sold: [[kilowatts('grid_feed_in', ` > ${NOTHING}`), ', feeding in $1\u00A0kW']],
  missing: [[DEVICES_MISSING.expr, ', devices missing: $1']],
} as const).map(([label, cases]) => {
  const known = cases.map(
    ([number, words]) =>
      `label_replace(count_values("${label}", ${number}), "${label}", "${words}", "${label}", "(.+)")`,
  );
  return `* on () group_left (${label}) (${[...known, 'vector(1)'].join(' or on () ')})`;
});
const IS_WELL = `min(${GOOD}) == 1 unless on () (${BAD})`;
const BEGUN = `label_replace(${IS_WELL}, "state", "all is well", "", "") or on () label_replace(0 * count(solar_station_power_watts{${S}}), "state", "now", "", "")`;

const NEWEST = `floor((time() - max(solar_reading_timestamp_seconds{${S}})) / 60)`;

/** The worst first. */
const CONDITION: readonly Query[] = [
  ...WRONG.map(([expr, legend]) => ({ expr, legend, colour: STATES.bad })),
  ...ODD.map(([expr, legend]) => ({ expr, legend, colour: STATES.attention })),
  {
    // Long, because one sentence has to know all that is asked above.
    expr: `(${BEGUN}) ${FACTS.join(' ')}`,
    legend: '{{state}}{{pv}}{{battery}}{{bought}}{{sold}}{{missing}}',
    more: { mappings: mappingsOf({ '1': ['all is well', STATES.good] }) },
  },
  { expr: `count_values("age", ${NEWEST})`, legend: 'newest reading: {{age}} min old' },
  { expr: `max(solar_simulated{${E}})`, legend: 'simulated', colour: STATES.notice },
  {
    expr: `solar_exporter_build_info{${E}}`,
    legend: 'page of {{instance}}',
    colour: STATES.notice,
    more: { links: [{ title: 'Status page', url: 'http://${__field.labels.instance}/' }] },
  },
];

/** How things are at this moment, and over the day. */
export const nowPanels: readonly Panel[] = [
  {
    kind: 'sentences',
    title: 'Is all well?',
    about:
      "What is wrong, the worst first: the alerts that fire, and what can be seen without them. Then what flows, where it is known. The last line opens the exporter's own page at the address that Prometheus scrapes, which your browser has to reach as well.",
    size: [6, 10],
    none: 'no data: does Prometheus scrape?',
    queries: CONDITION,
  },
  now('PV', 'What the panels give right now, and gave since midnight of the station.', 4, [
    flow('pv', 'generating', COLOURS.solar),
    today('pv', COLOURS.solar),
  ]),
  now(
    'Battery',
    'What goes into or comes out of the batteries right now; less than 20 W is idle. By the last hour, when they are full, or down to the limit in "Low battery %", if that is within a day.',
    5,
    [
      flow('battery_discharge', 'discharging', COLOURS.battery, `> ${NOTHING}`),
      flow('battery_charge', 'charging', COLOURS.battery, `> ${NOTHING}`),
      idle('battery', COLOURS.battery),
      until('full at', '1', '> 5e-6'),
      until('down to $low_soc % at', '$low_soc / 100', '< -5e-6'),
    ],
  ),
  now('House', 'What the house draws right now, and drew since midnight of the station.', 4, [
    flow('load', 'using', COLOURS.house),
    today('load', COLOURS.house),
  ]),
  now(
    'Grid',
    'What comes from the grid or goes into it right now; less than 20 W is nothing. Not every device knows what it feeds in.',
    5,
    [
      flow('grid_import', 'importing', COLOURS.grid, `> ${NOTHING}`),
      flow('grid_feed_in', 'feeding in', COLOURS.grid, `> ${NOTHING}`),
      idle('grid', COLOURS.grid),
    ],
  ),
  {
    kind: 'areas',
    title: 'Power',
    about:
      'Above zero where the power comes from, below zero where it goes; dashed, and on the right, how full the batteries are on average. A gap is a time of which nothing is known.',
    size: [18, 13],
    unit: 'watt',
    queries: [
      ...FLOWS.map(([name, legend, colour, sign]) => ({
        expr: sign + power(name),
        legend,
        colour,
      })),
      { expr: `avg(${STATION_SOC})`, legend: 'battery level', more: SHARE_LINE },
    ],
  },
  {
    kind: 'bars',
    title: 'Battery level',
    about:
      'How full each battery is, the lowest first; orange up to the limit in "Low battery %", red up to half of it.',
    size: [6, 7],
    none: 'no battery says how full it is',
    unit: 'percentunit',
    decimals: 0,
    min: 0,
    max: 1,
    queries: [
      { expr: `sort(${named(EMPTY)})`, legend: DEVICE, colour: STATES.bad },
      { expr: `sort(${named(LOW)})`, legend: DEVICE, colour: STATES.attention },
      { expr: `sort(${named(ENOUGH)})`, legend: DEVICE, colour: COLOURS.battery },
    ],
  },
];

/** What flows right now; a sum that lacks a device says so. */
function now(title: string, about: string, width: number, flows: readonly Query[]): Panel {
  const queries = [...flows, DEVICES_MISSING];
  return { kind: 'numbers', title, about, size: [width, 4], unit: 'watt', queries };
}

/** The alerts that fire: of devices by name, the others by what they have; of failing collectors a line says enough. */
function alerts(severity: string) {
  const firing = `ALERTS{alertname=~"Solar.+", alertname!="SolarCollectorFailing", alertstate="firing", severity${severity}, station_id=~"$station"}`;
  const devices = 'max by (station_id, device_id, name, station) (solar_device_info)';
  const device = 'on (station_id, device_id)';
  return [
    [
      `${firing} * ${device} group_left (name, station) ${devices}`,
      `${DEVICE}: {{alertname}} {{alarm}}`,
    ],
    [`${firing} unless ${device} solar_device_info`, '{{alertname}} {{device_id}} {{instance}}'],
  ] as const;
}

function flow(name: string, legend: string, colour: string, above = ''): Query {
  return { expr: `${power(name)} ${above}`.trim(), legend, colour };
}

function kilowatts(name: string, above = ''): string {
  return `round((${power(name)}${above}) / 1000, 0.01)`;
}

function today(name: string, colour: string): Query {
  const expr = stations(`solar_station_energy_today_kwh{${S}, flow="${name}"}`);
  return { expr, legend: 'today', colour, more: { unit: 'suffix:kWh', decimals: 1 } };
}

function idle(what: 'battery' | 'grid', colour: string): Query {
  const both = stations(`solar_station_power_watts{${S}, flow=~"${what}_.+"}`);
  return { expr: `round(${both}) <= ${NOTHING}`, legend: 'idle', colour };
}

/** When the batteries reach a charge, should they go on as in the last hour; none when not within a day. */
function until(legend: string, charge: string, slope: string): Query {
  const seconds = `(${charge} - avg(${STATION_SOC})) / (avg(deriv(${STATION_SOC}[1h])) ${slope})`;
  return {
    expr: `((time() + ${seconds}) > time() < time() + 86400) * 1000`,
    legend,
    more: { unit: 'time:HH:mm' },
  };
}
