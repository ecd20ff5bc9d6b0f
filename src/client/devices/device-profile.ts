import { leastOf } from '../../model/units.ts';
import type { Measurement, Quantity, Source, SpokenDialect } from '../../model/readings.ts';
import {
  decodeAnswer,
  type DecodedAnswer,
  type DescribedDevice,
  type FieldSample,
  type RuleSet,
  type WordsByKey,
} from '../dialects/interpret.ts';
import { type Family, INTERFACE_QUANTITIES, recogniseFamily } from '../dialects/rules.ts';
import type { ProbedEndpoint } from './learn-profile.ts';

/** What is known of how a device sends its readings, so that one request reads it. */
export interface DeviceProfile {
  /** Absent for a family that has not been described. */
  readonly family: Family | undefined;
  readonly source: Source;
  /** The keys that the time series is asked for. */
  readonly keys: readonly string[];
  /** Unit tags by key, for answers that leave them out. */
  readonly tags: ReadonlyMap<string, string>;
  /** The words for the codes of a mode, for answers that leave them out. */
  readonly words: WordsByKey;
  /** Quantities of the interface that the source does not give. */
  readonly missing: readonly Quantity[];
  /** Keys that the device sends and that no rule reads. */
  readonly unknownKeys: readonly string[];
  /** The keys of the strings and phases that the device has: those that its answers have named. */
  readonly parts: Set<string>;
  /** Whether the service said that there will never be an energy flow for this model. */
  readonly hasNoEnergyFlow: boolean;
  /** Whether the device has all keys of the interface, which are all that it is asked for. */
  readonly isInterface: boolean;
  /** The endpoint that the device was read from until it began to fail; it may answer again. */
  readonly lostEndpoint?: ProbedEndpoint | undefined;
}

/** The dialect of a device that has all keys of the interface. */
const INTERFACE_DIALECT: SpokenDialect = {
  family: 'classic',
  source: 'history',
  missing: [],
  unknownKeys: [],
};

/** Returns the profile of a device that has all keys of the interface, in these units. */
export function interfaceProfile(
  keys: readonly string[],
  tags: ReadonlyMap<string, string>,
): DeviceProfile {
  const nothing = { words: new Map(), parts: new Set<string>(), hasNoEnergyFlow: false };
  return {
    ...{ family: 'classic', source: 'history', missing: [], unknownKeys: [] },
    ...{ keys, tags, ...nothing, isInterface: true },
  };
}

/** Returns what reports say of the dialect of a device. */
export function dialectOf(profile: DeviceProfile): SpokenDialect {
  if (profile.isInterface) return INTERFACE_DIALECT;
  const { family, source, missing, unknownKeys } = profile;
  return { family: family ?? 'unknown', source, missing, unknownKeys };
}

/** The part of a profile that follows from the keys and the units of a device. */
export type DeviceDescription = Pick<
  DeviceProfile,
  'family' | 'keys' | 'tags' | 'words' | 'missing' | 'unknownKeys'
>;

/**
 * Describes a device by all samples of it: its family, the units of its keys, and the quantities that
 * its keys give together.
 *
 * @param isClassic - whether only the interface's own endpoint answers, which makes the family classic.
 */
export function describeDevice(
  samples: readonly FieldSample[],
  device: DescribedDevice,
  isClassic: boolean,
  rules: RuleSet,
): DeviceDescription {
  const names = [...new Set(samples.map(({ key }) => key))];
  const family = isClassic ? 'classic' : recogniseFamily(names);
  const tags = new Map<string, string>();
  for (const { key, tag } of samples) if (tag !== undefined && !tags.has(key)) tags.set(key, tag);

  const context = { ...device, source: 'history', family } as const;
  const { fields, measurements } = decodeAnswer(samples, context, rules, tags);
  const isRead = new Set(
    fields.flatMap(({ sample, rule }) =>
      rule === undefined || rule.reads === 'nothing' ? [] : [sample.key],
    ),
  );
  const unread = fields.filter(({ verdict }) => verdict === 'unknown' || verdict === 'ambiguous');
  return {
    family,
    keys: names.filter((key) => isRead.has(key)),
    tags,
    words: modeWords(fields),
    missing: missingQuantities(measurements),
    unknownKeys: [...new Set(unread.map(({ sample }) => sample.key))],
  };
}

