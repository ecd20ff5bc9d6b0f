import fc from 'fast-check';

/** How often each property is tried in this run; `FUZZ_RUNS=20000 npm run fuzz` looks longer. */
const FUZZ_RUNS = Number(process.env['FUZZ_RUNS'] ?? 60);
if (!Number.isSafeInteger(FUZZ_RUNS) || FUZZ_RUNS < 1)
  throw new Error('FUZZ_RUNS: not a number of runs');

/** Far more than any run needs, even on a busy machine. */
export const FUZZ_TIMEOUT_MS = 300_000 + FUZZ_RUNS * 60;

/** Tries a property as often as this run is to; `costs` says how many times dearer it is than most. */
export function holds<T>(property: fc.IProperty<T>, costs = 1): void {
  fc.assert(property, { numRuns: Math.ceil(FUZZ_RUNS / costs) });
}

/** Is {@link holds} for properties that take their time. */
export async function holdsInTime<T>(property: fc.IAsyncProperty<T>, costs = 1): Promise<void> {
  await fc.assert(property, { numRuns: Math.ceil(FUZZ_RUNS / costs) });
}
