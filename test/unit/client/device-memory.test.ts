import { expect, test } from 'vitest';
import { z } from 'zod';
import { RecentMap } from '../../../src/base/recent-map.ts';
import {
  type DeviceMemories,
  type DeviceMemory,
  newMemory,
  restoreDevices,
  savedDevices,
  savedDeviceSchema,
} from '../../../src/client/devices/device-memory.ts';
import type { DeviceProfile } from '../../../src/client/devices/device-profile.ts';
import { isOver, waitFor } from '../../../src/base/wait.ts';
import { DAY_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';

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

test('how a device speaks is as it was after a restart, until it would have been learnt again', () => {
  const clock = new FakeClock();
  const memories = remembering({ profile: PROFILE, learnAgain: waitFor(DAY_MS, clock) });
  clock.advance(DAY_MS / 2);
  const text = JSON.stringify(savedDevices(memories, 'v1', clock));
  const others: DeviceMemories = new RecentMap(1);
  restoreDevices(others, z.array(savedDeviceSchema).parse(JSON.parse(text)), 'v1', clock);
  const { profile, learnAgain } = others.get('a') ?? newMemory();
  expect(profile).toEqual(PROFILE);
  expect(isOver(learnAgain, clock)).toBe(false);
  clock.advance(DAY_MS / 2 + 1);
  expect(isOver(learnAgain, clock)).toBe(true);
});

test('a device that nobody knows, or that lost its source, is not saved', () => {
  for (const profile of [undefined, { ...PROFILE, lostSource: 'latest' } as const])
    expect(savedDevices(remembering({ profile }), 'v1', new FakeClock())).toEqual([]);
});

function remembering(known: Partial<DeviceMemory>): DeviceMemories {
  const memories: DeviceMemories = new RecentMap(1);
  memories.set('a', { ...newMemory(), ...known });
  return memories;
}
