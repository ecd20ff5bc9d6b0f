import { COLLECTOR_METRICS } from '../collectors/index.ts';
import type { MetricDefinition } from '../collectors/metric.ts';

/** How the collection itself is doing. */
export const COLLECTION_METRICS = [
  {
    name: 'solar_up',
    type: 'gauge',
    help: 'Whether the last refresh of the readings of all devices of the station succeeded (1) or not (0); without a station_id, whether stations could be discovered at all.',
    labelNames: ['station_id'],
  },
  {
    name: 'solar_collector_success',
    type: 'gauge',
    help: 'Whether the last round of the collector succeeded for all it asked about (1) or not (0).',
    labelNames: ['station_id', 'collector'],
  },
  {
    name: 'solar_collector_duration_seconds',
    type: 'gauge',
    help: 'How long the last round of the collector took, in seconds.',
    labelNames: ['station_id', 'collector'],
  },
  {
    name: 'solar_collector_last_success_timestamp_seconds',
    type: 'gauge',
    help: 'When a round of the collector last succeeded, in seconds since the Unix epoch; absent before the first.',
    labelNames: ['station_id', 'collector'],
  },
] as const satisfies readonly MetricDefinition[];

/** The session and the program. */
export const EXPORTER_METRICS = [
  {
    name: 'solar_token_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the access token expires, in seconds since the Unix epoch; absent when unknown.',
    labelNames: [],
  },
  {
    name: 'solar_reauthentication_required',
    type: 'gauge',
    help: 'Whether only new credentials can help (1) or the session is fine as far as known (0).',
    labelNames: [],
  },
  {
    name: 'solar_session_info',
    type: 'gauge',
    help: 'Always 1; how the session is kept alive: account (refreshes and logs in), refresh_token (refreshes only), access_token (cannot be renewed) or none.',
    labelNames: ['mode'],
  },
  {
    name: 'solar_login_blocked_until_timestamp_seconds',
    type: 'gauge',
    help: 'Until when no new token is asked for in place of a refused one, because the service refused the credentials or a fresh token, in seconds since the Unix epoch; absent while it does not refuse.',
    labelNames: [],
  },
  {
    name: 'solar_config_last_reload_successful',
    type: 'gauge',
    help: 'Whether the last attempt to take up a changed configuration, that of the web included, succeeded (1) or the one before goes on (0); 1 before the first.',
    labelNames: [],
  },
  {
    name: 'solar_exporter_build_info',
    type: 'gauge',
    help: 'Always 1; the version and revision of the exporter and the version of Node.js it runs on.',
    labelNames: ['version', 'revision', 'node_version'],
  },
] as const satisfies readonly MetricDefinition[];

/** What prom-client counts for us: see self.ts. */
export const COUNTED_METRICS = {
  requests: {
    name: 'solar_api_requests_total',
    type: 'counter',
    help: 'Requests to the service by operation and outcome: ok, or the code of the error.',
    labelNames: ['operation', 'outcome'],
  },
  requestDuration: {
    name: 'solar_api_request_duration_seconds',
    type: 'histogram',
    help: 'Duration of the requests to the service by operation, in seconds, failed ones included.',
    labelNames: ['operation'],
  },
  renewals: {
    name: 'solar_token_renewals_total',
    type: 'counter',
    help: 'Attempts to renew the token by method (refresh or login) and outcome: ok, or the code of the error.',
    labelNames: ['method', 'outcome'],
  },
} as const;

/** Every metric of ours that a page can show, in the order of the page. */
export const CATALOGUE: readonly {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}[] = [
  ...COLLECTION_METRICS,
  ...COLLECTOR_METRICS,
  ...EXPORTER_METRICS,
  ...Object.values(COUNTED_METRICS),
];
