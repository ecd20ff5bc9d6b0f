import { describe, expect, test } from 'vitest';
import type { DeviceProfile } from '../../../src/client/devices/device-profile.ts';
import type { ProfileResult } from '../../../src/client/devices/learn-profile.ts';
import { PartKeys } from '../../../src/client/devices/part-keys.ts';
import type { ProbeResult } from '../../../src/client/devices/probe-endpoint.ts';
import { ProfileCache } from '../../../src/client/devices/profile-cache.ts';
import type { DeviceReport } from '../../../src/model/readings.ts';
import { reportOf } from '../../support/device-report.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const PROFILE: DeviceProfile = {
  family: 'hpvinv02',
  source: 'history',
  keys: ['pvPower'],
  tags: new Map(),
  words: new Map(),
  missing: [],
  unknownKeys: [],
  parts: new PartKeys(),
  hasNoEnergyFlow: false,
};
const LATEST: ProbeResult = {
  endpoint: 'latest-state',
  outcome: 'ok',
  samples: [],
  firingAlarms: [],
};

function learnt(changes: Partial<DeviceProfile> = {}, isInconclusive = false): ProfileResult {
  return {
    profile: { ...PROFILE, ...changes },
    answers: [{ source: 'history', fields: [], measurements: [], incomplete: [] }],
    probes: [LATEST],
    latest: LATEST,
    isInconclusive,
    isEndpointRefused: false,
  };
}

function createCache(random = 0.5) {
  const clock = new FakeClock();
  const log = new SilentLog();
  const cache = new ProfileCache({ clock, random: () => random, log });
  /** Returns a report of a device whose reading is that old. */
  const report = (ageMs: number | undefined, serviceAheadMs = 0): DeviceReport =>
    reportOf(
      {
        batteryVoltageVolts: 52,
        measuredAtMs: ageMs === undefined ? undefined : clock.nowMs() + serviceAheadMs - ageMs,
      },
      { serviceAheadMs },
    );
  return { cache, clock, log, report };
}

