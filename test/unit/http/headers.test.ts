import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { acceptsGzip, compressibleReply } from '../../../src/http/reply.ts';

test.each<[boolean, ...(string | undefined)[]]>([
  [true, 'gzip', 'GZip', 'gzip;q=0.1', 'gzip;q=1.000', 'gzip ; q=0.001'],
  [true, '*;q=0, gzip', 'deflate, gzip, br', 'gzip, deflate;q=0'],
  [false, undefined, '', 'gzip;q=0', 'gzip; Q=0.000', '*;q=0', '*, gzip;q=0', 'gzip;q=0, br'],
  [false, 'deflate;q=0, br', 'identity', 'gzipped', ',,'],
])('gzip is allowed: %s, by %j', (isAllowed, ...headers) => {
  for (const header of headers) expect(acceptsGzip(header), header).toBe(isAllowed);
});

test('a body is its text in UTF-8, compressed once for all who ask', async () => {
  const body = Buffer.from('solar_station_info{name="Söller"} 1\n');
  const ask = async (coding: string) =>
    (await compressibleReply({ 'accept-encoding': coding }, {}, body)).body;
  const [plain, one, other] = await Promise.all([ask('identity'), ask('gzip'), ask('gzip')]);
  expect(plain).toBe(body);
  expect(gunzipSync(one)).toEqual(body);
  expect([other === one, (await ask('gzip')) === one]).toEqual([true, true]);
});
