import type { Measurement, Quantity, Source } from '../../model/readings.ts';
import { combineFields } from './combine.ts';
import type { FieldSample } from './field-sample.ts';
import { type InterpretedField, interpretFields } from './interpret.ts';
import type { RuleBook, Speaker } from './rule-book.ts';

/** One answer about a device, read by the rules. */
export interface Frame {
  readonly source: Source;
  readonly fields: readonly InterpretedField[];
  readonly measurements: readonly Measurement[];
}

/** What the interface's seven keys give (interface 2.4); a device that lacks any of it is probed. */
const INTERFACE_QUANTITIES = [
  'pvPowerWatts',
  'acOutputPowerWatts',
  'batteryDischargeCurrentAmperes',
  'batteryChargingCurrentAmperes',
  'batteryVoltageVolts',
  'gridFeedInPowerWatts',
  'batterySocRatio',
] as const satisfies readonly Quantity[];

/** Reads an answer; `tags` are units learnt elsewhere, for values that come without one. */
export function readFrame(
  samples: readonly FieldSample[],
  speaker: Speaker,
  book: RuleBook,
  tags: ReadonlyMap<string, string> = new Map(),
): Frame {
  const tagged = samples.map((sample) => ({ ...sample, tag: sample.tag ?? tags.get(sample.key) }));
  const fields = interpretFields(tagged, speaker, book);
  return { source: speaker.source, fields, measurements: combineFields(fields) };
}

/** The quantities of the interface that are not measured; a measured load stands for the AC output. */
export function missingQuantities(measurements: readonly Measurement[]): readonly Quantity[] {
  const measured = new Set(measurements.map(({ quantity }) => quantity));
  if (measured.has('loadPowerWatts')) measured.add('acOutputPowerWatts');
  return INTERFACE_QUANTITIES.filter((quantity) => !measured.has(quantity));
}

/** Ages differ a little from answer to answer; one reading less is five minutes. */
const SAME_AGE_MS = 60_000;

/** The frame that misses least, then the freshest one, then the one that measures most, then the first. */
export function richestFrame(first: Frame, ...others: readonly Frame[]): Frame {
  return others.reduce((best, frame) => (isRicher(frame, best) ? frame : best), first);
}

function isRicher(frame: Frame, best: Frame): boolean {
  const missing = missingQuantities(frame.measurements).length;
  const fewest = missingQuantities(best.measurements).length;
  if (missing !== fewest) return missing < fewest;
  // Keys that end in nulls would mix the flows of different moments (field notes 2.4).
  const fresherByMs = oldestAtMs(frame) - oldestAtMs(best);
  if (Math.abs(fresherByMs) > SAME_AGE_MS) return fresherByMs > 0;
  return frame.measurements.length > best.measurements.length;
}

/** When the oldest of the interface's quantities was measured; -Infinity for none. */
function oldestAtMs({ measurements }: Frame): number {
  const named: readonly Quantity[] = INTERFACE_QUANTITIES;
  const instants = measurements
    .filter(({ quantity }) => named.includes(quantity))
    .map(({ measuredAtMs = Infinity }) => measuredAtMs);
  return instants.length === 0 ? -Infinity : Math.min(...instants);
}
