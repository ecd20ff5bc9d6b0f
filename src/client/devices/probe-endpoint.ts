import { ServiceError } from '../../base/errors.ts';
import type { Alarm } from '../../model/station.ts';
import type { FieldSample } from '../dialects/field-sample.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import { NO_ENERGY_FLOW_CODE } from '../exchange/decode.ts';
import type { DeviceEndpoints, DeviceQuery, RecentSeries } from './device-endpoints.ts';
import { liveOf } from './series.ts';

/** The endpoints that are asked while a profile is learnt, after the first keys of the time series. */
export type ProbedEndpoint = 'latest-state' | 'attributes' | 'energy-flow' | 'history';

/** What one of these endpoints answered, or the error that it failed with. */
export interface ProbeResult {
  readonly endpoint: ProbedEndpoint;
  /** `ok`, `empty`, or the code of the error. */
  readonly outcome: string;
  readonly samples: readonly FieldSample[];
  readonly firingAlarms: readonly Alarm[];
  /** The time of a latest state by the service's clock; other endpoints date each sample. */
  readonly measuredAtMs?: number | undefined;
  /** The answer of the time series. */
  readonly recent?: RecentSeries;
  readonly error?: ServiceError;
}

/**
 * Asks one endpoint. A failure becomes part of the result, because it must not fail the reading.
 *
 * @param keys - the keys that the time series is asked for.
 */
export async function probeEndpoint(
  endpoint: ProbedEndpoint,
  device: DeviceQuery,
  endpoints: DeviceEndpoints,
  keys: readonly string[],
): Promise<ProbeResult> {
  const optional = endpoints.asOptional();
  const none = { samples: [], firingAlarms: [] };
  const ask = async (): Promise<Omit<ProbeResult, 'endpoint' | 'outcome'>> => {
    switch (endpoint) {
      case 'latest-state':
        return optional.latestState(device);
      case 'attributes':
        return { ...none, samples: await optional.attributes(device) };
      case 'energy-flow':
        return { ...none, samples: await optional.energyFlow(device) };
      case 'history': {
        const recent = await endpoints.history(device, keys);
        const { samples } = liveOf(recent.series, keys, recent.liveFromMs);
        return { ...none, samples, recent };
      }
    }
  };
  try {
    const answer = await ask();
    return { endpoint, outcome: answer.samples.length === 0 ? 'empty' : 'ok', ...answer };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { endpoint, outcome: error.code, ...none, error };
  }
}

/** Whether the service will never answer this question for the device. */
export function isForever(error: ServiceError | undefined): boolean {
  return error?.serviceCode === NO_ENERGY_FLOW_CODE;
}

/** Whether the same question may be answered soon. A broken answer may be a maintenance page. */
export function mayAnswerSoon(error: ServiceError): boolean {
  return !isFinalRefusal(error) || error.code === 'SERVICE_PAYLOAD_INVALID';
}
