import { expect, test } from 'vitest';
import { z } from 'zod';
import { DeviceMemories, savedDeviceSchema } from '../../../src/client/devices/device-memory.ts';
import type { DeviceProfile } from '../../../src/client/devices/device-profile.ts';
import type { DeviceReport } from '../../../src/model/readings.ts';
import { deferred } from '../../support/deferred.ts';
import { reportOf } from '../../support/device-report.ts';
import { DAY_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const REPORT = reportOf({ pvPowerWatts: 100 });
const PROFILE: DeviceProfile = {
  family: 'pi30',
  source: 'latest',
  keys: ['pv1InputPower', 'pv2InputPower'],
  tags: new Map([['pv1InputPower', 'W']]),
  words: new Map([['mode', new Map([['L', 'Line Mode']])]]),
  missing: ['gridFeedInPowerWatts'],
  unknownKeys: ['secret'],
  parts: new Set(['pv1InputPower']),
  hasNoEnergyFlow: true,
  isInterface: false,
};

function openMemories(clock = new FakeClock()) {
  const memories = new DeviceMemories({ clock, random: () => 0.5, log: new SilentLog() });
  const learn = (deviceId: string, profile = PROFILE) =>
    memories.store(deviceId, { profile, isInconclusive: false, isEndpointRefused: false }, REPORT);
  return { memories, learn, clock };
}

test('of two readings of a device at once, the first to end leaves the other one known', async () => {
  const { memories } = openMemories();
  const [first, second] = [deferred<DeviceReport>(), deferred<DeviceReport>()];
  const [one, other] = [first, second].map(({ promise }) => memories.run('a', promise));
  first.resolve(REPORT);
  await one;
  expect(memories.running('a')).toBe(second.promise);
  second.resolve(REPORT);
  await other;
  expect(memories.running('a')).toBeUndefined();
});

test('how a device speaks is as it was after a restart, until it would have been learnt again', () => {
  const { memories, learn, clock } = openMemories();
  learn('a');
  clock.advance(DAY_MS / 2);
  const text = JSON.stringify(memories.saved('v1'));
  const saved = z.array(savedDeviceSchema).parse(JSON.parse(text));
  const after = openMemories(clock).memories;
  after.restore(saved, 'v1');
  expect(after.current('a')).toEqual(PROFILE);
  clock.advance(DAY_MS / 2 + 1);
  expect(after.current('a')).toBeUndefined();
  expect(after.lastKnown('a')).toEqual(PROFILE);
});

test('how a device speaks is learnt again by other rules, and where it was learnt already', () => {
  const { memories, learn } = openMemories();
  const saved = learn('a') && memories.saved('v1');
  const { memories: other, learn: learnAgain } = openMemories();
  other.restore(saved, 'v2');
  expect(other.lastKnown('a')).toBeUndefined();
  const newer = { ...PROFILE, source: 'flow' } as const;
  learnAgain('a', newer);
  other.restore(saved, 'v1');
  expect(other.current('a')).toEqual(newer);
});

test('a device that lost its endpoint is not saved, and one that is forgotten is not either', () => {
  const { memories, learn } = openMemories();
  learn('lost', { ...PROFILE, lostEndpoint: 'latest-state' });
  learn('gone');
  memories.forget('gone');
  expect(memories.saved('v1')).toEqual([]);
});
