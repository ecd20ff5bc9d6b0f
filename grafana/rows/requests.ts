import type { Strip } from '../layout.ts';
import { exporterNamed } from '../names.ts';
import { labelList, series } from '../series.ts';
import { lines, stackedBars } from '../time-series.ts';
import { UNITS } from '../units.ts';

const LATENCY = `sum by ${labelList('le')} (rate(${series('solar_api_request_duration_seconds_bucket')}[$__rate_interval]))`;

/** What the exporter asks the service, and how it answers. */
export const requestStrips: readonly Strip[] = [
  {
    height: 8,
    panels: [
      [
        12,
        stackedBars(
          {
            title: 'Requests to the service',
            description: 'Requests per minute by outcome: ok, or the code of the error.',
            unit: UNITS.perMinute,
            min: 0,
            interval: '5m',
            maxDataPoints: 100,
          },
          [
            {
              expr: `60 * sum by ${labelList('outcome')} (rate(${series('solar_api_requests_total')}[$__rate_interval]))`,
              legend: '{{outcome}}',
            },
          ],
          'requests',
        ),
      ],
      [
        12,
        lines(
          {
            title: 'Time to answer',
            description: 'How long the service takes: 95 of 100 requests took no longer than this.',
            unit: UNITS.milliseconds,
            decimals: 0,
            min: 0,
            interval: '5m',
          },
          [{ expr: `1000 * histogram_quantile(0.95, ${LATENCY})`, legend: '95 of 100' }],
        ),
      ],
    ],
  },
  {
    height: 8,
    panels: [
      [
        12,
        lines(
          {
            title: 'Requests left today',
            description:
              'How many requests each account may still send before midnight UTC; only with --request.daily-budget.',
            unit: UNITS.count,
            decimals: 0,
            min: 0,
          },
          [
            {
              expr: exporterNamed(series('solar_api_budget_remaining_requests')),
              legend: '{{exporter}}',
            },
          ],
        ),
      ],
      [
        12,
        stackedBars(
          {
            title: 'Token renewals',
            description:
              'Attempts to renew the token, by way and outcome. About one every two hours is normal.',
            unit: UNITS.count,
            decimals: 0,
            min: 0,
            maxDataPoints: 24,
          },
          [
            {
              expr: `round(sum by ${labelList('method', 'outcome')} (increase(${series('solar_token_renewals_total')}[$__interval])))`,
              legend: '{{method}}: {{outcome}}',
            },
          ],
          'renewals',
        ),
      ],
    ],
  },
];
