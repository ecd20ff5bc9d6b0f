import type { ServiceError } from '../../base/errors.ts';
import type { Quantity, Source } from '../../model/readings.ts';
import { leastOf } from '../../model/units.ts';
import {
  type DecodedAnswer,
  decoderOf,
  type DescribedDevice,
  type Field,
  type FieldSample,
  isComplete,
  isPart,
  missingQuantities,
  type RuleSet,
  type WordsByKey,
} from '../dialects/interpret.ts';
import {
  type Family,
  type FieldRule,
  INTERFACE_QUANTITIES,
  ofHouse,
  recogniseFamily,
} from '../dialects/rules.ts';
import { NO_ENERGY_FLOW_CODE } from '../exchange/envelope.ts';
import { isFinalRefusal } from '../exchange/retry.ts';
import type { DeviceAnswer } from './device-samples.ts';

/** How a device sends its readings, so that one request can read it. */
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
  /** The quantities that each of several such inverters sends for the whole house. */
  readonly ofHouse: readonly Quantity[];
  /** Whether the service said that there will never be an energy flow for this model. */
  readonly hasNoEnergyFlow: boolean;
  /** Whether the time series has all specified keys; it is then asked for these keys only. */
  readonly isInterface: boolean;
  /** The source that the device was read from until it began to fail; it may answer again. */
  readonly lostSource?: Source | undefined;
}

/** The endpoints that describe a device: the sources of its readings, and the catalogue of what its model may send. */
export type DeviceEndpoint = Source | 'attributes';

/** What an endpoint answered, or how it failed. */
export interface Answer extends DeviceAnswer {
  /** `ok`, `empty`, or the code of the error. */
  readonly outcome: string;
  readonly error?: ServiceError;
  /** The keys that the time series was asked for. */
  readonly keys: readonly string[];
}

/**
 * The answers of the endpoints for a device. `allKeys` is the time series of all keys that the device was seen to have;
 * the service may refuse that request.
 */
export type Answers = Partial<Record<DeviceEndpoint | 'allKeys', Answer>>;

/** The input of learning: the answers so far, and what was known before. */
export interface Learning {
  readonly answers: Answers;
  readonly device: DescribedDevice;
  /** The keys that every device is asked for first. */
  readonly firstKeys: readonly string[];
  /** The profile that was learnt before. */
  readonly previous: DeviceProfile | undefined;
  readonly rules: RuleSet;
  /** Whether the numbers of all keys are wanted, also of those that no rule reads. */
  readonly isEveryKeyWanted: boolean;
}

/** What all answers together say about the device. */
interface Seen {
  /** The answer of the time series that counts. */
  readonly history: Answer | undefined;
  /** The keys that any answer has. */
  readonly names: ReadonlySet<string>;
  readonly tags: ReadonlyMap<string, string>;
  readonly family: Family | undefined;
  /** All samples, decoded as one answer. */
  readonly all: DecodedAnswer;
  /** The fields of `all` that a rule reads, and their keys. */
  readonly read: readonly Field[];
  readonly readKeys: ReadonlySet<string>;
  /** Whether the time series has all specified keys, which are all that the device has. */
  readonly isInterface: boolean;
  /** What is read by each key of a string or a phase. */
  readonly partReads: ReadonlyMap<string, FieldRule['reads'] | undefined>;
  /** The keys of strings that the family has and that no answer names, where their sum is not sent. */
  readonly unnamedStrings: readonly string[];
  /** The strings and phases of the previous profile, without those that a catalogue lacks. */
  readonly earlierParts: readonly string[];
  /** The keys that the time series is to be asked for. */
  readonly wanted: readonly string[];
  /** Whether the service will never have an energy flow for the device. */
  readonly hasNoEnergyFlow: boolean;
}

/** How a device is read, and the answers that show it. */
export interface Learnt {
  readonly answers: Answers;
  /** The new profile; the previous one where an endpoint failed temporarily and the new one is no better. */
  readonly profile: DeviceProfile;
  /** The answer of the profile's source; absent where it was not asked. */
  readonly answer: Answer | undefined;
  /** The answers, decoded for the profile's family; that of its source comes first. */
  readonly decoded: readonly [DecodedAnswer, ...DecodedAnswer[]];
  /** Whether an endpoint failed that may answer soon, so that another profile results. */
  readonly isInconclusive: boolean;
}

/** The next request: its endpoint, and the keys for a time series. */
interface NextQuestion {
  readonly endpoint: DeviceEndpoint;
  readonly keys: readonly string[];
}

/** The most modes, codes of a mode, and strings and phases that are kept: more than any inverter has. */
export const MOST_PARTS = 500;

/**
 * Learns how to read a device. Besides the time series of the first keys, it needs the latest state; the attribute
 * catalogue where there is no state, or where the state does not say how many strings there are; the energy flow
 * where quantities are still missing; and the time series of all keys that the device was seen to have.
 *
 * @returns the next request; or how the device is read, where enough is known.
 */
