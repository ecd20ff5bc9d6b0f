import { expect, test } from 'vitest';
import {
  newMemory,
  restoreDevice,
  savedDevice,
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
  const before = { ...newMemory(), profile: PROFILE, learnAgain: waitFor(DAY_MS, clock) };
  clock.advance(DAY_MS / 2);
  const text = JSON.stringify(savedDevice('a', before, 'v1', clock));
  const after = newMemory();
  restoreDevice(after, savedDeviceSchema.parse(JSON.parse(text)), clock);
  expect(after.profile).toEqual(PROFILE);
  expect(isOver(after.learnAgain, clock)).toBe(false);
  clock.advance(DAY_MS / 2 + 1);
  expect(isOver(after.learnAgain, clock)).toBe(true);
});

test('a device that nobody knows, or that lost its source, is not saved', () => {
  const clock = new FakeClock();
  const profile = { ...PROFILE, lostSource: 'latest' } as const;
  expect(savedDevice('lost', { ...newMemory(), profile }, 'v1', clock)).toBeUndefined();
  expect(savedDevice('new', newMemory(), 'v1', clock)).toBeUndefined();
});
