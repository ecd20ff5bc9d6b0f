import { describe, expect, test } from 'vitest';
import { DeviceEndpoints } from '../../../src/client/devices/device-endpoints.ts';
import type { DeviceProfile } from '../../../src/client/devices/device-profile.ts';
import { learnProfile } from '../../../src/client/devices/learn-profile.ts';
import { RuleSet } from '../../../src/client/dialects/rule-set.ts';
import { INTERFACE_KEYS } from '../../../src/client/dialects/family.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import type { ServiceRequest } from '../../../src/client/exchange/transport.ts';
import { createCaller } from '../exchange/caller-harness.ts';
import { dataOf, measuredIn, samplesOf } from '../dialects/fixture.ts';

const PATHS = {
  readings: '/history',
  latestState: '/latest',
  attributes: '/attributes',
  energyFlow: '/flow',
};
type Files = Partial<Record<'/history' | '/latest' | '/attributes' | '/flow', string>>;

/** Learns a device whose endpoints answer with a fixture each, or with 404. */
async function learn(first: string | undefined, files: Files, previous?: DeviceProfile) {
  const answer = ({ url }: ServiceRequest) => {
    const file = files[url.pathname as keyof Files];
    if (file === undefined) throw new ServiceError('SERVICE_REQUEST_REJECTED', 'HTTP 404');
    return { code: 0, data: dataOf(file) };
  };
  const { caller, transport } = createCaller(answer, { paths: PATHS });
  const endpoints = new DeviceEndpoints(caller);
  const answered = first === undefined ? [] : samplesOf(first, 'history');
  const known = answered.filter(({ key }) => INTERFACE_KEYS.includes(key));
  const device = { deviceId: '1' };
  const rules = new RuleSet();
  const options = { endpoints, rules, firstKeys: INTERFACE_KEYS };
  const result = await learnProfile(device, known, options, previous);
  const asked = transport.requests.map(({ url }) => url.pathname);
  return { ...result, asked, measured: measuredIn(result.answers[0].measurements) };
}

describe('a profile is learnt', () => {
  test.each([
    {
      family: 'hpvinv02',
      first: 'family-hpvinv02-history',
      files: { '/history': 'family-hpvinv02-history', '/latest': 'family-hpvinv02-latest' },
      source: 'latest',
      missing: [],
      measured: { pvPowerWatts: 1210, gridFeedInPowerWatts: 450 },
    },
    {
      family: 'uwb1',
      first: undefined,
      files: { '/latest': 'family-uwb1-latest' },
      source: 'latest',
      missing: [],
      measured: { pvPowerWatts: 1430, gridImportPowerWatts: 120, batteryPowerWatts: -1120 },
    },
    {
      family: 'mega-eco',
      first: undefined,
      files: { '/flow': 'family-mega-eco-flow' },
      source: 'flow',
      missing: ['batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes'],
      measured: { pvPowerWatts: 2200, acOutputPowerWatts: 1850, gridImportPowerWatts: 640 },
    },
    {
      family: 'a-phase-hybrid',
      first: 'family-a-phase-hybrid-history',
      files: {
        '/history': 'family-a-phase-hybrid-history',
        '/latest': 'family-a-phase-hybrid-latest',
      },
      source: 'history',
      missing: ['batteryDischargeCurrentAmperes', 'batteryChargingCurrentAmperes'],
      measured: { pvPowerWatts: 2100, gridImportPowerWatts: 400, batteryPowerWatts: -1500 },
    },
    {
      family: 'sierro',
      first: undefined,
      files: { '/latest': 'family-sierro-latest' },
      source: 'latest',
      missing: ['gridFeedInPowerWatts'],
      measured: { pvPowerWatts: 410, batteryDischargeCurrentAmperes: 4.5, batterySocRatio: 0.62 },
    },
    {
      family: 'charge-controller',
      first: undefined,
      files: {
        '/latest': 'family-charge-controller-latest',
        '/flow': 'family-charge-controller-flow',
      },
      source: 'latest',
      missing: ['pvPowerWatts', 'batteryDischargeCurrentAmperes', 'gridFeedInPowerWatts'],
      measured: { loadPowerWatts: 120, batterySocRatio: 0.58 },
    },
  ])('from the answers of $family', async ({ family, first, files, source, missing, measured }) => {
    const learnt = await learn(first, files);
    expect(learnt.profile).toMatchObject({ family, source, missing });
    expect(learnt.measured).toMatchObject(measured);
    expect(learnt.isInconclusive).toBe(false);
  });
});

describe('a profile', () => {
  test('has the units that came with the answers', async () => {
    const { profile } = await learn(undefined, { '/latest': 'family-uwb1-latest' });
    expect(profile.tags.get('aPhaseMainsPower')).toBe('W');
    expect(profile.tags.get('load_power')).toBe('kW');
  });

  test('has the keys that are read, and not those that are not exported or unknown', async () => {
    const { profile } = await learn('family-hpvinv02-history', {
      '/history': 'family-hpvinv02-history',
      '/latest': 'family-hpvinv02-latest',
    });
    expect(profile.keys).toContain('mainsCurrentFlowDirection');
    expect(profile.keys).toContain('bmsBatteryVoltage');
    expect(profile.keys).not.toContain('pvGeneratedEnergyOfDay');
    expect(profile.keys).not.toContain('batteryStatus');
    expect(profile.keys).not.toContain('pvInputPower');
  });

  test('lists the keys that have no rule', async () => {
    const { profile } = await learn(undefined, { '/latest': 'latest-with-unknown-keys' });
    expect(profile.family).toBeUndefined();
    expect(profile.unknownKeys).toEqual(['solarYieldNow', 'generationPower', 'houseMeter']);
  });

  test('is classic where only the interface answers', async () => {
    const { profile, asked } = await learn('readings-missing-keys', {});
    expect(asked).toEqual(['/latest', '/attributes', '/flow']);
    expect(profile).toMatchObject({ family: 'classic', source: 'history', keys: INTERFACE_KEYS });
  });

  test('does not ask for the energy flow where nothing is missing', async () => {
    const { asked } = await learn(undefined, {
      '/history': 'family-hpvinv02-history',
      '/latest': 'family-hpvinv02-latest',
    });
    expect(asked).toEqual(['/latest', '/history']);
  });

  test('does not ask for the catalogue where the latest state has fields', async () => {
    const { asked } = await learn(undefined, { '/latest': 'latest-with-unknown-keys' });
    expect(asked).not.toContain('/attributes');
  });

  test('takes keys and units from the catalogue where the latest state has none', async () => {
    const { profile, asked, measured } = await learn('family-hpvinv02-history', {
      '/history': 'family-hpvinv02-history',
      '/latest': 'latest-without-fields',
      '/attributes': 'attributes-catalogue',
    });
    expect(asked).toEqual(['/latest', '/attributes', '/flow', '/history']);
    expect(profile).toMatchObject({ family: 'hpvinv02', source: 'history' });
    expect(profile.tags.get('pvPower')).toBe('kW');
    expect(measured).toMatchObject({ pvPowerWatts: 1200, gridImportPowerWatts: 300 });
  });

  test('keeps from the previous profile that there is no energy flow', async () => {
    const files = { '/latest': 'latest-with-unknown-keys' };
    const { profile } = await learn(undefined, files);
    const again = await learn(undefined, files, { ...profile, hasNoEnergyFlow: true });
    expect(again.asked).toEqual(['/latest']);
    expect(again.profile.hasNoEnergyFlow).toBe(true);
  });
});
