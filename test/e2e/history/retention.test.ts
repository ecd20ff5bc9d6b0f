import { expect, test } from 'vitest';
import { DAY_MS } from '../../doors/house.ts';
import { hasProgram } from '../../support/programs.ts';
import { startVictoriaMetrics } from '../../support/victoria-metrics.ts';
import { instant, runHistory, startHistory, startServiceWithPast } from './history-run.ts';

test.runIf(hasProgram('victoria-metrics'))(
  'a day that VictoriaMetrics acknowledges and throws away for its retention is noticed; a day that it keeps is taken',
  async () => {
    const { env } = await startServiceWithPast();
    const url = await startVictoriaMetrics('30d');
    const dayBefore = (days: number): readonly string[] => {
      const fromMs = (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;
      return [`--from=${instant(fromMs)}`, `--to=${instant(fromMs + DAY_MS)}`, `--push=${url}`];
    };

    await runHistory(env, ...dayBefore(2));
    const program = startHistory(env, ...dayBefore(50));
    const { status } = await program.exited;

    expect(status).not.toBe(0);
    expect(program.stderr).toMatch(
      /threw away \d+ samples of \d{4}-\d\d, although it acknowledged/,
    );
  },
);
