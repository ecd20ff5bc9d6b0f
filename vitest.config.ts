import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** What takes half a minute and more: `npm run check:long` and the nightly workflow run it. */
const LONG = ['test/long/**/*.test.ts'];

// The proxy of a machine is not asked for what stands on its loopback.
for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'])
  for (const known of [name, name.toLowerCase()]) Reflect.deleteProperty(process.env, known);

/** Only a test that hangs takes so long: a busy machine makes tests slower, and must not fail them. */
const HANG_MS = 300_000;

/** One more than there are cores, because some of these tests wait for other programs; each one has to warm up. */
const DOORS_AND_PROGRAMS = {
  globalSetup: ['test/support/programs.ts'],
  setupFiles: ['test/support/cheap-digests.ts', 'test/support/fuzz-seed.ts'],
  maxWorkers: availableParallelism() + 1,
  sequence: { groupOrder: 2 },
};

export default defineConfig({
  test: {
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    // Tests share the imported modules: importing them again for each file took most of the time.
    isolate: false,
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{doors,programs,long,chart}/**'],
          setupFiles: [
            'test/support/refuse-sockets.ts',
            'test/support/cheap-digests.ts',
            'test/support/fuzz-seed.ts',
          ],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'doors',
          include: ['test/{doors,programs}/**/*.test.ts'],
          ...DOORS_AND_PROGRAMS,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: LONG, ...DOORS_AND_PROGRAMS },
      },
      {
        extends: true,
        test: {
          name: 'chart',
          include: ['test/chart/**/*.test.ts'],
          globalSetup: ['test/support/programs.ts'],
          sequence: { groupOrder: 3 },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,js}'],
      // The program's entry and the script that a browser runs: exercised as a real process and in a real browser, where
      // coverage is not collected.
      exclude: ['src/cli.ts', 'src/http/status-page/live.ts'],
      reporter: ['text-summary', 'lcovonly'],
    },
  },
});
