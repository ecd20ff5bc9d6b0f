import { MappingType, type Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { columns, MERGED, numbers, sortedBy, width } from '../columns.ts';
import { perStation } from '../expressions.ts';
import { table } from '../panels.ts';
import { labelList, series } from '../series.ts';
import { energyToday } from '../today.ts';
import { UNITS } from '../units.ts';

/** The flows by the words that owners have for them. */
const WORDS = {
  pv: 'Generated',
  load: 'Consumed',
  grid_import: 'Imported',
  grid_feed_in: 'Fed in',
  battery_discharge: 'Discharged',
  battery_charge: 'Charged',
} as const;

/** The energy of day, month and year by flow; a sum of a station or of several. */
export const energyTable: Panel = table(
  {
    title: 'Energy in kWh',
    description:
      "The service's own figures in the time zone of the station, whatever range is shown; for today the exporter's counters, where the service has none. A station of which it does not say a flow is not in that sum.",
  },
  [
    energyToday(),
    ofService('solar_energy_yesterday_kwh'),
    ofService('solar_energy_month_kwh'),
    ofService('solar_energy_year_kwh'),
  ].map((energies) => ({
    expr: `sum by ${labelList('flow')} (${energies})`,
    legend: '',
  })),
  [
    MERGED,
    // From what the panels give to what charges the battery, by chance the order of the alphabet from its end.
    sortedBy('flow', true),
    columns({
      flow: 'Flow',
      'Value #A': 'Today',
      'Value #B': 'Yesterday',
      'Value #C': 'Month',
      'Value #D': 'Year',
    }),
  ],
  {
    Flow: [
      width(88),
      {
        id: 'mappings',
        value: [
          {
            type: MappingType.ValueToText,
            options: Object.fromEntries(
              Object.entries(WORDS).map(([flow, text], index) => [flow, { text, index }]),
            ),
          },
        ],
      },
    ],
    Today: numbers(UNITS.count, 1),
    Yesterday: numbers(UNITS.count, 1),
    Month: numbers(UNITS.count, 0),
    Year: numbers(UNITS.count, 0),
  },
);

function ofService(metric: string): string {
  return perStation(series(metric), 'flow');
}