/** Returns the words for the codes of the keys that are read as a mode. */
function modeWords(fields: DecodedAnswer['fields']): WordsByKey {
  return fields
    .filter(({ rule }) => rule?.reads === 'workingMode')
    .map(({ sample }): WordsByKey => new Map(sample.words && [[sample.key, sample.words]]))
    .reduce(mergedWords, new Map());
}

/** More keys, and more codes of one, than any inverter has. */
const MOST_WORDS = 500;

/** Returns the words of both; a later word for a code replaces an earlier one. Of too many, the later ones stay. */
export function mergedWords(earlier: WordsByKey = new Map(), later: WordsByKey): WordsByKey {
  const merged = new Map(earlier);
  for (const [key, words] of later)
    merged.set(key, newest(new Map([...(merged.get(key) ?? []), ...words])));
  return newest(merged);
}

function newest<Value>(entries: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return entries.size <= MOST_WORDS ? entries : new Map([...entries].slice(-MOST_WORDS));
}

/** Decodes the answer of every source, and chooses the source that the device is read from. */
export function chooseSource(
  { family, tags, words }: DeviceDescription,
  device: DescribedDevice,
  parts: ReadonlySet<string>,
  rules: RuleSet,
  samples: Readonly<Record<Source, readonly FieldSample[]>>,
): Pick<DeviceProfile, 'source' | 'missing'> & {
  /** The answer of the chosen source comes first. */
  readonly answers: readonly [DecodedAnswer, ...DecodedAnswer[]];
} {
  const answerOf = (source: Source): DecodedAnswer =>
    decodeAnswer(samples[source], { ...device, source, family, parts }, rules, tags, words);
  const answers = [answerOf('history'), answerOf('latest'), answerOf('flow')] as const;
  const best = richestAnswer(answers);
  // A key without a value in this hour's time series may have one later, so it is not missing.
  const known = best.source === 'history' ? answers : [best];
  return {
    source: best.source,
    missing: missingQuantities(known.flatMap(({ measurements }) => measurements)),
    answers: [best, ...answers.filter((answer) => answer !== best)],
  };
}

/** Returns the quantities of the interface that are not measured. A load stands for the AC output. */
export function missingQuantities(measurements: readonly Measurement[]): readonly Quantity[] {
  const measured = new Set(measurements.map(({ quantity }) => quantity));
  if (measured.has('loadPowerWatts')) measured.add('acOutputPowerWatts');
  return INTERFACE_QUANTITIES.filter((quantity) => !measured.has(quantity));
}

/** The ages of two answers may differ by this much and count as the same. A reading takes 5 minutes. */
const SAME_AGE_MS = 60_000;

/**
 * Returns the answer that misses fewest quantities of the interface; of several, the freshest one; then
 * the one with most measurements; then the first.
 */
export function richestAnswer([first, ...others]: readonly [
  DecodedAnswer,
  ...DecodedAnswer[],
]): DecodedAnswer {
  return others.reduce((best, answer) => (isRicher(answer, best) ? answer : best), first);
}

function isRicher(answer: DecodedAnswer, best: DecodedAnswer): boolean {
  const missing = missingQuantities(answer.measurements).length;
  const fewest = missingQuantities(best.measurements).length;
  if (missing !== fewest) return missing < fewest;
  // Keys that end in nulls would mix power flows of different times (field notes 2.4).
  const fresherByMs = oldestAtMs(answer) - oldestAtMs(best);
  if (Math.abs(fresherByMs) > SAME_AGE_MS) return fresherByMs > 0;
  return answer.measurements.length > best.measurements.length;
}

/** Returns when the oldest of the interface's quantities was measured; -Infinity for none. */
function oldestAtMs({ measurements }: DecodedAnswer): number {
  const instants = measurements
    .filter(({ quantity }) => INTERFACE_QUANTITIES.includes(quantity))
    .map(({ measuredAtMs = Infinity }) => measuredAtMs);
  return instants.length === 0 ? -Infinity : leastOf(instants);
}
