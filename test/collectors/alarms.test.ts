import { describe, expect, test } from 'vitest';
import { alarmsCollector } from '../../src/collectors/alarms.ts';
import { ServiceError } from '../../src/base/errors.ts';
import type { FiringAlarm } from '../../src/model/station.ts';
import { FakeServiceApi } from '../support/fake-service-api.ts';
import { createCollection, firstFetch, LIFETIMES, MINUTE_MS } from './collection-harness.ts';
import { pointsOf } from './collector-samples.ts';

const LINE_LOSS = { deviceId: 'inverter', key: 'lineLoss', level: 'warning' };
const FIRING = 'solar_device_alarm_firing';

describe('the alarms of a station', () => {
  test('are 1 each, by device, key and level', () => {
    const alarms: readonly FiringAlarm[] = [
      LINE_LOSS,
      { deviceId: 'other', key: 'lineLoss', level: 'critical' },
      { deviceId: 'inverter', key: 'fanLocked', level: '7' },
    ];
    expect(pointsOf(alarmsCollector, alarms)).toEqual({
      [`${FIRING}{inverter,lineLoss,warning}`]: 1,
      [`${FIRING}{other,lineLoss,critical}`]: 1,
      [`${FIRING}{inverter,fanLocked,7}`]: 1,
    });
  });

  test('are no series when there are none', () => {
    expect(pointsOf(alarmsCollector, [])).toEqual({});
  });

  test('are asked for with the devices of the station', async () => {
    const api = new FakeServiceApi();
    api.alarms = [LINE_LOSS, { ...LINE_LOSS, deviceId: 'stranger' }];
    const target = { station: { stationId: 'house' }, devices: [{ deviceId: 'inverter' }] };
    expect(await alarmsCollector.fetch(api, target, firstFetch())).toEqual({ alarms: [LINE_LOSS] });
    expect(api.questions).toEqual(['alarms house']);
  });

  test('are asked for once per TTL, and not at all when they are switched off', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ alarms: true });
    await scrape();
    await scrapeAfter(LIFETIMES.alarmsTtlMs - 1);
    expect(api.count('alarms house')).toBe(1);
    await scrapeAfter(1);
    expect(api.count('alarms house')).toBe(2);

    const without = createCollection({ alarms: false });
    await without.scrape();
    expect(without.api.count('alarms house')).toBe(0);
  });

  test('vanish when they are cleared', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ alarms: true });
    api.alarms = [LINE_LOSS];
    expect(await scrape()).toHaveProperty([`${FIRING}{house,inverter,lineLoss,warning}`], 1);
    api.alarms = [];
    expect(await scrapeAfter(LIFETIMES.alarmsTtlMs)).not.toHaveProperty([
      `${FIRING}{house,inverter,lineLoss,warning}`,
    ]);
  });

  test('are served for the maximum age after they are due', async () => {
    const { api, scrape, scrapeAfter } = createCollection({ alarms: true });
    api.alarms = [LINE_LOSS];
    await scrape();
    api.fail('alarms house', 'SERVICE_UNREACHABLE');
    const name = `${FIRING}{house,inverter,lineLoss,warning}`;
    expect(await scrapeAfter(LIFETIMES.alarmsTtlMs + LIFETIMES.maxAgeMs - 1)).toHaveProperty([
      name,
    ]);
    expect(await scrapeAfter(1)).not.toHaveProperty([name]);
  });
});

describe('a list of alarms that is refused', () => {
  test('fails the collector, and the alarms that readings brought are shown', async () => {
    const { api, scrape, outcome, isUp } = createCollection({ alarms: true });
    const refusal = new ServiceError('SERVICE_API_REFUSED', 'no right');
    api.answer('alarms house', () => Promise.resolve({ alarms: [LINE_LOSS], refusal }));
    expect(await scrape()).toMatchObject({ [`${FIRING}{house,inverter,lineLoss,warning}`]: 1 });
    expect(outcome('house', 'alarms')).toMatchObject({
      isSuccess: false,
      code: 'SERVICE_API_REFUSED',
    });
    expect(isUp('house')).toBe(true);
  });
});

describe('an alarm that the device reported', () => {
  const { ageing } = alarmsCollector;
  const NOW_MS = Date.parse('2026-08-24T08:00:00Z');
  const told = (ageMs: number): FiringAlarm => ({ ...LINE_LOSS, observedAtMs: NOW_MS - ageMs });

  test.each([
    { alarm: told(0), isShown: true, endsInMs: 15 * MINUTE_MS + 1 },
    { alarm: told(15 * MINUTE_MS), isShown: true, endsInMs: 1 },
    { alarm: told(15 * MINUTE_MS + 1), isShown: false, endsInMs: Infinity },
    { alarm: LINE_LOSS, isShown: true, endsInMs: Infinity },
  ])('observed at $alarm.observedAtMs is shown: $isShown', ({ alarm, isShown, endsInMs }) => {
    expect(ageing?.shownAt({ alarms: [alarm] }, NOW_MS, LIFETIMES)).toHaveLength(isShown ? 1 : 0);
    expect(ageing?.changesAtMs({ alarms: [alarm] }, NOW_MS, LIFETIMES)).toBe(NOW_MS + endsInMs);
  });

  test('is withdrawn by its own age, and the oldest one shown is withdrawn next', () => {
    const alarms = [told(MINUTE_MS), told(10 * MINUTE_MS), told(60 * MINUTE_MS), LINE_LOSS];
    expect(ageing?.shownAt({ alarms }, NOW_MS, LIFETIMES)).toHaveLength(3);
    expect(ageing?.changesAtMs({ alarms }, NOW_MS, LIFETIMES)).toBe(NOW_MS + 5 * MINUTE_MS + 1);
  });

  test('never goes when there is none', () => {
    expect(ageing?.changesAtMs({ alarms: [] }, NOW_MS, LIFETIMES)).toBe(Infinity);
  });
});
