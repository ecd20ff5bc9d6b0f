/** How much a measurement measures. */
export interface Scope {
  /** Fewer sizes and fewer rounds, for a machine that has other things to do. */
  readonly isShort: boolean;
}

/** What a figure is held to. */
export interface Limit {
  readonly sign: '<=' | '>=';
  readonly value: number;
  /** What is reached so far, where that is worse than the limit: the short bench fails only beyond it. */
  readonly reached: number;
}

export const atMost = (value: number, reached = value): Limit => ({ sign: '<=', value, reached });
export const atLeast = (value: number): Limit => ({ sign: '>=', value, reached: value });

/** A figure, before anybody has judged it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly detail: string;
}

/** One line of the report: what was measured, against which limit, and whether it holds. */
export interface Result extends Figure {
  readonly limit: string;
  readonly isWithin: boolean;
  /** Whether it is worse by half than its limit, or than what is reached so far: no noise explains that. */
  readonly isFarOver: boolean;
}

/** How much worse than its limit a figure may be before the short bench fails. */
const TOLERATED = 1.5;

/** Compares a figure with its limit. One that was not measured (NaN) is far over every limit. */
export function judged(figure: Figure, { sign, value, reached }: Limit): Result {
  const isWithin = (limit: number, tolerated: number): boolean =>
    sign === '<=' ? figure.value <= limit * tolerated : figure.value >= limit / tolerated;
  return {
    ...figure,
    limit: `${sign} ${value}`,
    isWithin: isWithin(value, 1),
    isFarOver: !isWithin(reached, TOLERATED),
  };
}

/** The middle one of a few measurements. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
