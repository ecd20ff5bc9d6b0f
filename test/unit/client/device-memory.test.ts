import { expect, test } from 'vitest';
import { z } from 'zod';
import { type SavedDevice, savedDeviceSchema } from '../../../src/client/devices/device-memory.ts';
import type { DeviceProfile } from '../../../src/client/devices/device-profile.ts';
import { deviceReader } from '../../../src/client/devices/device-reader.ts';
import { type FieldSample, RuleSet } from '../../../src/client/dialects/interpret.ts';
import { ServiceClock } from '../../../src/client/exchange/transport.ts';
import { DAY_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

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

/** What is kept, half a day later, of a device that begins with this, and has sent these samples if any. */
async function keptOf(more: Partial<SavedDevice>, samples?: readonly FieldSample[]) {
  const clock = new FakeClock();
  const [rules, serviceClock, log] = [new RuleSet(), new ServiceClock(clock), new SilentLog()];
  const call = () => Promise.resolve({ samples }) as never;
  const reader = deviceReader({ call, rules, clock, random: () => 0.5, serviceClock, log });
  const device: SavedDevice = {
    ...{ deviceId: 'a', learnAgainAtMs: clock.nowMs() + DAY_MS, isProvisional: true },
    ...{ rules: rules.version, profile: PROFILE, ...more },
  };
  reader.restoreDevices([device]);
  clock.advance(DAY_MS / 2);
  if (samples !== undefined) await reader.fetchReadings({ deviceId: 'a' });
  const text = JSON.stringify(reader.savedDevices());
  return { device, kept: z.array(savedDeviceSchema).parse(JSON.parse(text)) };
}

test('how a device speaks is as it was after a restart, until it would have been learnt again', async () => {
  const { device, kept } = await keptOf({});
  expect(kept).toEqual([device]);
});

test.each<[which: string, more: Partial<SavedDevice>]>([
  ['lost its source', { profile: { ...PROFILE, lostSource: 'latest' } }],
  ['was learnt by other rules', { rules: 'others' }],
])('a device that %s is not kept: it is learnt again', async (_which, more) => {
  expect((await keptOf(more)).kept).toEqual([]);
});

test('nobody believes that a device need not be learnt again for years', async () => {
  const { kept } = await keptOf({ learnAgainAtMs: Date.UTC(2100, 0) });
  expect(kept[0]?.learnAgainAtMs).toBe(new FakeClock().nowMs() + 1.1 * DAY_MS);
});

test('however many ways a device spells the key of a string, no more are remembered than any inverter has', async () => {
  const samples = Array.from({ length: 600 }, (_, spelling) => {
    const letters = [...'chargingpower'].map((letter, place) =>
      (spelling >> place) & 1 ? letter.toUpperCase() : letter,
    );
    const [number, text] = [{ value: 5 }, { value: '5' }];
    return { key: `PV1${letters.join('')}`, tag: 'W', number, text };
  });
  const { kept } = await keptOf({ isProvisional: false }, samples);
  expect(kept[0]?.profile.parts.size).toBe(500);
});