export function learnFrom(learning: Learning): { next: NextQuestion } | { learnt: Learnt } {
  const seen = seenIn(learning);
  const next = nextQuestion(learning, seen);
  return next === undefined ? { learnt: learntFrom(learning, seen) } : { next };
}

function seenIn({ answers, device, firstKeys, previous, rules, isEveryKeyWanted }: Learning): Seen {
  const { history: first, latest, attributes, flow, allKeys } = answers;
  const history = allKeys?.error === undefined ? (allKeys ?? first) : first;
  const others = [latest, attributes, flow];
  const series = history?.samples ?? [];
  const catalogue = attributes?.samples ?? [];
  const samples = [...series.filter(hasValue), ...others.flatMap((one) => one?.samples ?? [])];
  const names = new Set(samples.map(({ key }) => key));
  // A service that lacks the other endpoints uses the specified dialect, and so does a device that sends nothing.
  const isAlone =
    names.size === 0 ||
    others.every((one) => one?.outcome === 'empty' || one?.outcome === 'SERVICE_REQUEST_REJECTED');
  const family = isAlone ? 'classic' : recogniseFamily([...names]);
  const tags = new Map<string, string>();
  for (const { key, tag } of samples) if (tag !== undefined && !tags.has(key)) tags.set(key, tag);
  const decode = (of: readonly FieldSample[], source: Source): DecodedAnswer =>
    decoderOf({ ...device, source, family, tags }, rules)(of);
  const all = decode(samples, 'history');
  const read = all.fields.filter(({ rule }) => rule !== undefined && rule.reads !== 'nothing');
  const readKeys = new Set(read.map(({ sample }) => sample.key));
  // Strings have no specified keys, so the specified keys do not give the whole PV of a device with strings.
  const specified = series.filter(({ key }) => firstKeys.includes(key));
  const hasStrings = all.fields.some(({ rule }) => rule?.reads === 'stringPowerWatts');
  const isInterface =
    family === 'classic' && !hasStrings && isComplete(decode(specified, 'history'));

  // Whether a key is a part does not depend on the source where it was seen.
  const elsewhere = [decode(samples, 'latest'), decode(samples, 'flow')];
  const fields = [all, ...elsewhere].flatMap((answer) => answer.fields);
  const partReads = new Map(
    fields.flatMap(({ sample, rule }) => (isPart(rule) ? [[sample.key, rule?.reads]] : [])),
  );
  const isSummed = fields.some(({ rule, sample }) => rule?.reads === 'pvPowerWatts' && sample.text);
  const hasStringsOnly = !isSummed && [...partReads.values()].includes('stringPowerWatts');
  const lowerNames = new Set([...names].map((name) => name.toLowerCase()));
  const unnamedStrings = (hasStringsOnly ? rules.stringKeysOf(family) : []).filter(
    (key) => !lowerNames.has(key.toLowerCase()),
  );
  // A catalogue that lacks an earlier part means that the device no longer has it.
  const listed = new Set(catalogue.map(({ key }) => key));
  const earlierParts = [...(previous?.parts ?? [])].filter(
    (key) => listed.size === 0 || listed.has(key),
  );

  const isDescribed = others.some((one) => (one?.samples.length ?? 0) > 0) && readKeys.size > 0;
  // Without a catalogue, no list of keys is complete, so the request includes every string that may exist.
  const guessed = listed.size === 0 ? unnamedStrings : [];
  const described = isDescribed
    ? [...new Set([...readKeys, ...earlierParts, ...guessed])]
    : firstKeys;
  const needed = isInterface ? firstKeys : described;
  return {
    history,
    names,
    tags,
    family,
    all,
    read,
    readKeys,
    isInterface,
    partReads,
    unnamedStrings,
    earlierParts,
    wanted: isEveryKeyWanted ? [...new Set([...needed, ...names])] : needed,
    hasNoEnergyFlow: previous?.hasNoEnergyFlow === true || isForever(flow?.error),
  };
}

function nextQuestion(
  { answers, firstKeys, previous, isEveryKeyWanted }: Learning,
  { history, all, isInterface, unnamedStrings, wanted, hasNoEnergyFlow }: Seen,
): NextQuestion | undefined {
  const { latest, attributes, flow, allKeys } = answers;
  const asked = history?.keys ?? previous?.keys ?? firstKeys;
  const ask = (endpoint: DeviceEndpoint): NextQuestion => ({
    endpoint,
    keys: history === undefined ? asked : wanted,
  });
  // The previous source comes first, because it gives the reading.
  if (previous !== undefined && answers[previous.source] === undefined) return ask(previous.source);
  if (history === undefined) return ask('history');
  if (latest === undefined) return ask('latest');
  const isAllAsked = wanted.every((key) => asked.includes(key));
  const more = allKeys === undefined && !isAllAsked ? ask('history') : undefined;
  if (isInterface) return isEveryKeyWanted ? more : undefined;
  if (attributes === undefined && latest.samples.length === 0) return ask('attributes');
  const isMissing = missingQuantities(all.measurements).length > 0;
  if (flow === undefined && isMissing && !hasNoEnergyFlow) return ask('flow');
  if (attributes === undefined && unnamedStrings.length > 0) return ask('attributes');
  return more;
}

