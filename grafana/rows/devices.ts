import {
  cellWords,
  DASHED,
  DIGITS_0,
  DIGITS_1,
  ID,
  onRight,
  type Panel,
  PERCENT,
  type Query,
  type Scale,
  STATES,
  UNLISTED,
} from '../panel.ts';
import { DEVICE, deviceInfo, named, S } from '../promql.ts';

const WATTS = { unit: 'watt' };
const BESIDE = { ...DASHED, ...UNLISTED };
const VOLTS = { unit: 'suffix:V', decimals: 1 };
const CURRENT = { ...onRight({ unit: 'suffix:A', decimals: 1 }), ...UNLISTED };

const ONLINE = cellWords({ '0': ['no', STATES.attention], '1': ['yes', STATES.good] });

/** A lead battery has no BMS that ever answered. */
const BMS_IS_SILENT = `(solar_battery_bms_connected{${S}} == 0 and ignoring (bms) solar_device_battery_info{bms="true"})`;

/** A metric of devices, and how its lines differ from those of the panel. */
type Line = readonly [metric: string, look?: Query[2]];

/** What each device does. */
export const devicePanels: readonly Panel[] = [
  byDevice(
    'Sun, by device',
    'What the panels of each device give, and dashed each PV string that it measures by itself.',
    WATTS,
    [['solar_pv_power_watts'], ['solar_pv_string_power_watts', DASHED]],
  ),
  byDevice(
    'AC output, by device',
    'What each inverter puts out, and dashed what it is rated for, where the service says so. Each of several in parallel says the output of all.',
    { ...WATTS, min: 0 },
    [['solar_ac_output_power_watts'], ['solar_device_rated_power_watts', BESIDE]],
  ),
  byDevice(
    'Grid, by device',
    'Above zero what comes from the grid, below zero what goes into it; some devices know only what comes from it.',
    WATTS,
    [[`solar_grid_power_watts{${S}} or solar_grid_import_power_watts`]],
  ),
  {
    kind: 'states',
    title: 'State of the devices',
    about:
      'Whether each device has a reading that is young enough to show, and in which mode it worked; a code instead of a word is one that nobody has named. Only while it is so: that the device list lacks it, and that the BMS of its battery does not answer, so that its charge is a guess.',
    size: [12, 8],
    words: { '0': ['no', STATES.bad], '1': ['yes', STATES.good] },
    queries: [
      [named(`solar_device_reporting{${S}}`), `${DEVICE} reports`],
      [named(`(solar_device_listed{${S}} == 0)`), `${DEVICE} is listed`],
      [named(BMS_IS_SILENT), `${DEVICE} hears its BMS`],
      [named(`(solar_device_working_mode{${S}} == 1)`), `${DEVICE} in mode {{mode}}`],
    ],
  },
  {
    kind: 'table',
    title: 'Devices',
    about:
      'Whether the service calls each device online; its own count of what its panels gave, in kWh, about once an hour, which can differ from the figures of the service; what is left of the capacity of its battery, where it says so; which family it speaks like and where it is read, how many of the seven specified quantities it has no known key for, and how many of its keys no rule reads.',
    size: [24, 7],
    queries: [
      `solar_device_dialect_info{${S}}`,
      `solar_device_pv_energy_today_kwh{${S}}`,
      `solar_device_pv_energy_lifetime_kwh{${S}}`,
      `solar_battery_soh_ratio{${S}}`,
      `count without (quantity) (solar_device_quantity_missing_info{${S}})`,
      `solar_device_unknown_keys{${S}}`,
      `solar_device_online{${S}}`,
    ].map((expression) => [deviceInfo(expression, 'name, model, station')]),
    columns: [
      ['name', 'Device'],
      ['station', 'Station'],
      ['model', 'Model'],
      ['Value #G', 'Online', ONLINE],
      ['Value #B', 'PV today', DIGITS_1],
      ['Value #C', 'PV ever', DIGITS_0],
      ['Value #D', 'Battery health', { unit: 'percentunit', decimals: 0 }],
      ['family', 'Family'],
      ['source', 'Read from'],
      ['Value #E', 'Quantities missing', DIGITS_0],
      ['Value #F', 'Keys unread', DIGITS_0],
      ['device_id', 'Device id', ID],
      ['instance', 'Exporter', ID],
    ],
  },
];

/** How the batteries are used. */
export const batteryPanels: readonly Panel[] = [
  byDevice(
    'Power and level, by battery',
    'Above zero each battery discharges, below zero it charges; dashed, and on the right, how full it is.',
    WATTS,
    [
      ['solar_battery_power_watts'],
      ['solar_battery_soc_ratio', { ...onRight(PERCENT), ...UNLISTED }],
    ],
  ),
  byDevice(
    'Voltage and current, by battery',
    'The voltage of each battery; dashed, and on the right, the current out of it above zero, and into it below.',
    VOLTS,
    [
      ['solar_battery_voltage_volts'],
      ['solar_battery_discharge_current_amperes', CURRENT],
      ['-solar_battery_charging_current_amperes', CURRENT],
    ],
  ),
];

const OUTPUT = 'Of the grid at each inverter, and dashed of its AC output; of the first phase.';

/** Quantities that only some devices measure. */
export const measuredPanels: readonly Panel[] = (
  [
    byDevice(
      'Voltage and current of the strings',
      'Each PV string that a device measures by itself; the current is dashed, and on the right.',
      VOLTS,
      [['solar_pv_string_voltage_volts'], ['solar_pv_string_current_amperes', CURRENT]],
    ),
    {
      kind: 'lines',
      title: 'Temperatures',
      about: 'Every sensor of every inverter, and of every battery that has one.',
      size: [12, 8],
      unit: 'suffix:°C',
      decimals: 0,
      queries: [
        [named(`solar_device_temperature_celsius{${S}}`), `${DEVICE} {{sensor}}`],
        [named(`solar_battery_temperature_celsius{${S}}`), `${DEVICE} battery`],
      ],
    },
    byDevice('Voltages', OUTPUT, VOLTS, [
      ['solar_grid_voltage_volts'],
      ['solar_ac_output_voltage_volts', BESIDE],
    ]),
    byDevice('Frequencies', OUTPUT, { unit: 'suffix:Hz', decimals: 2 }, [
      ['solar_grid_frequency_hertz'],
      ['solar_ac_output_frequency_hertz', BESIDE],
    ]),
  ] as const satisfies readonly Panel[]
).map((panel) => ({ ...panel, none: 'not known: few inverters measure it' }));

/** Lines for each device, all of them in its colour. */
function byDevice(title: string, about: string, scale: Scale, lines: readonly Line[]): Panel {
  const queries = lines.map(([metric, look = {}]): Query => {
    const legend = metric.includes('_string_') ? `${DEVICE} string {{string}}` : DEVICE;
    const asked = `${metric}{${S}}`;
    return [named(metric.includes(' or ') ? `(${asked})` : asked), legend, look];
  });
  return { kind: 'lines', title, about, size: [12, 8], ...scale, queries };
}
