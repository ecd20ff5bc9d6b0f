import { expect, test } from 'vitest';
import { acceptsGzip } from '../../src/http/reply.ts';

test.each([
  { header: undefined, expected: false },
  { header: '', expected: false },
  { header: 'gzip', expected: true },
  { header: 'GZip', expected: true },
  { header: 'x-gzip', expected: true },
  { header: 'gzip;q=0.1', expected: true },
  { header: 'gzip;q=1.000', expected: true },
  { header: 'gzip;q=0', expected: false },
  { header: 'gzip; Q=0.000', expected: false },
  { header: 'gzip ; q=0.001', expected: true },
  { header: '*', expected: true },
  { header: '*;q=0', expected: false },
  { header: '*, gzip;q=0', expected: false },
  { header: '*;q=0, gzip', expected: true },
  { header: 'deflate, gzip, br', expected: true },
  { header: 'deflate;q=0, br', expected: false },
  { header: 'identity', expected: false },
  { header: 'gzipped', expected: false },
  { header: ',,', expected: false },
])('"$header" allows gzip: $expected', ({ header, expected }) => {
  expect(acceptsGzip(header)).toBe(expected);
});
