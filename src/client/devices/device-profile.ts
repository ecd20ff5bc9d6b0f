import type { ServiceError } from '../../base/errors.ts';
import type { Quantity, Source } from '../../model/readings.ts';
import { leastOf } from '../../model/units.ts';
import {
  type AnswerContext,
  type DecodedAnswer,
  decoderOf,
  type DescribedDevice,
  type FieldSample,
  isComplete,
  isPart,
  missingQuantities,
  type RuleSet,
  type WordsByKey,
} from '../dialects/interpret.ts';
import { type Family, INTERFACE_QUANTITIES, ofHouse, recogniseFamily } from '../dialects/rules.ts';
import { NO_ENERGY_FLOW_CODE } from '../exchange/envelope.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { DeviceAnswer } from './device-samples.ts';

/** What is known of how a device sends its readings, so that one request reads it. */
export interface DeviceProfile {
  /** Absent for a family that has not been described. */
  readonly family?: Family | undefined;
  /** The family; else `own` where rules of the user explain every key, or `unknown`. */
  readonly familyName: string;
  readonly source: Source;
  /** The keys that the time series is asked for. */
  readonly keys: readonly string[];
  /** Unit tags by key, for answers that leave them out. */
  readonly tags: ReadonlyMap<string, string>;
  /** The words for the codes of a mode, for answers that leave them out. */
  readonly words: WordsByKey;
  /** Quantities of the specification that the source does not give. */
  readonly missing: readonly Quantity[];
  /** Keys that the device sends and that no rule reads. */
  readonly unknownKeys: readonly string[];
  /** The keys of the strings and phases that the device has: those that its answers have named. */
  readonly parts: Set<string>;
  /** What each of several such inverters says of the whole house. */
  readonly ofHouse: readonly Quantity[];
  /** Whether the service said that there will never be an energy flow for this model. */
  readonly hasNoEnergyFlow: boolean;
  /** Whether the time series has all specified keys, which are all that it is asked for. */
  readonly isInterface: boolean;
  /** The source that the device was read from until it began to fail; it may answer again. */
  readonly lostSource?: Source | undefined;
}

/** What tells of a device: the sources of its readings, and the catalogue of what its model may send. */
export type DeviceEndpoint = Source | 'attributes';

/** What an endpoint answered, or how it failed. */
export interface Answer extends DeviceAnswer {
  /** `ok`, `empty`, or the code of the error. */
  readonly outcome: string;
  readonly error?: ServiceError;
  /** What the time series was asked for. */
  readonly keys: readonly string[];
}

/**
 * What the endpoints have answered for a device; and what the time series has answered to the question for all keys
 * that the device was seen to have, which it may refuse: `wider`.
 */
export type Answers = Partial<Record<DeviceEndpoint | 'wider', Answer>>;

/** What follows from the answers so far. */
export interface Learnt {
  readonly answers: Answers;
  /** The previous one, where an endpoint failed for the moment and the new one is no better. */
  readonly profile: DeviceProfile;
  /** What the source of the profile has answered; absent where it was not asked. */
  readonly answer: Answer | undefined;
  /** What is asked next, and for which keys of the time series; absent when enough is known. */
  readonly next?: { readonly endpoint: DeviceEndpoint; readonly keys: readonly string[] };
  /** The answers, decoded for the profile's family; that of its source comes first. */
  readonly decoded: readonly [DecodedAnswer, ...DecodedAnswer[]];
  /** Whether an endpoint failed that may answer soon, and give another profile. */
  readonly isInconclusive: boolean;
}

/** More modes, more codes of one, and more strings and phases than any inverter has. */
export const MOST_PARTS = 500;

/**
 * Learns how to read a device. What is asked beside the time series of the first keys: the latest state; the
 * attribute catalogue where there is no state, or where it does not say how many strings there are; the energy flow
 * where quantities are still missing; and the time series of all keys that the device was seen to have.
 *
 * @param firstKeys - the keys that every device is asked for first.
 * @param previous - the profile that was learnt before.
 * @param isEveryKeyWanted - whether the numbers of all keys are wanted, also of those that no rule reads.
 */