describe('a profile', () => {
  test('is absent for a device that was never learnt', () => {
    const { cache, report } = createCache();
    cache.noteReading('1', report(0));
    expect(cache.current('1')).toBeUndefined();
    expect(cache.lastKnown('1')).toBeUndefined();
  });

  test.each([
    { what: 'of an online device', ageMs: MINUTE_MS, isInconclusive: false, lastsMs: DAY_MS },
    { what: 'of a device without times', ageMs: undefined, isInconclusive: false, lastsMs: DAY_MS },
    { what: 'of an offline device', ageMs: 3 * DAY_MS, isInconclusive: false, lastsMs: DAY_MS },
    {
      what: 'learnt while an endpoint failed',
      ageMs: MINUTE_MS,
      isInconclusive: true,
      lastsMs: 10 * MINUTE_MS,
    },
  ])('$what lasts for $lastsMs ms', ({ ageMs, isInconclusive, lastsMs }) => {
    const { cache, clock, report } = createCache();
    cache.store('1', learnt({}, isInconclusive), report(ageMs));
    clock.advance(lastsMs - 1);
    expect(cache.current('1')).toEqual(PROFILE);
    clock.advance(1);
    expect(cache.current('1')).toBeUndefined();
    expect(cache.lastKnown('1')).toEqual(PROFILE);
  });

  test.each([
    { isInconclusive: false, lastsMs: HOUR_MS },
    { isInconclusive: true, lastsMs: 10 * MINUTE_MS },
  ])('of a device without values lasts for $lastsMs ms', ({ isInconclusive, lastsMs }) => {
    const { cache, clock } = createCache();
    cache.store('1', learnt({}, isInconclusive), reportOf({}));
    clock.advance(lastsMs - 1);
    expect(cache.current('1')).toBeDefined();
    clock.advance(1);
    expect(cache.current('1')).toBeUndefined();
  });

  test.each([
    { random: 0, lastsMs: 0.9 * DAY_MS },
    { random: 0.5, lastsMs: DAY_MS },
    { random: 1, lastsMs: 1.1 * DAY_MS },
  ])('lasts for $lastsMs ms by the random number $random', ({ random, lastsMs }) => {
    const { cache, clock, report } = createCache(random);
    cache.store('1', learnt(), report(0));
    clock.advance(Math.floor(lastsMs) - 1);
    expect(cache.current('1')).toBeDefined();
    clock.advance(2);
    expect(cache.current('1')).toBeUndefined();
  });

  test('is learnt again after ten minutes, an hour, and then every day while an endpoint fails', () => {
    const { cache, clock, report } = createCache();
    for (const lastsMs of [10 * MINUTE_MS, HOUR_MS, DAY_MS, DAY_MS]) {
      cache.store('1', learnt({}, true), report(0));
      clock.advance(lastsMs - 1);
      expect(cache.current('1')).toBeDefined();
      clock.advance(1);
      expect(cache.current('1')).toBeUndefined();
    }
  });

  test('is learnt again after ten minutes when no endpoint failed the time before', () => {
    const { cache, clock, report } = createCache();
    cache.store('1', learnt({}, true), report(0));
    cache.store('1', learnt(), report(0));
    cache.store('1', learnt({}, true), report(0));
    clock.advance(10 * MINUTE_MS);
    expect(cache.current('1')).toBeUndefined();
  });

  test.each<{
    what: string;
    known: Partial<DeviceProfile>;
    later: Partial<DeviceProfile>;
    isInconclusive: boolean;
    expected: Partial<DeviceProfile>;
  }>([
    {
      what: 'gives way to a newer one',
      known: { source: 'history' },
      later: { source: 'latest', missing: ['pvPowerWatts'] },
      isInconclusive: false,
      expected: { source: 'latest', missing: ['pvPowerWatts'] },
    },
    {
      what: 'stays when an endpoint failed and the new one is no better',
      known: { source: 'history' },
      later: { source: 'latest' },
      isInconclusive: true,
      expected: { source: 'history' },
    },
    {
      what: 'stays when an endpoint failed and the new one is worse',
      known: { source: 'history' },
      later: { source: 'latest', missing: ['pvPowerWatts'] },
      isInconclusive: true,
      expected: { source: 'history', missing: [] },
    },
    {
      what: 'gives way to a better one even when an endpoint failed',
      known: { source: 'history', missing: ['pvPowerWatts'] },
      later: { source: 'latest' },
      isInconclusive: true,
      expected: { source: 'latest', missing: [] },
    },
    {
      what: 'stays, and notes the missing energy flow',
      known: { source: 'history' },
      later: { source: 'latest', hasNoEnergyFlow: true },
      isInconclusive: true,
      expected: { source: 'history', hasNoEnergyFlow: true },
    },
  ])('$what', ({ known, later, isInconclusive, expected }) => {
    const { cache, report } = createCache();
    cache.store('1', learnt(known), report(0));
    const counts = cache.store('1', learnt(later, isInconclusive), report(0));
    expect(counts).toMatchObject(expected);
    expect(cache.current('1')).toEqual(counts);
  });

  test('is kept however long the device is silent, and forgotten with the device', () => {
    const { cache, clock, report } = createCache();
    cache.store('1', learnt(), report(0));
    clock.advance(30 * DAY_MS);
    cache.store('2', learnt(), report(0));
    expect(cache.lastKnown('1')).toBeDefined();
    cache.forget('1');
    expect(cache.lastKnown('1')).toBeUndefined();
    expect(cache.lastKnown('2')).toBeDefined();
  });

  test('of a device that lost its source is learnt again like one whose endpoint failed', () => {
    const { cache, clock, report } = createCache();
    for (const pauseMs of [10 * MINUTE_MS, HOUR_MS, DAY_MS]) {
      cache.store('1', learnt({ lostEndpoint: 'energy-flow' }), report(0));
      clock.advance(pauseMs - 1);
      expect(cache.current('1')).toBeDefined();
      clock.advance(1);
      expect(cache.current('1')).toBeUndefined();
    }
  });

  test('belongs to one device', () => {
    const { cache, report } = createCache();
    cache.store('1', learnt(), report(0));
    expect(cache.current('2')).toBeUndefined();
  });
});

