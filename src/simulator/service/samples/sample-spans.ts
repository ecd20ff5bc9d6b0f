/** Samples that follow one another, by their numbers since the Unix epoch; both ends are included. */
export interface SampleSpan {
  readonly first: number;
  readonly last: number;
}

/** Cuts gaps, in any order, out of a span; nothing is left of a span whose end is before its start. */
export function spansOutside(span: SampleSpan, gaps: readonly SampleSpan[]): readonly SampleSpan[] {
  return gaps.reduce<readonly SampleSpan[]>(
    (spans, gap) => spans.flatMap((whole) => partsOutside(whole, gap)),
    [span].filter(holdsAny),
  );
}

/** Counts the samples of some spans. */
export function countSamples(spans: readonly SampleSpan[]): number {
  return spans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** Lists the numbers of the samples from one position in the spans up to, not including, another. */
export function samplesBetween(
  spans: readonly SampleSpan[],
  fromPosition: number,
  toPosition: number,
): readonly number[] {
  const samples: number[] = [];
  let passed = 0;
  for (const { first, last } of spans) {
    const from = first + Math.max(0, fromPosition - passed);
    const to = Math.min(last, first + toPosition - passed - 1);
    for (let sample = from; sample <= to; sample += 1) samples.push(sample);
    passed += last - first + 1;
  }
  return samples;
}

function partsOutside({ first, last }: SampleSpan, gap: SampleSpan): readonly SampleSpan[] {
  if (!holdsAny(gap)) return [{ first, last }];
  const before = { first, last: Math.min(last, gap.first - 1) };
  const after = { first: Math.max(first, gap.last + 1), last };
  return [before, after].filter(holdsAny);
}

function holdsAny({ first, last }: SampleSpan): boolean {
  return first <= last;
}
