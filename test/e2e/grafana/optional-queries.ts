import { FAMILIES, type Family } from '../../../src/simulator/simulator.ts';

/** Metrics that the devices of some families do not have, and why. */
interface Lacking {
  readonly metrics: readonly string[];
  readonly families: readonly Family[];
  readonly reason: string;
  /** The flows that a family lacks, for a metric that has flows. */
  readonly flows?: Readonly<Partial<Record<Family, readonly string[]>>>;
}

const NOT_IN_INTERFACE = ['grid_feed_in', 'battery_charge', 'battery_discharge'];
const ALL_BUT_PV = ['load', 'grid_import', ...NOT_IN_INTERFACE];

/** The one place that says which queries may be empty: those of these metrics, for these families. */
export const LACKING: readonly Lacking[] = [
  {
    metrics: ['solar_pv_power_watts', 'solar_load_power_watts', 'solar_battery_soc_ratio'],
    families: ['undescribed'],
    reason: 'nobody has described its keys',
  },
  {
    metrics: ['solar_grid_import_power_watts', 'solar_battery_power_watts'],
    families: ['msdc', 'maniy', 'undescribed'],
    reason: 'nobody has confirmed the signs of some and the keys of others',
  },
  {
    metrics: ['solar_grid_feed_in_power_watts', 'solar_grid_power_watts'],
    families: ['pi30', 'msdc', 'sierro', 'maniy', 'charge-controller', 'undescribed'],
    reason: 'no key of theirs says it, or its sign is not confirmed',
  },
  {
    metrics: ['solar_ac_output_power_watts'],
    families: ['uwb1', 'a-phase-hybrid', 'msdc', 'sierro', 'charge-controller', 'undescribed'],
    reason: 'they say what the house draws, not what the inverter puts out',
  },
  {
    metrics: ['solar_battery_charging_current_amperes', 'solar_battery_discharge_current_amperes'],
    families: ['a-phase-hybrid', 'msdc', 'maniy', 'undescribed'],
    reason: 'they have no battery current, or one whose sign is not confirmed',
  },
  { ...onlyOf('a-phase-hybrid', 'msdc'), metrics: ['solar_battery_soh_ratio'] },
  { ...onlyOf('sierro'), metrics: ['solar_battery_temperature_celsius'] },
  {
    ...onlyOf('hpvinv02', 'uwb1', 'pi30', 'techfine', 'undescribed'),
    metrics: ['solar_grid_voltage_volts'],
  },
  {
    ...onlyOf('hpvinv02', 'uwb1', 'pi30', 'a-phase-hybrid', 'techfine'),
    metrics: ['solar_grid_frequency_hertz'],
  },
  {
    ...onlyOf('hpvinv02', 'pi30', 'a-phase-hybrid', 'techfine'),
    metrics: ['solar_ac_output_voltage_volts'],
  },
  { ...onlyOf('hpvinv02', 'pi30', 'techfine'), metrics: ['solar_ac_output_frequency_hertz'] },
  {
    ...onlyOf(
      'hpvinv02',
      'uwb1',
      'pi30',
      'mega-eco',
      'a-phase-hybrid',
      'msdc',
      'maniy',
      'techfine',
    ),
    metrics: ['solar_pv_string_power_watts'],
  },
  {
    ...onlyOf('hpvinv02', 'pi30', 'a-phase-hybrid', 'charge-controller'),
    metrics: ['solar_pv_string_voltage_volts'],
  },
  { ...onlyOf('hpvinv02', 'a-phase-hybrid'), metrics: ['solar_pv_string_current_amperes'] },
  {
    ...onlyOf('hpvinv02', 'pi30', 'a-phase-hybrid', 'techfine'),
    metrics: ['solar_device_temperature_celsius', 'solar_device_working_mode'],
  },
  {
    metrics: ['solar_device_quantity_missing'],
    families: ['classic', 'hpvinv02', 'uwb1', 'mega-eco', 'techfine', 'fchao'],
    reason: 'they lack nothing of the interface',
  },
  {
    metrics: ['solar_energy_month_kwh'],
    families: ['classic', 'hpvinv02'],
    flows: { classic: NOT_IN_INTERFACE, hpvinv02: ALL_BUT_PV },
    reason: 'the summary of the interface does not count it, and that of hpvinv02 counts PV only',
  },
  {
    metrics: [
      'solar_energy_today_kwh',
      'solar_energy_yesterday_kwh',
      'solar_energy_year_kwh',
      'solar_energy_lifetime_kwh',
    ],
    families: ['hpvinv02'],
    flows: { hpvinv02: ALL_BUT_PV },
    reason: 'its summaries count PV only',
  },
  {
    metrics: ['solar_device_energy_kwh_total'],
    families: FAMILIES.filter((family) => !['classic', 'fchao', 'a-phase-hybrid'].includes(family)),
    flows: {
      hpvinv02: ['grid_feed_in'],
      techfine: ['grid_feed_in'],
      sierro: ['grid_feed_in'],
      'mega-eco': ['pv', 'load', 'grid_import', 'grid_feed_in'],
      msdc: ALL_BUT_PV,
      'charge-controller': ALL_BUT_PV,
      ...Object.fromEntries(
        ['uwb1', 'pi30', 'maniy', 'undescribed'].map((family) => [family, ['pv', ...ALL_BUT_PV]]),
      ),
    },
    reason: 'the time series of the service does not say these flows',
  },
  {
    metrics: ['solar_month_grid_feed_in_kwh'],
    families: ['classic', 'hpvinv02'],
    reason: 'the summary of the interface, and that of hpvinv02, does not count it',
  },
  {
    metrics: [
      'solar_month_grid_import_kwh',
      'solar_month_consumption_kwh',
      'solar_month_solar_ratio',
    ],
    families: ['hpvinv02'],
    reason: 'its summary counts PV only',
  },
  {
    metrics: ['solar_device_setting_enabled'],
    families: FAMILIES.filter((family) => family !== 'classic'),
    reason: 'the portal gives choices between values, and no switches',
  },
  {
    metrics: ['solar_device_setting_info', 'solar_device_setting_value'],
    families: ['charge-controller'],
    reason: 'the portal knows no settings of it',
  },
  {
    metrics: ['solar_login_blocked_until_timestamp_seconds'],
    families: FAMILIES,
    reason: 'the service refuses nobody here',
  },
  {
    metrics: ['solar_api_budget_remaining_requests', 'solar_api_effective_interval_seconds'],
    families: FAMILIES,
    reason: 'nobody has set a budget here',
  },
];