export function learnFrom(
  answers: Answers,
  device: DescribedDevice,
  firstKeys: readonly string[],
  previous: DeviceProfile | undefined,
  rules: RuleSet,
  isEveryKeyWanted = false,
): Learnt {
  // What all answers say together.
  const { history: first, latest, attributes, flow, wider } = answers;
  const history = wider?.error === undefined ? (wider ?? first) : first;
  const others = [latest, attributes, flow];
  const [sent = [], catalogue = [], shown = []] = others.map((one) => one?.samples);
  const asked = history?.keys ?? previous?.keys ?? firstKeys;
  const series = history?.samples ?? [];
  const samples = [...series.filter(hasValue), ...sent, ...catalogue, ...shown];
  const names = new Set(samples.map(({ key }) => key));
  // A service that lacks the other endpoints speaks the specified dialect.
  const isAlone = others.every(
    (one) => one?.outcome === 'empty' || one?.outcome === 'SERVICE_REQUEST_REJECTED',
  );
  const family = isAlone ? 'classic' : recogniseFamily([...names]);
  const tags = new Map<string, string>();
  for (const { key, tag } of samples) if (tag !== undefined && !tags.has(key)) tags.set(key, tag);
  const decode = (
    of: readonly FieldSample[],
    source: Source,
    known?: Pick<AnswerContext, 'parts' | 'words'>,
  ): DecodedAnswer => decoderOf({ ...device, source, family, tags, ...known }, rules)(of);
  const all = decode(samples, 'history');
  // A second string is no specified key, and all others together are not the whole PV then.
  const specified = series.filter(({ key }) => firstKeys.includes(key));
  const hasStrings = all.fields.some(({ rule }) => rule?.reads === 'stringPowerWatts');
  const isInterface =
    family === 'classic' && !hasStrings && isComplete(decode(specified, 'history'));
  const read = all.fields.filter(({ rule }) => rule !== undefined && rule.reads !== 'nothing');
  const isRead = new Set(read.map(({ sample }) => sample.key));

  // Its strings and phases. What a key is a part of does not depend on where it was seen.
  const elsewhere = [decode(samples, 'latest'), decode(samples, 'flow')];
  const fields = [all, ...elsewhere].flatMap((answer) => answer.fields);
  const partReads = new Map(
    fields.flatMap(({ sample, rule }) => (isPart(rule) ? [[sample.key, rule?.reads]] : [])),
  );
  const isSummed = fields.some(({ rule, sample }) => rule?.reads === 'pvPowerWatts' && sample.text);
  const hasStringsOnly = !isSummed && [...partReads.values()].includes('stringPowerWatts');
  const lowerNames = new Set([...names].map((name) => name.toLowerCase()));
  const unnamed = (hasStringsOnly ? rules.stringKeysOf(family) : []).filter(
    (key) => !lowerNames.has(key.toLowerCase()),
  );
  // A catalogue that lacks an earlier part says that the device has lost it.
  const listed = new Set(catalogue.map(({ key }) => key));
  const earlier = [...(previous?.parts ?? [])].filter(
    (key) => listed.size === 0 || listed.has(key),
  );

  // What is asked next.
  const isInconclusive = Object.values(answers).some(({ error }) => mayAnswerSoon(error));
  const lostSource = previous?.lostSource ?? previous?.source;
  const failure = lostSource && answers[lostSource]?.error;
  const isSourceRefused = isFinalRefusal(failure) && !isForever(failure);
  const isDescribed = others.some((one) => (one?.samples.length ?? 0) > 0) && isRead.size > 0;
  // Without a catalogue no list of the device is complete: no string that may be there is left out of the question.
  const guessed = listed.size === 0 ? unnamed : [];
  const described = isDescribed ? [...new Set([...isRead, ...earlier, ...guessed])] : firstKeys;
  const readKeys = isInterface ? firstKeys : described;
  const wanted = isEveryKeyWanted ? [...new Set([...readKeys, ...names])] : readKeys;
  const hasNoEnergyFlow = previous?.hasNoEnergyFlow === true || isForever(flow?.error);
  const question = (): DeviceEndpoint | undefined => {
    // Without the source that it is read from there is no reading.
    if (previous !== undefined && answers[previous.source] === undefined) return previous.source;
    if (history === undefined) return 'history';
    if (latest === undefined) return 'latest';
    const isAllAsked = wanted.every((key) => asked.includes(key));
    const more = wider === undefined && !isAllAsked ? 'history' : undefined;
    if (isInterface) return isEveryKeyWanted ? more : undefined;
    if (attributes === undefined && sent.length === 0) return 'attributes';
    const isMissing = missingQuantities(all.measurements).length > 0;
    if (flow === undefined && isMissing && !hasNoEnergyFlow) return 'flow';
    if (attributes === undefined && unnamed.length > 0) return 'attributes';
    return more;
  };
  const endpoint = question();

  // How the device is read.
  const keys = endpoint === undefined && wider?.error === undefined ? wanted : asked;
  const seriesOfKeys = series.filter(({ key }) => keys.includes(key));
  const sentReads = new Set([...sent, ...shown].map(({ key }) => partReads.get(key)));
  // A string may sleep, and be left out of all answers. A phase does not sleep: where the device sends
  // one phase and leaves another out, the catalogue is that of a model with more phases.
  const present = catalogue.filter(({ key }) => {
    const reads = partReads.get(key);
    return reads === 'stringPowerWatts' || !sentReads.has(reads);
  });
  const naming = [...sent, ...shown, ...present, ...seriesOfKeys.filter(hasValue)];
  const named = naming.map(({ key }) => key).filter((key) => partReads.has(key));
  const parts = new Set([...named, ...earlier]);
  const words = new Map([...(previous?.words ?? [])].slice(-MOST_PARTS));
  for (const { sample, rule } of all.fields)
    if (rule?.reads === 'workingMode' && sample.words !== undefined) {
      const codes = [...(words.get(sample.key) ?? []), ...sample.words];
      words.set(sample.key, new Map(codes.slice(-MOST_PARTS)));
    }
  const decoded = [
    decode(seriesOfKeys, 'history', { parts, words }),
    decode(sent, 'latest', { parts, words }),
    decode(shown, 'flow', { parts, words }),
  ] as const;
  const byNumbers = (one: DecodedAnswer, other: DecodedAnswer): number =>
    isEveryKeyWanted ? numbersIn(other) - numbersIn(one) : 0;
  const [best = decoded[0], ...rest] = isInterface
    ? decoded
    : decoded.toSorted((one, other) => byWorth(one, other) || byNumbers(one, other));
  const { source } = best;
  // A key without a value in this hour's time series may have one later, so it is not missing.
  const measured = (source === 'history' ? decoded : [best]).flatMap((one) => one.measurements);
  const missing = missingQuantities(measured);
  const unread = all.fields.filter(({ rule }) => rule === undefined && !isInterface);
  const isOwn = unread.length === 0 && read.some(({ rule }) => rule?.confidence === 'user');
  const familyName = family ?? (isOwn ? 'own' : 'unknown');
  const kept =
    isInconclusive && !isSourceRefused && (previous?.missing.length ?? Infinity) <= missing.length
      ? previous
      : undefined;
  const ofSeries = kept === undefined ? history : first;
  const used = kept?.source ?? source;
  return {
    answers,
    answer: used === 'history' ? ofSeries : answers[used],
    profile:
      kept !== undefined
        ? { ...kept, hasNoEnergyFlow }
        : {
            ...{
              family,
              familyName,
              source,
              keys,
              words,
              missing,
              parts,
              ofHouse: family === undefined ? [] : ofHouse(family),
              hasNoEnergyFlow,
              isInterface,
            },
            tags: new Map([...tags].filter(([key]) => isEveryKeyWanted || isRead.has(key))),
            unknownKeys: [...new Set(unread.map(({ sample }) => sample.key))],
            lostSource: failure && !isForever(failure) ? lostSource : undefined,
          },
    ...(endpoint && { next: { endpoint, keys: history === undefined ? asked : wanted } }),
    decoded: [best, ...rest],
    isInconclusive,
  };
}

