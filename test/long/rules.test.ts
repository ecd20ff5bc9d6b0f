import { describe, expect, test } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { testRules } from '../support/promtool.ts';
import { testFileNames } from '../support/rule-files.ts';

describe.skipIf(!hasProgram('promtool'))('promtool', () => {
  test.each(testFileNames())('finds that the rules do what %s says', (name) => {
    expect(testRules(name)).toMatchObject({ status: 0 });
  });
});
