import { describe, expect, test } from 'vitest';
import { DeviceQuestions } from '../../src/client/device-questions.ts';
import { learnDialect, type Lesson } from '../../src/client/dialect-lesson.ts';
import { RuleBook } from '../../src/client/dialects/rule-book.ts';
import { INTERFACE_KEYS } from '../../src/client/dialects/rules.ts';
import { ServiceError } from '../../src/errors.ts';
import { createCaller } from './caller-harness.ts';
import { dataOf, measuredIn, samplesOf } from './dialects/fixture.ts';

const BASE = 'https://service.example.org';
type Files = Partial<Record<'/history' | '/latest' | '/attributes' | '/flow', string>>;

/** Learns a device of which each place answers with a fixture, or not at all. */
async function learn(first: string | undefined, files: Files, previous?: Lesson) {
  const { caller, transport } = createCaller(({ url }) => {
    const file = files[url.pathname as keyof Files];
    if (file === undefined) throw new ServiceError('SERVICE_REQUEST_REJECTED', 'HTTP 404');
    return { code: 0, data: dataOf(file) };
  });
  const questions = new DeviceQuestions(caller, {
    readings: new URL('/history', BASE),
    latestState: new URL('/latest', BASE),
    attributes: new URL('/attributes', BASE),
    energyFlow: new URL('/flow', BASE),
  });
  const answered = first === undefined ? [] : samplesOf(first, 'history');
  const known = answered.filter(({ key }) => INTERFACE_KEYS.includes(key));
  const device = { deviceId: '1' };
  const book = new RuleBook();
  const teaching = { questions, book, firstKeys: INTERFACE_KEYS };
  const learnt = await learnDialect(device, known, teaching, previous);
  const asked = transport.requests.map(({ url }) => url.pathname);
  return { ...learnt, asked, measured: measuredIn(learnt.frames[0].measurements) };
}

describe('a dialect is learnt', () => {
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
    expect(learnt.lesson).toMatchObject({ family, source, missing });
    expect(learnt.measured).toMatchObject(measured);
    expect(learnt.isInconclusive).toBe(false);
  });
});

describe('a lesson', () => {
  test('has the units that came with the answers', async () => {
    const { lesson } = await learn(undefined, { '/latest': 'family-uwb1-latest' });
    expect(lesson.tags.get('aPhaseMainsPower')).toBe('W');
    expect(lesson.tags.get('load_power')).toBe('kW');
  });

  test('has the keys that are read, and not those that are not exported or unknown', async () => {
    const { lesson } = await learn('family-hpvinv02-history', {
      '/history': 'family-hpvinv02-history',
      '/latest': 'family-hpvinv02-latest',
    });
    expect(lesson.keys).toContain('mainsCurrentFlowDirection');
    expect(lesson.keys).toContain('bmsBatteryVoltage');
    expect(lesson.keys).not.toContain('pvGeneratedEnergyOfDay');
    expect(lesson.keys).not.toContain('batteryStatus');
    expect(lesson.keys).not.toContain('pvInputPower');
  });

  test('names what nobody has described', async () => {
    const { lesson } = await learn(undefined, { '/latest': 'latest-with-unknown-keys' });
    expect(lesson.family).toBeUndefined();
    expect(lesson.unknownKeys).toEqual(['solarYieldNow', 'generationPower', 'houseMeter']);
  });

  test('is that of the interface where nothing else answers', async () => {
    const { lesson, asked } = await learn('readings-missing-keys', {});
    expect(asked).toEqual(['/latest', '/attributes', '/flow']);
    expect(lesson).toMatchObject({ family: 'classic', source: 'history', keys: INTERFACE_KEYS });
  });

  test('needs no energy flow where nothing is missing', async () => {
    const { asked } = await learn(undefined, {
      '/history': 'family-hpvinv02-history',
      '/latest': 'family-hpvinv02-latest',
    });
    expect(asked).toEqual(['/latest', '/history']);
  });

  test('needs no catalogue where the latest state has fields', async () => {
    const { asked } = await learn(undefined, { '/latest': 'latest-with-unknown-keys' });
    expect(asked).not.toContain('/attributes');
  });

  test('takes keys and units from the catalogue where the latest state has none', async () => {
    const { lesson, asked, measured } = await learn('family-hpvinv02-history', {
      '/history': 'family-hpvinv02-history',
      '/latest': 'latest-without-fields',
      '/attributes': 'attributes-catalogue',
    });
    expect(asked).toEqual(['/latest', '/attributes', '/flow', '/history']);
    expect(lesson).toMatchObject({ family: 'hpvinv02', source: 'history' });
    expect(lesson.tags.get('pvPower')).toBe('kW');
    expect(measured).toMatchObject({ pvPowerWatts: 1200, gridImportPowerWatts: 300 });
  });

  test('remembers from before that there is no energy flow', async () => {
    const files = { '/latest': 'latest-with-unknown-keys' };
    const { lesson } = await learn(undefined, files);
    const again = await learn(undefined, files, { ...lesson, hasNoEnergyFlow: true });
    expect(again.asked).toEqual(['/latest']);
    expect(again.lesson.hasNoEnergyFlow).toBe(true);
  });
});