/** Queries of which one or another answers, as the sun and the battery happen to be. */
export const ALTERNATIVES: readonly (readonly string[])[] = [
  ['Battery A', 'Battery B', 'Battery C'],
  ['Battery level A', 'Battery level B'],
  ['Grid A', 'Grid B', 'Grid C'],
  ['Grid, by device A', 'Grid, by device B'],
  ['Is all well? A', 'Is all well? B'],
  ['Is all well? D', 'Is all well? E'],
];

/** Queries of what does not happen here. */
export const NEVER: Readonly<Record<string, string>> = {
  'annotation Grid outages': 'the grid is there',
  'annotation Silent devices': 'every device reports',
  'Is all well? F': 'every station can be read',
  'Is all well? G': 'the credentials are right',
};

/** Queries that answer or not, as it happens. */
export const EITHER: Readonly<Record<string, string>> = {
  'Own share today A':
    'as long as a counter that has just begun has counted nothing, there is no share of it',
};

/** Labels that a legend names and that only some answers have: where something is missing, or accounts are several. */
export const OPTIONAL_LABELS: readonly string[] = ['coverage', 'account'];

function onlyOf(...families: readonly Family[]): Pick<Lacking, 'families' | 'reason'> {
  return {
    families: FAMILIES.filter((family) => !families.includes(family)),
    reason: 'only some families measure it',
  };
}

/** Why the series of a metric are absent for a family; undefined when they are not. */
export function reasonOfAbsence(metric: string, family: Family, flow = ''): string | undefined {
  return LACKING.find(
    ({ metrics, families, flows }) =>
      metrics.includes(metric) &&
      families.includes(family) &&
      (flows === undefined || flows[family]?.includes(flow) === true),
  )?.reason;
}
