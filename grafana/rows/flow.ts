import { COLOURS, STATES } from '../colours.ts';
import { houseSum, houseSumOf, named, perDevice } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { gauge, remarkedStat } from '../panels.ts';
import { series } from '../series.ts';

const BATTERY_WATTS = series('solar_battery_power_watts');
const IMPORT_WATTS = series('solar_grid_import_power_watts');
const FEED_IN_WATTS = series('solar_grid_feed_in_power_watts');
const SOC = series('solar_battery_soc_ratio');

// Readings below this are not exact enough to differ from nothing.
const NOTHING_WATTS = 20;

// A gauge's thresholds are fixed numbers, so the limit that a person types chooses between two queries.
const LOW = '$low_soc / 100';

const DISCHARGING = `sum(clamp_min(%, 0)) > ${NOTHING_WATTS}`;
const CHARGING = `sum(clamp_min(-%, 0)) > ${NOTHING_WATTS}`;
const IDLE = `sum(clamp_min(%, 0)) <= ${NOTHING_WATTS} and sum(clamp_min(-%, 0)) <= ${NOTHING_WATTS}`;
const FLOWING = `sum(%) > ${NOTHING_WATTS}`;
const NOT_FLOWING = `sum(%) <= ${NOTHING_WATTS}`;

/** The energy flow of this moment, from left to right. */
export const flowStrip: Strip = {
  height: 5,
  panels: [
    [
      5,
      remarkedStat(
        {
          title: 'PV',
          description: 'What the panels give right now, all selected devices together.',
          unit: 'watt',
        },
        [
          {
            expr: houseSum(series('solar_pv_power_watts')),
            legend: '{{coverage}}',
            colour: COLOURS.solar,
          },
        ],
      ),
    ],
    [
      5,
      remarkedStat(
        {
          title: 'Battery',
          description:
            'What goes into or comes out of the batteries right now; the words say which, and less than 20 W is idle. Both show when one battery charges while another discharges.',
          unit: 'watt',
        },
        [
          {
            expr: houseSumOf(BATTERY_WATTS, DISCHARGING),
            legend: 'discharging, {{coverage}}',
            colour: COLOURS.battery,
          },
          {
            expr: houseSumOf(BATTERY_WATTS, CHARGING),
            legend: 'charging, {{coverage}}',
            colour: COLOURS.battery,
          },
          {
            expr: houseSumOf(BATTERY_WATTS, IDLE),
            legend: 'idle, {{coverage}}',
            colour: COLOURS.battery,
          },
        ],
      ),
    ],
    [
      4,
      gauge(
        {
          title: 'State of charge',
          description:
            'How full each battery is; red up to the limit in "Low battery %", green above it.',
          unit: 'percentunit',
          decimals: 0,
          min: 0,
          max: 1,
        },
        [
          { expr: named(`${SOC} > ${LOW}`), legend: '{{name}}', colour: STATES.good },
          { expr: named(`${SOC} <= ${LOW}`), legend: '{{name}}', colour: STATES.bad },
        ],
      ),
    ],
    [
      5,
      remarkedStat(
        {
          title: 'Load',
          description: 'What the house draws right now, all selected devices together.',
          unit: 'watt',
        },
        [
          {
            expr: houseSum(series('solar_load_power_watts')),
            legend: '{{coverage}}',
            colour: COLOURS.house,
          },
        ],
      ),
    ],
    [
      5,
      remarkedStat(
        {
          title: 'Grid',
          description:
            'What comes from the grid or goes into it right now; the words say which, and less than 20 W is nothing. Not every device knows what it feeds in.',
          unit: 'watt',
        },
        [
          {
            expr: houseSumOf(IMPORT_WATTS, FLOWING),
            legend: 'import, {{coverage}}',
            colour: COLOURS.grid,
          },
          {
            expr: houseSumOf(FEED_IN_WATTS, FLOWING),
            legend: 'feed-in, {{coverage}}',
            colour: COLOURS.grid,
          },
          {
            expr: `${houseSumOf(IMPORT_WATTS, NOT_FLOWING)} unless on () (sum(${perDevice(FEED_IN_WATTS)}) > ${NOTHING_WATTS})`,
            legend: 'no import, {{coverage}}',
            colour: COLOURS.grid,
          },
        ],
      ),
    ],
  ],
};
