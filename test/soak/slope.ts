/** A value at an instant. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The middle one of the slopes between any two of the points (Theil and Sen): one moment with ten megabytes
 * of an answer in memory does not tilt it, as it would the line that is closest by least squares.
 */
export function slope(points: readonly Point[]): number {
  const slopes = points.flatMap((one, index) =>
    points.slice(index + 1).map((other) => (other.y - one.y) / (other.x - one.x)),
  );
  return median(slopes);
}

/**
 * The slope of the middle one of the steps from point to point: a heap that is given back in one leap
 * hides nothing that grows all the time.
 */
export function typicalSlope(points: readonly Point[]): number {
  const slopes = points.slice(1).map(({ x, y }, index) => {
    const { x: previousX, y: previousY } = points[index] ?? { x: NaN, y: NaN };
    return (y - previousY) / (x - previousX);
  });
  return median(slopes);
}

/** The later half of a series, where everything that is loaded once has been. */
export function secondHalf<T>(series: readonly T[]): readonly T[] {
  return series.slice(Math.floor(series.length / 2));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}
