import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { type Colour, COLOURS, STATES } from '../colours.ts';
import type { Row } from '../layout.ts';
import { statPair } from '../panels.ts';
import { series } from '../series.ts';
import { stationSum } from '../sums.ts';
import { energyToday, money, priceToday } from '../today.ts';
import { UNITS } from '../units.ts';
import { hoursChart } from './hours.ts';
import { energyTable } from './periods.ts';
import { shares } from './shares.ts';

const LOAD_WATTS = series('solar_load_power_watts');
const IMPORT_WATTS = series('solar_grid_import_power_watts');
const FEED_IN_WATTS = series('solar_grid_feed_in_power_watts');

const CONSUMED = energyToday('load');
const IMPORTED = energyToday('grid_import');
const FED_IN = energyToday('grid_feed_in');
const OWN_USE = `(${CONSUMED} - ${IMPORTED})`;

const SINCE_MIDNIGHT =
  "By the service's own figures since midnight of the station, or the exporter's counters where the service has none.";

/** How the day was so far, whatever range is shown. */
export const todayRow: Row = {
  title: 'Today',
  strips: [
    {
      height: 4,
      panels: [
        [6, energy('Generated today', 'What the panels gave.', 'pv', COLOURS.solar)],
        [6, energy('Consumed today', 'What the house drew.', 'load', COLOURS.house)],
        [
          6,
          shares('Own share today', SINCE_MIDNIGHT, {
            generated: energyToday('pv'),
            consumed: CONSUMED,
            imported: IMPORTED,
            fedIn: FED_IN,
          }),
        ],
        [
          6,
          statPair(
            {
              title: 'Money today',
              description:
                'Saved: what the house drew without the grid, times the price of what is bought, below zero while the grid charges the battery; earned: what was fed in, times the price for it. The prices of the day so far, of the tariff file or as typed at the top, each counted by the power at its time.',
              unit: UNITS.count,
              decimals: 2,
            },
            [
              {
                expr: money(
                  OWN_USE,
                  priceToday('import', '$tariff', `${LOAD_WATTS} - ${IMPORT_WATTS}`),
                ),
                legend: '{{currency}} saved',
                colour: STATES.neutral,
              },
              {
                expr: money(FED_IN, priceToday('feed_in', '$feed_in_price', FEED_IN_WATTS)),
                legend: '{{currency}} earned',
                colour: STATES.neutral,
              },
            ],
          ),
        ],
      ],
    },
    {
      height: 9,
      panels: [
        [10, hoursChart],
        [14, energyTable],
      ],
    },
  ],
};

function energy(title: string, what: string, flow: string, colour: Colour): Panel {
  const yesterday = series('solar_energy_yesterday_kwh', { flow: `="${flow}"` });
  return statPair(
    {
      title,
      description: `${what} ${SINCE_MIDNIGHT}`,
      unit: UNITS.kilowattHours,
      decimals: 1,
    },
    [
      { expr: stationSum(energyToday(flow)), legend: 'today{{coverage}}', colour },
      { expr: stationSum(yesterday), legend: 'yesterday{{coverage}}', colour: STATES.neutral },
    ],
  );
}
