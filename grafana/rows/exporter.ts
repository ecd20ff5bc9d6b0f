import { STATES } from '../colours.ts';
import { exporterNamed } from '../expressions.ts';
import type { Row } from '../layout.ts';
import { texts } from '../panel.ts';
import { lines, stackedAreas, states } from '../panels.ts';
import { labelList, series } from '../series.ts';
import { exporterTables } from './exporter-tables.ts';
import { sessionStrip } from './session.ts';

const LATENCY = `sum by ${labelList('le', 'operation')} (rate(${series('solar_api_request_duration_seconds_bucket')}[$__rate_interval]))`;

/** How the exporter itself is doing. */
export const exporterRow: Row = {
  title: 'Exporter',
  isCollapsed: true,
  strips: [
    sessionStrip,
    {
      height: 8,
      panels: [
        [
          8,
          states(
            {
              title: 'Stations up',
              description:
                'Whether the last refresh of all readings of each station succeeded; without an id as long as no station is known.',
              unit: 'none',
              mappings: texts({ '0': ['down', STATES.bad], '1': ['up', STATES.good] }),
            },
            [{ expr: exporterNamed(series('solar_up')), legend: '{{exporter}} {{station_id}}' }],
          ),
        ],
        [
          8,
          states(
            {
              title: 'Collectors',
              description:
                'Whether the last round of each collector succeeded for all it asked about.',
              unit: 'none',
              mappings: texts({ '0': ['failed', STATES.bad], '1': ['ok', STATES.good] }),
            },
            [
              {
                expr: exporterNamed(
                  `min by ${labelList('instance', 'account', 'collector')} (${series('solar_collector_success')})`,
                ),
                legend: '{{exporter}} {{collector}}',
              },
            ],
          ),
        ],
        [
          8,
          lines(
            {
              title: 'Since the last success',
              description:
                'How long ago a round of each collector last succeeded, for the worst station.',
              unit: 's',
              min: 0,
            },
            [
              {
                expr: exporterNamed(
                  `max by ${labelList('instance', 'account', 'collector')} (time() - ${series('solar_collector_last_success_timestamp_seconds')})`,
                ),
                legend: '{{exporter}} {{collector}}',
              },
            ],
          ),
        ],
      ],
    },
    {
      height: 8,
      panels: [
        [
          8,
          stackedAreas(
            {
              title: 'Requests to the service',
              description: 'Requests per second by outcome: ok, or the code of the error.',
              unit: 'reqps',
              min: 0,
              interval: '5m',
            },
            [
              {
                expr: `sum by ${labelList('outcome')} (rate(${series('solar_api_requests_total')}[$__rate_interval]))`,
                legend: '{{outcome}}',
              },
            ],
            'requests',
          ),
        ],
        [
          8,
          lines(
            {
              title: 'Latency of the service',
              description:
                'Half of the requests took no longer than the median, 95 of 100 no longer than the upper line, by operation.',
              unit: 's',
              min: 0,
              interval: '5m',
            },
            [
              { expr: `histogram_quantile(0.5, ${LATENCY})`, legend: '{{operation}} median' },
              { expr: `histogram_quantile(0.95, ${LATENCY})`, legend: '{{operation}} 95 %' },
            ],
          ),
        ],
        [
          8,
          lines(
            {
              title: 'Duration of the rounds',
              description:
                'How long the last round of each collector took, for the slowest station.',
              unit: 's',
              min: 0,
            },
            [
              {
                expr: exporterNamed(
                  `max by ${labelList('instance', 'account', 'collector')} (${series('solar_collector_duration_seconds')})`,
                ),
                legend: '{{exporter}} {{collector}}',
              },
            ],
          ),
        ],
      ],
    },
    ...exporterTables,
  ],
};
