import { describe, expect, test } from 'vitest';
import { scrapeHouse } from './house.ts';
import type { PortalAnswer, Scripted } from './scripted-service.ts';

/** Pages of devices, each as long as what was asked for, with this `total`; after the last one an empty page. */
function pagesOfDevices(count: number, total: number | undefined): Scripted {
  return ({ body }): PortalAnswer => {
    const size = Number(body['count']);
    const first = (Number(body['page']) - 1) * size;
    const length = Math.max(0, Math.min(size, count - first));
    const list = Array.from({ length }, (_, index) => ({ id: String(first + index) }));
    return { data: { total, list } };
  };
}

/** No readings: this is about lists. The budget ends with the list. */
const FEW_REQUESTS = { 'request.daily-budget': '60' };

describe('a list of several pages', () => {
  test.each([
    { when: 'the total counts 51 pages', count: 2550, total: 51, requests: 52 },
    {
      when: 'the total counts devices, and the last page is full',
      count: 100,
      total: 100,
      requests: 3,
    },
    { when: 'the total counts devices', count: 120, total: 120, requests: 3 },
    { when: 'there is no total', count: 70, total: undefined, requests: 2 },
  ])('is read to its end where $when', async ({ count, total, requests }) => {
    const { page, asked } = await scrapeHouse(
      { devices: pagesOfDevices(count, total) },
      { flags: FEW_REQUESTS },
    );
    expect(page.value('solar_station_devices')).toBe(count);
    expect(page.all('solar_device_listed')).toHaveLength(count);
    expect(asked('devices')).toHaveLength(requests);
  });
});
