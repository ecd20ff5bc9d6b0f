import { defineConfig } from 'vitest/config';
import { LONG, LongestFirst } from './test/support/longest-first.ts';

const everything = { lines: 100, branches: 100, functions: 100, statements: 100 };

/** Only a test that hangs takes so long: a busy machine makes tests slower, and must not fail them. */
const HANG_MS = 300_000;

/** More than there are cores, because most of these tests wait for other programs. */
const END_TO_END = {
  setupFiles: ['test/support/fuzz-seed.ts'],
  maxWorkers: 5,
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
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/{e2e,doors,programs,long}/**'],
          setupFiles: ['test/support/refuse-sockets.ts', 'test/support/fuzz-seed.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/{e2e,doors,programs}/**/*.test.ts'],
          exclude: [...LONG],
          globalSetup: ['test/support/report-skipped.ts'],
          ...END_TO_END,
        },
      },
      {
        extends: true,
        test: { name: 'long', include: ['test/long/**/*.test.ts', ...LONG], ...END_TO_END },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,js}'],
      // The program's entries, the script that a browser runs and the one that a thread runs: exercised as a
      // real process, in a real browser and in a real thread, where coverage is not collected.
      exclude: [
        'src/cli.ts',
        'src/health-check.ts',
        'src/http/status-page/live.js',
        'src/http/authentication/bcrypt-worker.js',
      ],
      reporter: ['text-summary', 'lcovonly'],
      thresholds: {
        lines: 95,
        branches: 95,
        'src/model/**': everything,
        'src/client/session/signature.ts': everything,
        'src/client/exchange/retry.ts': everything,
        'src/metrics/render.ts': everything,
      },
    },
  },
});
