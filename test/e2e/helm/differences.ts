/** Differences between two values, by path: what the first has there, and the second. Absent is undefined. */
export type Differences = Record<string, readonly [unknown, unknown]>;

/** Compares two JSON values leaf by leaf. */
export function differences(first: unknown, second: unknown, path = ''): Differences {
  if (!isTree(first) || !isTree(second))
    return Object.is(first, second) ? {} : { [path]: [first, second] };
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  const parts = [...keys].map((key) =>
    differences(first[key], second[key], path === '' ? key : `${path} ${key}`),
  );
  return Object.assign({}, ...parts) as Differences;
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
