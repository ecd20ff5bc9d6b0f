import type { Source } from '../model/readings.ts';
import type { AskedDevice, DeviceQuestions } from './device-questions.ts';
import { probe, type ProbedAnswer, type ProbedPlace } from './dialect-probe.ts';
import type { FieldSample } from './dialects/field-sample.ts';
import { type Frame, missingQuantities, readFrame, richestFrame } from './dialects/frame.ts';
import type { RuleBook } from './dialects/rule-book.ts';
import {
  absentParts,
  describeDevice,
  type SelfDescription,
  withoutAbsent,
} from './dialects/self-description.ts';

/** What is remembered of a device, so that one request reads it. */
export interface Lesson extends SelfDescription {
  readonly source: Source;
  /** Strings and phases that are listed, and that the device does not have. */
  readonly absentKeys: ReadonlySet<string>;
  /** The service has no energy flow for this model, and never will. */
  readonly hasNoEnergyFlow: boolean;
  /** Where it was read before that place began to refuse it; it may come back. */
  readonly lostPlace?: ProbedPlace | undefined;
}

/** A lesson, and everything that was seen while learning it. */
export interface Learnt {
  readonly lesson: Lesson;
  /** The answers read by the lesson's family, the chosen one first. */
  readonly frames: readonly [Frame, ...Frame[]];
  readonly probed: readonly ProbedAnswer[];
  readonly latest: ProbedAnswer;
  /** Something failed that may be answered in a while: this is not the last word. */
  readonly isInconclusive: boolean;
  /** The place of the lesson before does not answer as it should: there is no use in going on there. */
  readonly isPlaceGone: boolean;
}

/** What learning needs beside the device. */
export interface Teaching {
  readonly questions: DeviceQuestions;
  readonly book: RuleBook;
  /** What every device is asked for first. */
  readonly firstKeys: readonly string[];
}

/** Where the answers of each source come from, beside the time series. */
const PLACE_OF: Partial<Record<Source, ProbedPlace>> = {
  latest: 'latest-state',
  flow: 'energy-flow',
};

const ANSWERED: ReadonlySet<string> = new Set(['ok', 'empty']);

/** How a place ends that holds everybody up. */
const HANGING: ReadonlySet<string> = new Set(['SERVICE_TIMEOUT', 'SERVICE_UNREACHABLE']);

/**
 * Learns what a device speaks from the answer to its first reading and a look at its latest state, or
 * else its attribute catalogue; then, if quantities are still missing, its energy flow; and last the
 * time series of all that it was seen to have.
 *
 * @param first - the samples of the first keys.
 */
export async function learnDialect(
  device: AskedDevice,
  first: readonly FieldSample[],
  { questions, book, firstKeys }: Teaching,
  previous: Lesson | undefined,
): Promise<Learnt> {
  const probed: ProbedAnswer[] = [];
  const look = async (place: ProbedPlace, keys: readonly string[] = []): Promise<ProbedAnswer> => {
    const answer = await probe(place, device, questions, keys);
    probed.push(answer);
    return answer;
  };
  const latest = await look('latest-state');
  // The next question may hang as well, and a first reading waits for all of them.
  const isWorthMore = previous !== undefined || !HANGING.has(latest.outcome);
  if (latest.samples.length === 0 && isWorthMore) await look('attributes');
  let described = describe(device, first, probed, book);
  let hasNoEnergyFlow = previous?.hasNoEnergyFlow ?? false;
  if (described.missing.length > 0 && !hasNoEnergyFlow && isWorthMore) {
    hasNoEnergyFlow = (await look('energy-flow')).isHopeless;
    described = describe(device, first, probed, book);
  }
  // A device that told nothing about itself is asked as before.
  const isTold = probed.some(({ samples }) => samples.length > 0) && described.keys.length > 0;
  const wanted = isTold ? described.keys : firstKeys;
  const isAllAsked = wanted.every((key) => firstKeys.includes(key));
  const more = isAllAsked ? undefined : await look('history', wanted);
  // Whoever refuses the longer list goes on being asked the shorter one.
  const isRefused = more !== undefined && more.outcome !== 'ok';
  const history = isRefused ? first : (more?.samples ?? first);
  const seen = [...history, ...probed.flatMap(({ samples }) => samples)];
  const speaker = { source: 'history', family: described.family, model: device.model } as const;
  const absentKeys = absentParts(seen, speaker, book);
  const keys = isTold && !isRefused ? wanted.filter((key) => !absentKeys.has(key)) : firstKeys;
  const { source, missing, frames } = choose(device, described, book, {
    history: history.filter(({ key }) => keys.includes(key)),
    latest: withoutAbsent(latest.samples, absentKeys),
    flow: withoutAbsent(samplesAt('energy-flow', probed), absentKeys),
  });
  const lost = lostAnswer(previous, probed);
  return {
    lesson: {
      ...described,
      keys,
      source,
      missing,
      absentKeys,
      hasNoEnergyFlow,
      lostPlace: lost?.place,
    },
    frames,
    probed,
    latest,
    isInconclusive: probed.some(({ isWorthRepeating }) => isWorthRepeating),
    isPlaceGone: lost !== undefined && !lost.isOutage,
  };
}

function describe(
  { model }: AskedDevice,
  first: readonly FieldSample[],
  probed: readonly ProbedAnswer[],
  book: RuleBook,
): SelfDescription {
  const answered = first.filter(({ text }) => text !== undefined);
  const offered = probed.flatMap(({ samples }) => samples);
  // Where only the interface's endpoints answer, its dialect is the one that is spoken.
  const isClassic = probed.every(({ outcome, isMissing }) => isMissing || outcome === 'empty');
  return describeDevice([...answered, ...offered], model, isClassic, book);
}

/** Where the device is read from now on, and what it lacks there. */
function choose(
  { model }: AskedDevice,
  { family, tags }: SelfDescription,
  book: RuleBook,
  samples: Readonly<Record<Source, readonly FieldSample[]>>,
): Pick<Lesson, 'source' | 'missing'> & Pick<Learnt, 'frames'> {
  const frameAt = (source: Source): Frame =>
    readFrame(samples[source], { source, family, model }, book, tags);
  const frames = [frameAt('history'), frameAt('latest'), frameAt('flow')] as const;
  const best = richestFrame(...frames);
  // A key that is null in this hour's time series is there all the same.
  const known = best.source === 'history' ? frames : [best];
  return {
    source: best.source,
    missing: missingQuantities(known.flatMap(({ measurements }) => measurements)),
    frames: [best, ...frames.filter((frame) => frame !== best)],
  };
}

/** What the place of the previous lesson says, when it answers no more and did not say that it never will. */
function lostAnswer(
  previous: Lesson | undefined,
  probed: readonly ProbedAnswer[],
): ProbedAnswer | undefined {
  if (previous === undefined) return undefined;
  const place = previous.lostPlace ?? PLACE_OF[previous.source];
  const answer = probed.find((candidate) => candidate.place === place);
  const isLost = answer !== undefined && !answer.isHopeless && !ANSWERED.has(answer.outcome);
  return isLost ? answer : undefined;
}

function samplesAt(place: ProbedPlace, probed: readonly ProbedAnswer[]): readonly FieldSample[] {
  return probed.find((answer) => answer.place === place)?.samples ?? [];
}
