import { defineConfig } from 'vitest/config';

const everything = { lines: 100, branches: 100, functions: 100, statements: 100 };

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/report-skipped.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 30_000,
    maxWorkers: 2,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.{ts,js}'],
      // The program's entry, the script that a browser runs and the one that a thread runs: exercised as a
      // real process, in a real browser and in a real thread, where coverage is not collected.
      exclude: [
        'src/cli.ts',
        'src/http/status-page/live.js',
        'src/http/authentication/bcrypt-worker.js',
      ],
      reporter: ['text-summary', 'lcovonly'],
      thresholds: {
        lines: 95,
        branches: 95,
        'src/model/**': everything,
        'src/client/signature.ts': everything,
        'src/client/retry.ts': everything,
        'src/metrics/render.ts': everything,
      },
    },
  },
});
