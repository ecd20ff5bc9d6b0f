import { describe, expect, test } from 'vitest';
import { STATUS_ANSWERS } from './golden-answers.ts';

describe('the answer of /api/v1/status', () => {
  test.each(STATUS_ANSWERS)('is as recorded when $when', async ({ name, read }) => {
    // As text: the order of the fields is recorded as well.
    const answer = JSON.stringify(await read(), null, 2);
    await expect(`${answer}\n`).toMatchFileSnapshot(`../fixtures/status/${name}.json`);
  });
});