describe('a device that was read', () => {
  test.each([
    { when: 'it was online when it was learnt', learntAgeMs: MINUTE_MS, ageMs: 0, isKept: true },
    { when: 'it is still offline', learntAgeMs: 2 * HOUR_MS, ageMs: HOUR_MS, isKept: true },
    { when: 'it has come back', learntAgeMs: 2 * HOUR_MS, ageMs: HOUR_MS - 1, isKept: false },
  ])('keeps its profile when $when: $isKept', ({ learntAgeMs, ageMs, isKept }) => {
    const { cache, report } = createCache();
    cache.store('1', learnt(), report(learntAgeMs));
    cache.noteReading('1', report(ageMs));
    expect(cache.current('1') !== undefined).toBe(isKept);
  });

  test('without values has not come back', () => {
    const { cache, report } = createCache();
    cache.store('1', learnt(), report(2 * HOUR_MS));
    cache.noteReading('1', reportOf({}));
    expect(cache.current('1')).toBeDefined();
  });

  test.each([{ serviceAheadMs: 5 * DAY_MS }, { serviceAheadMs: -5 * DAY_MS }])(
    'is online by the clock of the service, which is $serviceAheadMs ms ahead',
    ({ serviceAheadMs }) => {
      const { cache, report } = createCache();
      cache.store('1', learnt(), report(2 * HOUR_MS, serviceAheadMs));
      cache.noteReading('1', report(2 * HOUR_MS, serviceAheadMs));
      expect(cache.current('1')).toBeDefined();
      cache.noteReading('1', report(MINUTE_MS, serviceAheadMs));
      expect(cache.current('1')).toBeUndefined();
    },
  );
});

describe('the log', () => {
  const NO_FLOW = 'the service has no energy flow for this device; it is not asked again';

  test('mentions a model without an energy flow once', () => {
    const { cache, log, report } = createCache();
    cache.store('1', learnt(), report(0));
    expect(log.messages('info')).toEqual([]);
    cache.store('1', learnt({ hasNoEnergyFlow: true }), report(0));
    cache.store('1', learnt({ hasNoEnergyFlow: true }), report(0));
    expect(log.messages('info')).toEqual([NO_FLOW]);
  });

  test('warns about an unknown family once for each device', () => {
    const { cache, log, report } = createCache();
    const unknown = learnt({ family: undefined, unknownKeys: ['a', 'b'] });
    cache.store('1', unknown, report(0));
    cache.store('1', learnt(), report(0));
    cache.store('1', unknown, report(0));
    cache.store('2', unknown, report(0));
    const warnings = log.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields)).toEqual([
      { device_id: '1', unknown_keys: 2 },
      { device_id: '2', unknown_keys: 2 },
    ]);
  });

  test('does not warn about the family while an endpoint fails', () => {
    const { cache, log, report } = createCache();
    cache.store('1', learnt({ family: undefined }, true), report(0));
    expect(log.messages('warn')).toEqual([]);
    cache.store('1', learnt({ family: undefined }), report(0));
    expect(log.messages('warn')).toHaveLength(1);
  });

  test('has a line for every new family or source', () => {
    const { cache, log, report } = createCache();
    cache.store('1', learnt(), report(0));
    cache.store('1', learnt(), report(0));
    cache.store('1', learnt({ source: 'latest' }), report(0));
    cache.store('1', learnt({ source: 'latest', family: 'uwb1' }), report(0));
    const lines = log.lines.filter(({ level }) => level === 'debug');
    expect(
      lines.map(({ fields }) => `${String(fields['family'])} ${String(fields['source'])}`),
    ).toEqual(['hpvinv02 history', 'hpvinv02 latest', 'uwb1 latest']);
  });
});
