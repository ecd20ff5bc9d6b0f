import { expect, test } from 'vitest';
import { acceptsGzip } from '../../../src/http/reply.ts';

test.each<[boolean, ...(string | undefined)[]]>([
  [true, 'gzip', 'GZip', 'x-gzip', 'gzip;q=0.1', 'gzip;q=1.000', 'gzip ; q=0.001'],
  [true, '*', '*;q=0, gzip', 'deflate, gzip, br'],
  [false, undefined, '', 'gzip;q=0', 'gzip; Q=0.000', '*;q=0', '*, gzip;q=0'],
  [false, 'deflate;q=0, br', 'identity', 'gzipped', ',,'],
])('gzip is allowed: %s, by %j', (isAllowed, ...headers) => {
  for (const header of headers) expect(acceptsGzip(header), header).toBe(isAllowed);
});
