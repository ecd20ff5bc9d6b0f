import { spawnSync } from 'node:child_process';
import { RULE_TESTS_FOLDER } from './rule-files.ts';

/** What a program printed, and its exit status. */
export interface Judgement {
  readonly status: number | null;
  readonly output: string;
}

/** Runs promtool where its tests of the rules lie. */
export function promtool(arguments_: readonly string[], input = ''): Judgement {
  const { status, stdout, stderr } = spawnSync('promtool', arguments_, {
    cwd: RULE_TESTS_FOLDER,
    encoding: 'utf8',
    input,
    // It is short-lived: collecting garbage less often saves a quarter of its time.
    env: { ...process.env, GOGC: '400' },
  });
  return { status, output: stdout + stderr };
}

/** Lets promtool run test files of rules. */
export function testRules(...files: readonly string[]): Judgement {
  return promtool(['test', 'rules', ...files]);
}

/** Lets promtool judge a page. */
export function checkMetrics(page: string): Judgement {
  return promtool(['check', 'metrics'], page);
}
