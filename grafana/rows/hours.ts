import { COLOURS } from '../colours.ts';
import { perDevice } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { stackedAreas } from '../panels.ts';
import { series } from '../series.ts';

/** The energy of the last hour over time, as the counters have it. */
export const hoursStrip: Strip = {
  height: 8,
  panels: [
    [
      24,
      stackedAreas(
        {
          title: 'Energy of an hour',
          description:
            'What flowed in the hour before, by the counters: above zero where it came from, below zero where it went, all selected devices together. They count every point that the service has, also those of an outage, which show as a peak when they are counted; a device whose points do not say a flow is not in its sum.',
          unit: 'kwatth',
        },
        [
          { expr: ofHour('pv'), legend: 'PV', colour: COLOURS.solar },
          {
            expr: ofHour('battery_discharge'),
            legend: 'battery discharging',
            colour: COLOURS.battery,
          },
          { expr: ofHour('grid_import'), legend: 'grid import', colour: COLOURS.grid },
          { expr: `-${ofHour('load')}`, legend: 'load', colour: COLOURS.house },
          {
            expr: `-${ofHour('battery_charge')}`,
            legend: 'battery charging',
            colour: COLOURS.battery,
          },
          { expr: `-${ofHour('grid_feed_in')}`, legend: 'feed-in', colour: COLOURS.grid },
        ],
        'energy',
      ),
    ],
  ],
};

function ofHour(flow: string): string {
  const counter = series('solar_device_energy_kwh_total', { flow: `="${flow}"` });
  return `sum(${perDevice(`increase(${counter}[1h])`)})`;
}
