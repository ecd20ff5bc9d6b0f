import fc from 'fast-check';

/**
 * Decides which inputs the properties try: with `FUZZ_SEED` the same ones each time, so that CI judges a change by what
 * it changed; without it others each time. What fails is printed with its seed.
 */
const given = process.env['FUZZ_SEED'];
if (given !== undefined) {
  const seed = Number(given);
  if (!Number.isSafeInteger(seed)) throw new Error('FUZZ_SEED: not a whole number');
  fc.configureGlobal({ seed });
}
