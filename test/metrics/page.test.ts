import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Page } from '../../src/metrics/page.ts';

test('a page is its text in UTF-8, plain or compressed', async () => {
  const page = new Page('solar_station_info{name="Söller"} 1\n');
  expect(page.body).toEqual(Buffer.from('solar_station_info{name="Söller"} 1\n'));
  expect(gunzipSync(await page.gzipped())).toEqual(page.body);
});

test('a page is compressed once for everybody who asks', async () => {
  const page = new Page('solar_up 1\n');
  const [one, other] = await Promise.all([page.gzipped(), page.gzipped()]);
  expect(other).toBe(one);
  expect(await page.gzipped()).toBe(one);
});
