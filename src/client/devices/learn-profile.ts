import { ServiceError } from '../../base/errors.ts';
import type { Source } from '../../model/readings.ts';
import type { Alarm } from '../../model/station.ts';
import type { DecodedAnswer, FieldSample, RuleSet } from '../dialects/interpret.ts';
import { NO_ENERGY_FLOW_CODE } from '../exchange/decode.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { DeviceEndpoints, DeviceQuery, RecentSeries } from './device-endpoints.ts';
import type { Learnt } from './device-memory.ts';
import {
  chooseSource,
  mergedWords,
  describeDevice,
  type DeviceDescription,
  type DeviceProfile,
} from './device-profile.ts';
import { earlierParts, namedParts, unnamedStrings } from './parts.ts';
import { liveOf } from './series.ts';

/** A learnt profile, and everything that was seen while learning it. */
export interface ProfileResult extends Learnt {
  /** The answers, decoded for the profile's family; that of the chosen source comes first. */
  readonly answers: readonly [DecodedAnswer, ...DecodedAnswer[]];
  readonly probes: readonly ProbeResult[];
  readonly latest: ProbeResult;
  /** The time series of the keys of the profile; absent where the first keys are all of them. */
  readonly recent?: RecentSeries | undefined;
}

export interface LearnOptions {
  readonly endpoints: DeviceEndpoints;
  readonly rules: RuleSet;
  /** The keys that every device is asked for first. */
  readonly firstKeys: readonly string[];
}

/** The endpoint of each source, apart from the time series. */
const ENDPOINT_OF: Partial<Record<Source, ProbedEndpoint>> = {
  latest: 'latest-state',
  flow: 'energy-flow',
};

/** Outcomes that took as long as a request may take. */
const HANGING: ReadonlySet<string> = new Set(['SERVICE_TIMEOUT', 'SERVICE_UNREACHABLE']);

/**
 * Learns how to read a device. Starts from the answer to its first keys and asks for the latest state;
 * for the attribute catalogue where there is no state, or where it does not say how many strings there are;
 * for the energy flow where quantities are still missing; and finally for the time series of all keys that
 * the device was seen to have.
 *
 * @param first - the samples of the first keys.
 * @param previous - the profile that was learnt before.
 * @param asked - the latest state, where it has been asked already.
 */
export async function learnProfile(
  device: DeviceQuery,
  first: readonly FieldSample[],
  { endpoints, rules, firstKeys }: LearnOptions,
  previous: DeviceProfile | undefined,
  asked: readonly ProbeResult[] = [],
): Promise<ProfileResult> {
  const probes = [...asked];
  const ask = async (endpoint: ProbedEndpoint, keys: readonly string[] = []) => {
    const result = await probeEndpoint(endpoint, device, endpoints, keys);
    probes.push(result);
    return result;
  };
  const latest = asked[0] ?? (await ask('latest-state'));
  // The other endpoints may hang as well, and the first reading waits for all of them.
  const isMoreAsked = previous !== undefined || !HANGING.has(latest.outcome);
  if (latest.samples.length === 0 && isMoreAsked) await ask('attributes');
  const describeAll = () => describe(first, probes, device, rules);
  let description = describeAll();
  let hasNoEnergyFlow = previous?.hasNoEnergyFlow ?? false;
  if (description.missing.length > 0 && !hasNoEnergyFlow && isMoreAsked) {
    hasNoEnergyFlow = isForever((await ask('energy-flow')).error);
    description = describeAll();
  }
  const context = () => ({ ...device, source: 'history', family: description.family }) as const;
  const answered = first.filter(({ text }) => text !== undefined);
  const unnamed = () =>
    unnamedStrings([...answered, ...probes.flatMap(({ samples }) => samples)], context(), rules);
  const isCatalogueAsked = probes.some(({ endpoint }) => endpoint === 'attributes');
  if (isMoreAsked && !isCatalogueAsked && unnamed().length > 0) {
    await ask('attributes');
    description = describeAll();
  }
  // A device that answered none of these is asked for the first keys again.
  const isDescribed =
    probes.some(({ samples }) => samples.length > 0) && description.keys.length > 0;
  const catalogue = catalogueOf(probes);
  const earlier = earlierParts(previous?.parts, catalogue);
  // Nothing that may be there is left out of the question while no list of the device is complete.
  const guessed = catalogue === undefined ? unnamed() : [];
  const wanted = isDescribed
    ? [...new Set([...description.keys, ...earlier, ...guessed])]
    : firstKeys;
  const isAllAsked = wanted.every((key) => firstKeys.includes(key));
  const more = isAllAsked ? undefined : await ask('history', wanted);
  // Where the service refuses the longer list of keys, the shorter one is kept.
  const isRefused = more !== undefined && more.outcome !== 'ok';
  const history = isRefused ? first : (more?.samples ?? first);
  const sent = [...latest.samples, ...samplesOf('energy-flow', probes)];
  const named = namedParts(sent, history, catalogue, context(), rules);
  const parts = new Set([...named, ...earlier]);
  const keys = isRefused ? firstKeys : wanted;
  const { answers, ...chosen } = chooseSource(description, device, parts, rules, {
    history: history.filter(({ key }) => keys.includes(key)),
    latest: latest.samples,
    flow: samplesOf('energy-flow', probes),
  });
  const lost = lostProbe(previous, probes);
  return {
    profile: {
      ...description,
      ...chosen,
      keys,
      words: mergedWords(previous?.words, description.words),
      parts,
      hasNoEnergyFlow,
      isInterface: false,
      lostEndpoint: lost?.endpoint,
    },
    answers,
    probes,
    latest,
    recent: more?.recent,
    isInconclusive: probes.some(({ error }) => error !== undefined && mayAnswerSoon(error)),
    isEndpointRefused: lost !== undefined && isFinalRefusal(lost.error),
  };
}

function describe(
  first: readonly FieldSample[],
  probes: readonly ProbeResult[],
  device: DeviceQuery,
  rules: RuleSet,
): DeviceDescription {
  const answered = first.filter(({ text }) => text !== undefined);
  const offered = probes.flatMap(({ samples }) => samples);
  // A service that lacks the other endpoints speaks the interface's own dialect.
  const isClassic = probes.every(
    ({ outcome }) => outcome === 'empty' || outcome === 'SERVICE_REQUEST_REJECTED',
  );
  return describeDevice([...answered, ...offered], device, isClassic, rules);
}

/** Returns the failed probe of the endpoint that the device was read from before. */
function lostProbe(
  previous: DeviceProfile | undefined,
  probes: readonly ProbeResult[],
): ProbeResult | undefined {
  if (previous === undefined) return undefined;
  const lost = previous.lostEndpoint ?? ENDPOINT_OF[previous.source];
  return probes.find(
    ({ endpoint, error }) => endpoint === lost && error !== undefined && !isForever(error),
  );
}

/** Returns the attribute catalogue; absent where the service has none for the device. */
function catalogueOf(probes: readonly ProbeResult[]): readonly FieldSample[] | undefined {
  const samples = samplesOf('attributes', probes);
  return samples.length === 0 ? undefined : samples;
}

function samplesOf(
  endpoint: ProbedEndpoint,
  probes: readonly ProbeResult[],
): readonly FieldSample[] {
  return probes.find((result) => result.endpoint === endpoint)?.samples ?? [];
}

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
