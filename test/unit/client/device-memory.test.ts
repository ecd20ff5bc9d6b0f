import { expect, test } from 'vitest';
import { RecentMap } from '../../../src/base/recent-map.ts';
import { waitFor } from '../../../src/base/wait.ts';
import { newMemory } from '../../../src/client/devices/device-memory.ts';
import type { DeviceProfile } from '../../../src/client/devices/device-profile.ts';
import { deviceReader } from '../../../src/client/devices/device-reader.ts';
import { RuleSet } from '../../../src/client/dialects/interpret.ts';
import { ServiceClock } from '../../../src/client/exchange/service-clock.ts';
import { DAY_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

test('no more strings of a device are remembered than any inverter has', async () => {
  const samples = Array.from({ length: 600 }, (_, spelling) => {
    const letters = [...'chargingpower'].map((letter, place) =>
      (spelling >> place) & 1 ? letter.toUpperCase() : letter,
    );
    const [number, text] = [{ value: 5 }, { value: '5' }];
    return { key: `PV1${letters.join('')}`, tag: 'W', number, text };
  });
  const clock = new FakeClock();
  const parts = new Set<string>();
  const profile: DeviceProfile = {
    family: 'pi30',
    familyName: 'pi30',
    source: 'latest',
    keys: [],
    missing: [],
    unknownKeys: [],
    ofHouse: [],
    parts,
    tags: new Map(),
    words: new Map(),
    hasNoEnergyFlow: true,
    isInterface: false,
  };
  const memories = new RecentMap<string, ReturnType<typeof newMemory>>(1);
  memories.set('a', { ...newMemory(), profile, learnAgain: waitFor(DAY_MS, clock) });
  const [rules, serviceClock, log] = [new RuleSet(), new ServiceClock(clock), new SilentLog()];
  const call = () => Promise.resolve({ samples }) as never;
  const options = {
    call,
    rules,
    clock,
    random: () => 0.5,
    serviceClock,
    log,
    memories,
    isEveryKeyWanted: false,
    noteDropped: () => undefined,
  };
  await deviceReader(options).fetchReadings({ deviceId: 'a' });
  expect(parts.size).toBe(500);
});
