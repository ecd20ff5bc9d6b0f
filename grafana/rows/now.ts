import {
  COLOURS,
  inColour,
  type Panel,
  PERCENT,
  type Query,
  SHARE_LINE,
  STATES,
} from '../panel.ts';
import { DEVICE, E, FLOWS, named, power, S, stationNamed, stations } from '../promql.ts';

/** A problem of the account has no station. */
const OR_NONE = S.replace('$station', '$station|');
/** Some inverters without a battery say 0 % for ever. */
const NO_BATTERY = '(solar_battery_soc_ratio == 0 unless ignoring (bms) solar_device_battery_info)';
const STATION_SOC = `solar_station_battery_soc_ratio{${S}}`;

/** Alerts that are no problem of the house by themselves: of the exporter and the grid; of batteries, by an owner's limit. */
const OF_EXPORTER = 'Solar([GSTL]|Conf).+';
const OF_BATTERY = 'SolarBattery[LCR].+';
const ANY_OTHER = 'Solar([GSTL]|Conf|Battery[LCR]).+';

/** Of more of a kind, a line says how many there are in all: the panel does not scroll. */
const MOST_LINES = 3;

const LEVELS = { critical: STATES.bad, warning: STATES.attention, info: STATES.notice };

/** Less than this is not exact enough to differ from nothing. */
const NOTHING = 20;

const DEVICES_MISSING: Query = [
  `${stations(`solar_station_devices_missing{${S}}`)} > 0`,
  'devices missing',
  { ...inColour(STATES.attention), unit: 'none' },
];

const NEWEST = `floor((time() - max(solar_reading_timestamp_seconds{${S}})) / 60)`;

/** The worst first, in the words of the exporter. */
const CONDITION: readonly Query[] = [
  ['absent(up{job=~"$job"})', 'no data: does Prometheus scrape?', STATES.bad],
  [`up{${E}} == 0`, 'exporter unreachable: {{instance}}', STATES.bad],
  ...problems('critical'),
  [first(alertsOfDevices()), `${DEVICE}: {{alertname}} ({{severity}})`, STATES.attention],
  [first(firing(OF_EXPORTER)), '{{alertname}} {{instance}} ({{severity}})', STATES.attention],
  ...problems('warning'),
  ...problems('info'),
  [
    `count_values("all", count(count by (station_id, device_id, problem) (solar_problem_info{${OR_NONE}})) > ${MOST_LINES})`,
    '{{all}} problems in all',
    STATES.attention,
  ],
  [
    `max(solar_up{${S}}) == 1 unless on () (up{${E}} == 0 or solar_problem_info{${OR_NONE}} or ALERTS{alertname=~"${ANY_OTHER}", alertstate="firing"})`,
    'all is well',
    STATES.good,
  ],
  [`count_values("age", ${NEWEST})`, 'newest reading: {{age}} min old'],
  [`max(solar_simulated{${E}})`, 'simulated', STATES.notice],
  [
    `solar_exporter_build_info{${E}}`,
    'page of {{instance}}',
    {
      ...inColour(STATES.notice),
      links: [{ title: 'Status page', url: 'http://${__field.labels.instance}/' }],
    },
  ],
];

/** How things are at this moment, and over the day. */
export const nowPanels: readonly Panel[] = [
  {
    kind: 'sentences',
    title: 'Is all well?',
    about:
      "What is wrong, the worst first: what the exporter says of the house, and which alerts fire beside that. The rows below say which alarm it is and what cannot be refreshed. The last line opens the exporter's own page, which says what to do, at the address that Prometheus scrapes; your browser has to reach it as well.",
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
    'What goes into or comes out of the batteries right now; less than 20 W is idle. By the last hour, when they are full, or down to 20 %, if that is within a day.',
    5,
    [
      flow('battery_discharge', 'discharging', COLOURS.battery, `> ${NOTHING}`),
      flow('battery_charge', 'charging', COLOURS.battery, `> ${NOTHING}`),
      idle('battery', COLOURS.battery),
      until('full at', '1', '> 5e-6'),
      until('down to 20 % at', '0.2', '< -5e-6'),
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
      ...FLOWS.map(([name, legend, colour, sign]): Query => [sign + power(name), legend, colour]),
      [`avg(${STATION_SOC})`, 'battery level', SHARE_LINE],
    ],
  },
  {
    kind: 'bars',
    title: 'Battery level',
    about:
      'How full each battery is, the lowest first; orange below 20 %, red below 10 %, as for the alerts.',
    size: [6, 7],
    none: 'no battery level is known',
    ...PERCENT,
    decimals: 0,
    steps: [
      [null, STATES.off],
      [0, STATES.bad],
      [0.1, STATES.attention],
      [0.2, COLOURS.battery],
    ],
    queries: [[`sort(${named(`(solar_battery_soc_ratio{${S}} unless ${NO_BATTERY})`)})`, DEVICE]],
  },
];

/** What flows right now; a sum that lacks a device says so. */
function now(title: string, about: string, width: number, flows: readonly Query[]): Panel {
  const queries = [...flows, DEVICES_MISSING];
  return { kind: 'numbers', title, about, size: [width, 4], unit: 'watt', queries };
}

/** The problems of a level: of devices, of stations, and of what has no name. */
function problems(level: keyof typeof LEVELS): readonly Query[] {
  const ofLevel = `solar_problem_info{${OR_NONE}, level="${level}"}`;
  const withoutDevice = ofLevel.replace('}', ', device_id=""}');
  const nameless = `${ofLevel} unless on (instance, station_id) solar_station_info`;
  return [
    [first(named(ofLevel)), `${DEVICE}: {{problem}}`, LEVELS[level]],
    [first(stationNamed(withoutDevice)), '{{name}}: {{problem}}', LEVELS[level]],
    [first(nameless), '{{problem}} {{station_id}} {{device_id}}', LEVELS[level]],
  ];
}

function first(expression: string): string {
  return `topk(${MOST_LINES}, ${expression})`;
}

function firing(alerts: string): string {
  return `ALERTS{alertname=~"${alerts}", alertstate="firing", station_id=~"$station|"}`;
}

/** The alerts about batteries, unless the exporter says that they are low. */
function alertsOfDevices(): string {
  const known = 'solar_problem_info{problem=~"battery.+"}';
  const names = 'max by (station_id, device_id, name, station) (solar_device_info)';
  const device = 'on (station_id, device_id)';
  return `(${firing(OF_BATTERY)} unless ${device} ${known}) * ${device} group_left (name, station) ${names}`;
}

function flow(name: string, legend: string, colour: string, above = ''): Query {
  return [`${power(name)} ${above}`.trim(), legend, colour];
}

function today(name: string, colour: string): Query {
  const expr = stations(`solar_station_energy_today_kwh{${S}, flow="${name}"}`);
  return [expr, 'today', { ...inColour(colour), unit: 'suffix:kWh', decimals: 1 }];
}

function idle(what: 'battery' | 'grid', colour: string): Query {
  const both = stations(`solar_station_power_watts{${S}, flow=~"${what}_.+"}`);
  return [`round(${both}) <= ${NOTHING}`, 'idle', colour];
}

/** When the batteries reach a charge, should they go on as in the last hour; none when not within a day. */
function until(legend: string, charge: string, slope: string): Query {
  const seconds = `(${charge} - avg(${STATION_SOC})) / (avg(deriv(${STATION_SOC}[1h])) ${slope})`;
  const atMs = `((time() + ${seconds}) > time() < time() + 86400) * 1000`;
  return [atMs, legend, { unit: 'time:HH:mm' }];
}
