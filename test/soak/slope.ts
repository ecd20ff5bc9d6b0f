/** A value at an instant. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The slope of the straight line that is closest to the points by least squares. */
export function slope(points: readonly Point[]): number {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const covariance = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
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
  return slopes.toSorted((one, other) => one - other)[Math.floor(slopes.length / 2)] ?? NaN;
}

/** The later half of a series, where everything that is loaded once has been. */
export function secondHalf<T>(series: readonly T[]): readonly T[] {
  return series.slice(Math.floor(series.length / 2));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
