import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { COLOURS } from '../colours.ts';
import { perDevice } from '../expressions.ts';
import { series } from '../series.ts';
import { stackedBars } from '../time-series.ts';
import { UNITS } from '../units.ts';

/** As many bars as a day has hours; of other ranges, each bar is about that part. */
const BARS = 24;

/** The energy of each hour of a day, by the counters. */
export const hoursChart: Panel = stackedBars(
  {
    title: 'Energy by the hour',
    description:
      'Above zero where the energy came from, below zero where it went, by the counters, all selected devices together: each bar is an hour of a day, or the 24th part of another range. An outage is made up for when it ends; a device whose points do not say a flow is not in its sum.',
    unit: UNITS.kilowattHours,
    maxDataPoints: BARS,
  },
  [
    { expr: ofBar('pv'), legend: 'sun', colour: COLOURS.solar },
    { expr: ofBar('battery_discharge'), legend: 'battery discharging', colour: COLOURS.battery },
    { expr: ofBar('grid_import'), legend: 'grid import', colour: COLOURS.grid },
    { expr: `-${ofBar('load')}`, legend: 'house', colour: COLOURS.house },
    { expr: `-${ofBar('battery_charge')}`, legend: 'battery charging', colour: COLOURS.battery },
    { expr: `-${ofBar('grid_feed_in')}`, legend: 'feed-in', colour: COLOURS.grid },
  ],
  'energy',
);

/** Exact: `increase` would guess beyond the first and the last value, which are five minutes apart. */
function ofBar(flow: string): string {
  const counter = series('solar_device_energy_kwh_total', { flow: `="${flow}"` });
  const risen = `last_over_time(${counter}[$__interval]) - last_over_time(${counter}[$__interval] offset $__interval)`;
  return `sum(${perDevice(`(${risen}) >= 0`)})`;
}
