import { STATES } from '../colours.ts';
import { DASHED, DIGITS_0, DIGITS_1, ID, type Panel } from '../panel.ts';
import { deviceInfo, named, S } from '../promql.ts';

/** What the axis of a panel is. */
type Scale = Pick<Panel, 'unit' | 'decimals' | 'min' | 'max'>;

const WATTS = { unit: 'watt' };
const VOLTS = { unit: 'suffix:V', decimals: 1 };
const AMPERES = { unit: 'suffix:A', decimals: 1 };
// Grafana draws no line between 0 and 100 % when it may show no decimals of 0.5.
const PERCENT = { unit: 'percentunit', min: 0, max: 1 };

/** What each device does. */
export const devicePanels: readonly Panel[] = [
  byDevice('Sun, by device', 'What the panels of each device give.', WATTS, 'solar_pv_power_watts'),
  byDevice(
    'AC output, by device',
    'What each inverter puts out, and dashed what it is rated for, where the service says so.',
    { ...WATTS, min: 0 },
    'solar_ac_output_power_watts',
    'solar_device_rated_power_watts',
  ),
  byDevice(
    'Grid, by device',
    'Above zero what comes from the grid, below zero what goes into it; dashed what comes from it, which is all that some devices know.',
    WATTS,
    'solar_grid_power_watts',
    'solar_grid_import_power_watts',
  ),
  {
    kind: 'states',
    title: 'Contact with the devices',
    about:
      'Whether each device has a reading that is young enough to show, whether the service calls it online, whether the device list has it, and whether the BMS of its battery answers: without one, its charge is a guess.',
    size: [12, 8],
    words: { '0': ['no', STATES.bad], '1': ['yes', STATES.good] },
    queries: [
      { expr: named(`solar_device_reporting{${S}}`), legend: '{{name}} reports' },
      { expr: named(`solar_device_online{${S}}`), legend: '{{name}} is online' },
      { expr: named(`solar_device_listed{${S}}`), legend: '{{name}} is listed' },
      { expr: named(`solar_battery_bms_connected{${S}}`), legend: '{{name}} hears its BMS' },
    ],
  },
  {
    kind: 'table',
    title: 'Devices',
    about:
      "Each inverter's own count of what its panels gave, in kWh, about once an hour, which can differ from the figures of the service; which family it speaks like and where it is read, how many of the seven quantities of the interface it has no known key for, and how many of its keys no rule reads.",
    size: [24, 7],
    queries: [
      `solar_device_dialect_info{${S}}`,
      `solar_device_pv_energy_today_kwh{${S}}`,
      `solar_device_pv_energy_lifetime_kwh{${S}}`,
      `count without (quantity) (solar_device_quantity_missing_info{${S}})`,
      `solar_device_unknown_keys{${S}}`,
    ].map((expression) => ({ expr: deviceInfo(expression, 'name, model') })),
    columns: [
      ['name', 'Device'],
      ['model', 'Model'],
      ['Value #B', 'PV today', DIGITS_1],
      ['Value #C', 'PV ever', DIGITS_0],
      ['family', 'Family'],
      ['source', 'Read from'],
      ['Value #D', 'Quantities missing', DIGITS_0],
      ['Value #E', 'Keys unread', DIGITS_0],
      ['device_id', 'Device id', ID],
      ['instance', 'Exporter'],
    ],
  },
];

const LEVEL = byDevice(
  'Level, by battery',
  'How full each battery is. The red line is the limit in "Low battery %".',
  PERCENT,
  'solar_battery_soc_ratio',
);

/** How the batteries are used. */
export const batteryPanels: readonly Panel[] = [
  {
    ...LEVEL,
    queries: [
      ...LEVEL.queries,
      {
        // Only where there is a battery.
        expr: `max(solar_battery_soc_ratio{${S}}) * 0 + $low_soc / 100`,
        legend: 'low',
        colour: STATES.bad,
        more: DASHED,
      },
    ],
  },
  byDevice(
    'Power, by battery',
    'Above zero each battery discharges, below zero it charges.',
    WATTS,
    'solar_battery_power_watts',
  ),
  byDevice(
    'Voltage, by battery',
    'The voltage of each battery.',
    VOLTS,
    'solar_battery_voltage_volts',
  ),
  byDevice(
    'Currents, by battery',
    'The current out of each battery, and dashed the current into it.',
    { ...AMPERES, min: 0 },
    'solar_battery_discharge_current_amperes',
    'solar_battery_charging_current_amperes',
  ),
];

const STRING = 'Each PV string that a device measures by itself.';
const OUTPUT = 'Of the grid at each inverter, and dashed of its AC output; of the first phase.';

/** Quantities that only some devices measure. */
export const measuredPanels: readonly Panel[] = (
  [
    strings('Power of the strings', WATTS, 'solar_pv_string_power_watts'),
    strings('Voltage of the strings', VOLTS, 'solar_pv_string_voltage_volts'),
    strings('Current of the strings', AMPERES, 'solar_pv_string_current_amperes'),
    {
      kind: 'lines',
      title: 'Temperatures',
      about: 'Every sensor of every inverter, and of every battery that has one.',
      size: [12, 8],
      unit: 'suffix:°C',
      decimals: 0,
      queries: [
        { expr: named(`solar_device_temperature_celsius{${S}}`), legend: '{{name}} {{sensor}}' },
        { expr: named(`solar_battery_temperature_celsius{${S}}`), legend: '{{name}} battery' },
      ],
    },
    byDevice(
      'Voltages',
      OUTPUT,
      VOLTS,
      'solar_grid_voltage_volts',
      'solar_ac_output_voltage_volts',
    ),
    byDevice(
      'Frequencies',
      OUTPUT,
      { unit: 'suffix:Hz', decimals: 2 },
      'solar_grid_frequency_hertz',
      'solar_ac_output_frequency_hertz',
    ),
    byDevice(
      'Battery health',
      'What is left of the capacity of each battery that reports it.',
      PERCENT,
      'solar_battery_soh_ratio',
    ),
    {
      kind: 'states',
      title: 'Working mode',
      about:
        'In which mode each inverter that says so worked; a code instead of a word is one that nobody has named.',
      size: [12, 8],
      words: { '1': ['in this mode', STATES.good] },
      queries: [
        { expr: named(`(solar_device_working_mode{${S}} == 1)`), legend: '{{name}}: {{mode}}' },
      ],
    },
  ] as const satisfies readonly Panel[]
).map((panel) => ({ ...panel, none: 'this inverter does not measure it' }));

/** A line for each device, always in its colour; of the second metric it is dashed. */
function byDevice(
  title: string,
  about: string,
  scale: Scale,
  metric: string,
  dashed?: string,
  legend = '{{name}}',
): Panel {
  const line = (name: string) => ({ expr: named(`${name}{${S}}`), legend });
  const queries = [line(metric), ...(dashed ? [{ ...line(dashed), more: DASHED }] : [])];
  return { kind: 'lines', title, about, size: [12, 8], ...scale, queries };
}

function strings(title: string, scale: Scale, metric: string): Panel {
  return byDevice(title, STRING, scale, metric, undefined, '{{name}} string {{string}}');
}
