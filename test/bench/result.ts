/** How much a measurement measures. */
export interface Scope {
  /** Fewer sizes and fewer rounds, for a machine that has other things to do. */
  readonly isShort: boolean;
  /** The parts that are wanted, in the words of each measurement; all when empty. */
  readonly kinds: readonly string[];
}

/** What a figure is held to. */
export interface Limit {
  readonly direction: 'at most' | 'at least';
  readonly value: number;
  /** What is reached so far, where that is worse than the limit: the short bench fails only beyond it. */
  readonly reached?: number | undefined;
}

export const atMost = (value: number, reached?: number): Limit => ({
  direction: 'at most',
  value,
  reached,
});
export const atLeast = (value: number): Limit => ({ direction: 'at least', value });

/** A figure, before anybody has judged it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly detail: string;
}

/** What has to be true beside the figure. */
export interface Condition {
  readonly text: string;
  readonly isTrue: boolean;
}

/** One line of the report: what was measured, against which limit, and whether it holds. */
export interface Result extends Figure {
  readonly limit: string;
  readonly isWithin: boolean;
  /** Whether it is worse by half than its limit, or than what is reached so far, or a condition beside it does not hold: no noise explains that. */
  readonly isFarOver: boolean;
}

/** How much worse than its limit a figure may be before the short bench fails. */
const TOLERATED = 1.5;

const SIGNS = { 'at most': '<=', 'at least': '>=' } as const;

/** Compares a figure with its limit. One that was not measured (NaN) is far over every limit. */
export function judged(figure: Figure, limit: Limit, condition?: Condition): Result {
  const holds = condition?.isTrue ?? true;
  const sign = `${SIGNS[limit.direction]} ${limit.value}`;
  return {
    ...figure,
    limit: condition === undefined ? sign : `${sign}, and ${condition.text}`,
    isWithin: holds && isWithin(figure.value, limit, 1),
    isFarOver:
      !holds ||
      !isWithin(figure.value, { ...limit, value: limit.reached ?? limit.value }, TOLERATED),
  };
}

/** Whether a value is within `tolerated` times its limit: so much more than an upper one, so many times less than a lower one. */
function isWithin(value: number, limit: Limit, tolerated: number): boolean {
  return limit.direction === 'at most'
    ? value <= limit.value * tolerated
    : value >= limit.value / tolerated;
}

/** The middle one of a few measurements. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that this share of the measurements does not exceed; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
