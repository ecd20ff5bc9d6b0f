import { defineConfig } from 'vitest/config';

/** For `npm run mutate`: what needs no build, since mutants are made of the sources. `DOORS=1` adds the whole program. */
const rooms = process.env['DOORS'] === '1' ? '{unit,doors}' : 'unit';

export default defineConfig({
  test: {
    restoreMocks: true,
    unstubEnvs: true,
    // Stryker itself stops what a mutant lets hang.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    include: [`test/${rooms}/**/*.test.ts`],
    // Files share the imported modules during a run; each mutant gets a run of its own, and so its own modules.
    isolate: false,
    env: { FUZZ_SEED: '20261122' },
    setupFiles: ['test/support/fuzz-seed.ts'],
  },
});
