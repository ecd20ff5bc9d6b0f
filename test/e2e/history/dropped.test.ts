import { expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { startVictoriaMetrics } from '../../support/victoria-metrics.ts';
import { instant, runHistory, startHistory, startServiceWithPast } from './history-run.ts';

const DAY_MS = 24 * 3_600_000;

test.skipIf(!hasProgram('victoria-metrics'))(
  'a VictoriaMetrics that acknowledges samples and throws them away has not taken them',
  async () => {
    const { env } = await startServiceWithPast();
    const push = `--push=${await startVictoriaMetrics('2d')}`;
    const now = Date.now();
    const tooOld = startHistory(env, `--from=${instant(now - 6 * DAY_MS)}`, push);
    expect(await tooOld.exited).toEqual({ status: 1, signal: null });
    expect(tooOld.stderr).toMatch(
      /PUSH_DROPPED: \S+: threw away \d+ samples of \d{4}-\d\d, although it acknowledged them\n {2}→ raise -retentionPeriod /,
    );
    const kept = await runHistory(env, `--from=${instant(now - DAY_MS)}`, push);
    expect(kept).toMatch(/months? written: /);
  },
);
