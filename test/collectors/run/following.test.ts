import { expect, test } from 'vitest';
import { nextTurn } from '../../../src/base/clock.ts';
import { Following, type GrowingRun } from '../../../src/collectors/run/following.ts';
import { turnsDuring } from '../../support/turns-during.ts';

const MANY = 3000;
const station = { stationId: 'house' };

/** A run that keeps the ids of what it follows, each with the station that it was followed for. */
function run() {
  const followed = new Map<string, string>();
  return {
    followed,
    forgetAllBut: (ids) => {
      for (const id of followed.keys()) if (!ids.has(id)) followed.delete(id);
    },
    followOne: (id, { target }) => followed.set(id, target.station.stationId),
  } satisfies GrowingRun & { followed: Map<string, string> };
}

function devices(count: number, from = 0) {
  return Array.from({ length: count }, (_, index) => ({ deviceId: `${from + index}` }));
}

test('a few devices are followed at once, many in slices', async () => {
  const [one, other] = [run(), run()];
  const following = new Following([one, other]);
  const followed = async (count: number) => {
    following.follow(station, devices(count));
    await following.running;
  };
  expect(await turnsDuring(() => followed(10))).toBe(0);
  expect(one.followed.size).toBe(10);
  expect(await turnsDuring(() => followed(MANY))).toBeGreaterThan(3);
  expect([one.followed.size, other.followed.size]).toEqual([MANY, MANY]);
  expect(following.running).toBeUndefined();
});

test('a device that has left is forgotten at once, and another list ends what goes on for the one before', async () => {
  const one = run();
  const following = new Following([one]);
  following.follow(station, devices(MANY));
  await nextTurn();
  expect(one.followed.size).toBeLessThan(MANY);
  following.follow({ stationId: 'barn' }, devices(MANY, 1));
  expect(one.followed.has('0')).toBe(false);
  const before = following.running;
  following.follow({ stationId: 'shed' }, devices(5, 2));
  expect([...one.followed.keys()]).toEqual(['2', '3', '4', '5', '6']);
  await before;
  await following.running;
  expect(one.followed.size).toBe(5);
  expect(new Set(one.followed.values())).toEqual(new Set(['shed']));
});
