import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { STATES } from '../colours.ts';
import { columns, instants, MERGED, numbers, words } from '../columns.ts';
import { exporterNamed } from '../names.ts';
import { texts } from '../panel.ts';
import { states, table } from '../panels.ts';
import { labelList, series } from '../series.ts';
import { UNITS } from '../units.ts';

const BY_COLLECTOR = labelList('instance', 'account', 'collector');

/** Whether each station can be read. */
export const stationsUp: Panel = states(
  {
    title: 'Stations up',
    description:
      'Whether the last refresh of all readings of each station succeeded; without an id as long as no station is known.',
    unit: UNITS.count,
    mappings: texts({ '0': ['down', STATES.bad], '1': ['up', STATES.good] }),
  },
  [{ expr: exporterNamed(series('solar_up')), legend: '{{exporter}} {{station_id}}' }],
);

/** Whether each collector worked. */
export const collectorStates: Panel = states(
  {
    title: 'Collectors over time',
    description: 'Whether the last round of each collector succeeded for all it asked about.',
    unit: UNITS.count,
    mappings: texts({ '0': ['failed', STATES.bad], '1': ['ok', STATES.good] }),
  },
  [
    {
      expr: exporterNamed(`min by ${BY_COLLECTOR} (${series('solar_collector_success')})`),
      legend: '{{exporter}} {{collector}}',
    },
  ],
);

/** How each collector does now. */
export const collectorTable: Panel = table(
  {
    title: 'Collectors now',
    description:
      'Whether the last round of each collector succeeded, when one last did, and how many seconds the last one took, each of the worst station.',
  },
  [
    { expr: `min by ${BY_COLLECTOR} (${series('solar_collector_success')})`, legend: '' },
    {
      expr: `min by ${BY_COLLECTOR} (${series('solar_collector_last_success_timestamp_seconds')}) * 1000`,
      legend: '',
    },
    { expr: `max by ${BY_COLLECTOR} (${series('solar_collector_duration_seconds')})`, legend: '' },
  ],
  [
    MERGED,
    columns({
      collector: 'Collector',
      'Value #A': 'Last round',
      'Value #B': 'Last success',
      'Value #C': 'Seconds',
      instance: 'Exporter',
    }),
  ],
  {
    'Last round': words(texts({ '0': ['failed', STATES.bad], '1': ['ok', STATES.good] })),
    'Last success': instants(UNITS.fromNow),
    Seconds: numbers(UNITS.count, 1),
  },
);
