import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { openHouse, scrapeHouse } from './house.ts';
import {
  CLASSIC,
  DEVICE_ID,
  deviceList,
  history,
  liveHistory,
  type PortalAnswer,
  type PortalRequest,
} from './scripted-service.ts';

const HOUR_MS = 3_600_000;
const UTC = { 'time-zone': 'UTC', 'collect.alarms': 'false' };

/** The questions about more than the last hour. */
const ofPast = (requests: readonly PortalRequest[]) =>
  requests.filter(({ body, atMs }) => Date.parse(String(body['toTime'])) < atMs - HOUR_MS / 2);

/** Answers the last hour as usual, refuses more together with it, and answers anything before it so. */
const past = (answer: (request: PortalRequest, count: number) => PortalAnswer) => {
  const usual = liveHistory();
  let count = 0;
  return (request: PortalRequest): PortalAnswer =>
    ofPast([request]).length > 0
      ? answer(request, (count += 1))
      : Date.parse(String(request.body['fromTime'])) < request.atMs - 2 * HOUR_MS
        ? { status: 400 }
        : usual(request);
};

test('a past whose pages are all alike, but for a last point that is later each time, is not asked for on and on', async () => {
  const readings = past((_request, count) =>
    history(CLASSIC, [new Date(Date.parse('2026-08-24T06:00:00Z') + count * 1000).toISOString()]),
  );
  const { asked } = await scrapeHouse({ readings }, { flags: UTC });
  const questions = ofPast(asked('readings')).length;
  expect(questions).toBeGreaterThan(0);
  expect(questions).toBeLessThan(6);
});

test('a past that takes a request for each point is given up, and the log says so once', async () => {
  const readings = past(({ body }) => {
    const [fromMs, page] = [Date.parse(String(body['fromTime'])), Number(body['page'])];
    return history(CLASSIC, [new Date(fromMs + page * 120_000).toISOString()]);
  });
  const { asked, scrapeAfter, log, page } = await scrapeHouse({ readings }, { flags: UTC });
  expect(page.value('solar_pv_power_watts')).toBe(1200);
  const told = () =>
    log.lines.filter(({ message }) => message === 'the past of a device has no end');
  expect(ofPast(asked('readings'))).toHaveLength(25);
  expect(told().map(({ fields }) => fields['device_id'])).toEqual([DEVICE_ID]);
  for (let hours = 0; hours < 12; hours += 1) await scrapeAfter(2 * HOUR_MS);
  expect(ofPast(asked('readings')).length).toBeGreaterThan(25);
  expect(told()).toHaveLength(1);
});

test('a list that is due again before it has come is not asked for on and on', async () => {
  const slow = deferred<undefined>();
  const house = await openHouse(
    {
      devices: async () => {
        if (house.asked('devices').length > 50) await slow.promise;
        house.clock.advance(2000);
        return deviceList({});
      },
    },
    { flags: { ...UTC, 'cache.devices-ttl': '1s' } },
  );
  await house.scrape();
  expect(house.asked('devices')).toHaveLength(1);
  await house.scrape();
  // The list of stations is due as well, and whatever is due then is asked for once more.
  expect(house.asked('devices').length).toBeLessThanOrEqual(3);
  slow.resolve(undefined);
});