/** Whether the service will never answer this question for the device. */
function isForever(error: ServiceError | undefined): boolean {
  return error?.serviceCode === NO_ENERGY_FLOW_CODE;
}

/** Whether the same question may be answered soon. A broken answer may be a maintenance page. */
function mayAnswerSoon(error: ServiceError | undefined): boolean {
  if (error === undefined) return false;
  return !isFinalRefusal(error) || error.code === 'SERVICE_PAYLOAD_INVALID';
}

/** The ages of two answers may differ by this much and count as the same. A reading takes 5 minutes. */
const SAME_AGE_MS = 60_000;

/**
 * Sorts the answer first that misses fewest specified quantities; of several, the freshest one; then the one
 * with most measurements. Keys that end in nulls would mix power flows of different times (service.md#time-series).
 */
function byWorth(one: DecodedAnswer, other: DecodedAnswer): number {
  const missing = (answer: DecodedAnswer): number => missingQuantities(answer.measurements).length;
  const fresherByMs = oldestAtMs(other) - oldestAtMs(one);
  return (
    missing(one) - missing(other) ||
    (Math.abs(fresherByMs) > SAME_AGE_MS ? fresherByMs : 0) ||
    other.measurements.length - one.measurements.length
  );
}

function numbersIn({ fields }: DecodedAnswer): number {
  return fields.filter(({ sample }) => sample.number !== undefined).length;
}

/** Returns when the oldest of the specified quantities was measured. */
function oldestAtMs({ measurements }: DecodedAnswer): number {
  const dated = measurements.filter(({ quantity }) => INTERFACE_QUANTITIES.includes(quantity));
  return leastOf(dated.map(({ measuredAtMs = Infinity }) => measuredAtMs));
}

function hasValue({ text }: FieldSample): boolean {
  return text !== undefined;
}
