import type { Endpoint, Family, Simulator } from '../../../src/simulator/simulator.ts';

/** How one endpoint is made to be asked again and again, and what is lost without it. */
export interface EndpointPlan {
  readonly endpoint: Endpoint;
  /** The family whose devices have it asked; the others do without. */
  readonly family?: Family;
  /** Whatever makes it due every minute. */
  readonly flags: Readonly<Record<string, string>>;
  /** What has to happen before an exporter at work asks it at all. */
  readonly strike?: (simulator: Simulator) => void;
  /** The collector whose success says so. */
  readonly collector: string;
  /** Of what the endpoint brings, one metric; absent for one that brings none. */
  readonly metric?: string;
  readonly isUp: boolean;
  /** Faults, by name, that the endpoint takes for an honest answer: that there is nothing. */
  readonly honestAnswers?: readonly string[];
}

const LIVE = { metric: 'solar_pv_power_watts', collector: 'readings', isUp: false } as const;
const READ_OFTEN = { 'cache.readings-ttl': '1m' };
/** Stations and devices live equally long. */
const LISTED_OFTEN = { 'cache.devices-ttl': '1m' };

/** Everything that an exporter at work asks; what only a command asks, or only a first look, is below. */
export const ENDPOINT_PLANS: readonly EndpointPlan[] = [
  {
    ...LIVE,
    endpoint: 'login',
    flags: READ_OFTEN,
    // A session that works needs no login: take it away.
    strike: (simulator) => {
      simulator.revokeTokens();
      simulator.revokeRefreshTokens();
    },
  },
  {
    ...LIVE,
    endpoint: 'refresh',
    flags: READ_OFTEN,
    strike: (simulator) => simulator.revokeTokens(),
  },
  { endpoint: 'stations', flags: LISTED_OFTEN, collector: 'stations', isUp: true },
  {
    endpoint: 'devices',
    flags: LISTED_OFTEN,
    collector: 'devices',
    metric: 'solar_device_info',
    isUp: true,
  },
  // The energy counters ask it as well: not while it is struck, so that one collector is lost. network.test.ts has both.
  { ...LIVE, endpoint: 'readings', flags: { ...READ_OFTEN, 'cache.summary-ttl': '1h' } },
  {
    ...LIVE,
    endpoint: 'latest-state',
    family: 'hpvinv02',
    flags: READ_OFTEN,
    honestAnswers: ['success without data'],
  },
  {
    ...LIVE,
    endpoint: 'energy-flow',
    family: 'uwb1',
    flags: READ_OFTEN,
    honestAnswers: ['success without data'],
  },
  {
    endpoint: 'summary',
    flags: { 'cache.summary-ttl': '1m' },
    collector: 'summary',
    metric: 'solar_month_pv_generated_kwh',
    isUp: true,
  },
  {
    endpoint: 'summary-days',
    flags: { 'cache.summary-ttl': '1m' },
    collector: 'summary-days',
    metric: 'solar_energy_today_kwh',
    isUp: true,
  },
  {
    endpoint: 'summary-years',
    // A quarter as often as the other summaries.
    flags: { 'cache.summary-ttl': '15s' },
    collector: 'summary-years',
    metric: 'solar_energy_year_kwh',
    isUp: true,
  },
  {
    endpoint: 'alarms',
    flags: { 'cache.alarms-ttl': '1m' },
    collector: 'alarms',
    metric: 'solar_device_alarm_firing',
    isUp: true,
  },
  {
    endpoint: 'settings-get',
    flags: { 'cache.settings-ttl': '1m' },
    collector: 'settings',
    metric: 'solar_device_setting_info',
    isUp: true,
    honestAnswers: ['success without data', 'success with a list for data'],
  },
];

/** What the matrix has no column for, and why. */
export const NOT_REACHED: Readonly<Partial<Record<Endpoint, string>>> = {
  'device-details': 'asked of a device that has left the list alone: vanishing.test.ts',
  attributes: 'asked while a device is learnt: fault-matrix-learning.test.ts',
  'settings-set': 'asked by the command `settings` alone, never by a scrape',
  'settings-read': 'asked by the command `settings` alone, never by a scrape',
  'settings-read-details': 'asked by the command `settings` alone, never by a scrape',
};
