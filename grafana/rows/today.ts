import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { type Colour, COLOURS, STATES } from '../colours.ts';
import { energySum, moneySum, perDevice, priceOf } from '../expressions.ts';
import type { Strip } from '../layout.ts';
import { remarkedStat, stat } from '../panels.ts';
import { series } from '../series.ts';

const PV = series('solar_pv_power_watts');
const LOAD = series('solar_load_power_watts');
const IMPORT = series('solar_grid_import_power_watts');
const FEED_IN = series('solar_grid_feed_in_power_watts');

const OWN_USE = `${LOAD} - ${IMPORT}`;
const FROM_POWER =
  'Added up from the power readings of each minute since midnight; minutes without a reading count nothing.';

/** The energy of the day so far, from the power readings. */
export const todayStrip: Strip = {
  height: 4,
  panels: [
    [3, energy('Readings: generated today', 'What the panels gave.', PV, COLOURS.solar)],
    [3, energy('Readings: consumed today', 'What the house drew.', LOAD, COLOURS.house)],
    [3, energy('Readings: imported today', 'What came from the grid.', IMPORT, COLOURS.grid)],
    [3, energy('Readings: fed in today', 'What was fed in.', FEED_IN, COLOURS.grid)],
    [
      3,
      share(
        'Self-sufficiency today',
        'The share of what the house drew that did not come from the grid.',
        OWN_USE,
        `${LOAD} and ${IMPORT}`,
      ),
    ],
    [
      3,
      share(
        'Self-consumption today',
        'The share of what the panels gave that was not fed in.',
        `${PV} - ${FEED_IN}`,
        `${PV} and ${FEED_IN}`,
      ),
    ],
    [
      3,
      money(
        'Saved today',
        'What the house drew without the grid, times the price of the time (of --tariff.file, else as typed above); below zero while the grid charges the battery.',
        OWN_USE,
        priceOf('import', '$tariff'),
      ),
    ],
    [
      3,
      money(
        'Earned today',
        'What was fed in, times the price of the time (of --tariff.file, else as typed above).',
        FEED_IN,
        priceOf('feed_in', '$feed_in_price'),
      ),
    ],
  ],
};

function energy(title: string, what: string, powerWatts: string, colour: Colour): Panel {
  return remarkedStat(
    {
      title,
      description: `${what} ${FROM_POWER}`,
      unit: 'kwatth',
      decimals: 1,
      timeFrom: 'now/d',
    },
    [{ expr: energySum(powerWatts), legend: '{{coverage}}', colour }],
  );
}

function share(title: string, what: string, part: string, whole: string): Panel {
  const total = (powerWatts: string): string =>
    `sum(sum_over_time((${perDevice(powerWatts)})[$__range:1m]))`;
  return stat(
    {
      title,
      description: `${what} Only minutes count in which both are known.`,
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      timeFrom: 'now/d',
    },
    [
      {
        expr: `clamp_min(${total(part)} / (${total(whole)} > 0), 0)`,
        legend: title,
        colour: STATES.neutral,
      },
    ],
  );
}

function money(title: string, what: string, powerWatts: string, price: string): Panel {
  return remarkedStat(
    {
      title,
      description: `${what} ${FROM_POWER}`,
      unit: 'none',
      decimals: 2,
      timeFrom: 'now/d',
    },
    [
      {
        expr: moneySum(powerWatts, price),
        legend: '{{coverage}}',
        colour: STATES.neutral,
      },
    ],
  );
}
