import { describe, expect, test } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { RULE_TESTS, testRules } from '../support/rules.ts';

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test.each(RULE_TESTS)('finds that the rules do what %s says', (name) => {
    const { status, output } = testRules(name);
    expect(status, output).toBe(0);
  });
});
