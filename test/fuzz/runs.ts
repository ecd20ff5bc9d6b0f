import fc from 'fast-check';

/** How often each property is tried within the normal tests. */
const RUNS = 60;

/** `FUZZ_RUNS=20000 npx vitest run test/fuzz` looks longer; what fails is printed with its seed. */
const given = Number(process.env['FUZZ_RUNS'] ?? RUNS);
if (!Number.isSafeInteger(given) || given < 1) throw new Error('FUZZ_RUNS: not a number of runs');

/** How often each property is tried in this run. */
export const FUZZ_RUNS = given;

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
