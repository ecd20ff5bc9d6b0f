import { COLOURS } from '../colours.ts';
import { perDevice } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { stat } from '../panels.ts';
import { series } from '../series.ts';
import { houseSum, houseSumOf } from '../sums.ts';
import { UNITS } from '../units.ts';

const BATTERY_WATTS = series('solar_battery_power_watts');
const IMPORT_WATTS = series('solar_grid_import_power_watts');
const FEED_IN_WATTS = series('solar_grid_feed_in_power_watts');

// Readings below this are not exact enough to differ from nothing.
const NOTHING_WATTS = 20;

const DISCHARGING = `sum(clamp_min(%, 0)) > ${NOTHING_WATTS}`;
const CHARGING = `sum(clamp_min(-%, 0)) > ${NOTHING_WATTS}`;
const IDLE = `sum(clamp_min(%, 0)) <= ${NOTHING_WATTS} and sum(clamp_min(-%, 0)) <= ${NOTHING_WATTS}`;
const FLOWING = `sum(%) > ${NOTHING_WATTS}`;
const NOT_FLOWING = `sum(%) <= ${NOTHING_WATTS}`;

const WATTS = { unit: UNITS.watts, decimals: 0 };

/** The energy flow of this moment, from left to right. */
export const flowStrip: Strip = {
  height: 4,
  panels: [
    [
      6,
      stat(
        {
          title: 'Sun',
          description:
            'What the panels give right now, all selected devices together. A sum without one of them says so.',
          ...WATTS,
        },
        [
          {
            expr: houseSum(series('solar_pv_power_watts')),
            legend: 'generating{{coverage}}',
            colour: COLOURS.solar,
          },
        ],
      ),
    ],
    [
      6,
      stat(
        {
          title: 'Battery',
          description:
            'What goes into or comes out of the batteries right now; the words say which, and less than 20 W is idle. Both show when one battery charges while another discharges.',
          ...WATTS,
        },
        [
          {
            expr: houseSumOf(BATTERY_WATTS, DISCHARGING),
            legend: 'discharging{{coverage}}',
            colour: COLOURS.battery,
          },
          {
            expr: houseSumOf(BATTERY_WATTS, CHARGING),
            legend: 'charging{{coverage}}',
            colour: COLOURS.battery,
          },
          {
            expr: houseSumOf(BATTERY_WATTS, IDLE),
            legend: 'idle{{coverage}}',
            colour: COLOURS.battery,
          },
        ],
      ),
    ],
    [
      6,
      stat(
        {
          title: 'House',
          description: 'What the house draws right now, all selected devices together.',
          ...WATTS,
        },
        [
          {
            expr: houseSum(series('solar_load_power_watts')),
            legend: 'using{{coverage}}',
            colour: COLOURS.house,
          },
        ],
      ),
    ],
    [
      6,
      stat(
        {
          title: 'Grid',
          description:
            'What comes from the grid or goes into it right now; the words say which, and less than 20 W is nothing. Not every device knows what it feeds in.',
          ...WATTS,
        },
        [
          {
            expr: houseSumOf(IMPORT_WATTS, FLOWING),
            legend: 'importing{{coverage}}',
            colour: COLOURS.grid,
          },
          {
            expr: houseSumOf(FEED_IN_WATTS, FLOWING),
            legend: 'feeding in{{coverage}}',
            colour: COLOURS.grid,
          },
          {
            expr: `(${houseSumOf(IMPORT_WATTS, NOT_FLOWING)}) unless on () (sum(${perDevice(FEED_IN_WATTS)}) > ${NOTHING_WATTS})`,
            legend: 'not importing{{coverage}}',
            colour: COLOURS.grid,
          },
        ],
      ),
    ],
  ],
};
