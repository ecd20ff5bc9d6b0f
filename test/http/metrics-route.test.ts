import { expect, test } from 'vitest';
import { scrapeWaitMs } from '../../src/http/metrics-route.ts';

const LIMIT_MS = 9500;

test.each([
  { given: 'no header', header: undefined, expectedMs: LIMIT_MS },
  { given: 'the usual ten seconds', header: '10', expectedMs: LIMIT_MS },
  { given: 'more patience than configured', header: '60', expectedMs: LIMIT_MS },
  { given: 'less patience than configured', header: '5', expectedMs: 4500 },
  { given: 'a fraction', header: '1.25', expectedMs: 750 },
  { given: 'half a second', header: '0.5', expectedMs: 0 },
  { given: 'next to no time', header: '0.001', expectedMs: 0 },
  { given: 'zero', header: '0', expectedMs: LIMIT_MS },
  { given: 'less than nothing', header: '-5', expectedMs: LIMIT_MS },
  { given: 'an empty header', header: '', expectedMs: LIMIT_MS },
  { given: 'a word', header: 'soon', expectedMs: LIMIT_MS },
  { given: 'a duration with a unit', header: '5s', expectedMs: LIMIT_MS },
  { given: 'eternity', header: 'Infinity', expectedMs: LIMIT_MS },
  { given: 'two headers', header: ['5', '6'], expectedMs: LIMIT_MS },
])('$given means a wait of $expectedMs ms', ({ header, expectedMs }) => {
  expect(scrapeWaitMs(header, LIMIT_MS)).toBe(expectedMs);
});
