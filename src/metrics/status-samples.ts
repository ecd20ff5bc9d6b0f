import type { SessionStatus } from '../client/session-status.ts';
import type { StationStatus } from '../collectors/station-collection.ts';
import type { Sample } from '../collectors/metric.ts';

/** What `solar_exporter_build_info` says. */
export interface BuildInfo {
  readonly version: string;
  readonly revision: string;
  readonly nodeVersion: string;
}

/**
 * How every station and its collectors are doing. The account itself is up or down only as long as no
 * station of it is known.
 */
export function* collectionSamples(statuses: readonly StationStatus[]): Generator<Sample> {
  const isAnyStationKnown = statuses.some(({ stationId }) => stationId !== undefined);
  for (const { stationId, isUp, outcomes } of statuses) {
    if (stationId !== undefined || !isAnyStationKnown)
      yield { name: 'solar_up', labels: { station_id: stationId }, value: Number(isUp) };
    for (const { collector, isSuccess, durationSeconds, lastSuccessAtMs } of outcomes) {
      const labels = { station_id: stationId, collector };
      yield { name: 'solar_collector_success', labels, value: Number(isSuccess) };
      yield { name: 'solar_collector_duration_seconds', labels, value: durationSeconds };
      if (lastSuccessAtMs !== undefined)
        yield {
          name: 'solar_collector_last_success_timestamp_seconds',
          labels,
          value: lastSuccessAtMs / 1000,
        };
    }
  }
}

/** The session and the program itself. */
export function* exporterSamples(
  session: SessionStatus,
  isLastReloadSuccessful: boolean,
  build: BuildInfo,
): Generator<Sample> {
  if (session.accessExpiresAtMs !== undefined)
    yield {
      name: 'solar_token_expiry_timestamp_seconds',
      labels: {},
      value: session.accessExpiresAtMs / 1000,
    };
  yield {
    name: 'solar_reauthentication_required',
    labels: {},
    value: Number(session.isReauthenticationRequired),
  };
  yield { name: 'solar_session_info', labels: { mode: session.mode }, value: 1 };
  if (session.blockedUntilMs !== undefined)
    yield {
      name: 'solar_login_blocked_until_timestamp_seconds',
      labels: {},
      value: session.blockedUntilMs / 1000,
    };
  yield {
    name: 'solar_config_last_reload_successful',
    labels: {},
    value: Number(isLastReloadSuccessful),
  };
  yield {
    name: 'solar_exporter_build_info',
    labels: {
      version: build.version,
      revision: build.revision,
      node_version: build.nodeVersion,
    },
    value: 1,
  };
}