function learntFrom(
  { answers, device, firstKeys, previous, rules, isEveryKeyWanted }: Learning,
  { history, tags, family, all, read, readKeys, isInterface, partReads, ...seen }: Seen,
): Learnt {
  const { history: first, latest, attributes, flow, allKeys } = answers;
  const [sent = [], catalogue = [], shown = []] = [latest, attributes, flow].map(
    (one) => one?.samples,
  );
  const asked = history?.keys ?? previous?.keys ?? firstKeys;
  const keys = allKeys?.error === undefined ? seen.wanted : asked;
  const series = (history?.samples ?? []).filter(({ key }) => keys.includes(key));
  const sentReads = new Set([...sent, ...shown].map(({ key }) => partReads.get(key)));
  // A string may sleep, and be left out of all answers. A phase does not sleep: where the device sends
  // one phase and leaves another out, the catalogue is that of a model with more phases.
  const present = catalogue.filter(({ key }) => {
    const reads = partReads.get(key);
    return reads === 'stringPowerWatts' || !sentReads.has(reads);
  });
  const naming = [...sent, ...shown, ...present, ...series.filter(hasValue)];
  const named = naming.map(({ key }) => key).filter((key) => partReads.has(key));
  const parts = new Set([...named, ...seen.earlierParts]);
  const words = new Map([...(previous?.words ?? [])].slice(-MOST_PARTS));
  for (const { sample, rule } of all.fields)
    if (rule?.reads === 'workingMode' && sample.words !== undefined) {
      const codes = [...(words.get(sample.key) ?? []), ...sample.words];
      words.set(sample.key, new Map(codes.slice(-MOST_PARTS)));
    }

  // Choose the source that the device is read from.
  const decode = (of: readonly FieldSample[], source: Source): DecodedAnswer =>
    decoderOf({ ...device, source, family, tags, parts, words }, rules)(of);
  const decoded = [
    decode(series, 'history'),
    decode(sent, 'latest'),
    decode(shown, 'flow'),
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

  // Decide whether the previous profile stays in use.
  const isInconclusive = Object.values(answers).some(({ error }) => mayAnswerSoon(error));
  const lostSource = previous?.lostSource ?? previous?.source;
  const failure = lostSource && answers[lostSource]?.error;
  const isSourceRefused = isFinalRefusal(failure) && !isForever(failure);
  const isNoBetter = (previous?.missing.length ?? Infinity) <= missing.length;
  const kept = isInconclusive && !isSourceRefused && isNoBetter ? previous : undefined;
  // A source that fails, or has nothing any more, may answer again.
  const isEmptied =
    lostSource !== undefined && lostSource !== source && answers[lostSource]?.outcome === 'empty';
  const isLost = isEmptied || (failure !== undefined && !isForever(failure));
  const { hasNoEnergyFlow } = seen;
  const profile: DeviceProfile = kept
    ? { ...kept, hasNoEnergyFlow }
    : {
        family,
        source,
        keys,
        words,
        missing,
        parts,
        hasNoEnergyFlow,
        isInterface,
        familyName: family ?? (isOwn ? 'own' : 'unknown'),
        ofHouse: family === undefined ? [] : ofHouse(family),
        tags: new Map([...tags].filter(([key]) => isEveryKeyWanted || readKeys.has(key))),
        unknownKeys: [...new Set(unread.map(({ sample }) => sample.key))],
        lostSource: isLost ? lostSource : undefined,
      };
  const ofSeries = kept === undefined ? history : first;
  const answer = profile.source === 'history' ? ofSeries : answers[profile.source];
  return { answers, answer, profile, decoded: [best, ...rest], isInconclusive };
}

/** Whether the service will never answer this question for the device. */
function isForever(error: ServiceError | undefined): boolean {
  return error?.serviceCode === NO_ENERGY_FLOW_CODE;
}

/** Whether the same request may succeed soon. A broken answer may be a maintenance page. */
function mayAnswerSoon(error: ServiceError | undefined): boolean {
  if (error === undefined) return false;
  return !isFinalRefusal(error) || error.code === 'SERVICE_PAYLOAD_INVALID';
}

/** Ages that differ by no more than this count as the same. Devices send a reading every 5 minutes. */
const SAME_AGE_MS = 60_000;

/**
 * Sorts answers: first by the fewest missing specified quantities, then by freshness, then by the most measurements.
 * Freshness counts, because keys that end in nulls would mix power flows of different times (service.md#time-series).
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
