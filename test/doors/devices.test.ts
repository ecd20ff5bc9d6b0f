import { describe, expect, test } from 'vitest';
import {
  catalogueOf,
  catalogueOfFields,
  type DeviceAnswers,
  devicesAnswering,
  flowOf,
  HPVINV02 as HPVINV02_STATE,
  seriesOf,
  stateOf,
  valuesOf,
} from './device-answers.ts';
import { DAY_MS, HOUR_MS, type HouseSetup, MINUTE_MS, openHouse, SECOND_MS } from './house.ts';
import {
  CLASSIC,
  liveHistory,
  type PortalAnswer,
  type Scripted,
  type TaggedFields,
} from './scripted-service.ts';

const PV = 'solar_pv_power_watts';
const IMPORT = 'solar_grid_import_power_watts';
const VOLTS = 'solar_battery_voltage_volts';
const family = (name: string, source: string) =>
  `solar_device_dialect_info{family="${name}",source="${source}"}`;
const lacks = (quantity: string) => `solar_device_quantity_missing_info{quantity="${quantity}"}`;

/** What a device may be asked for readings, by the endpoints. */
const ASKED: Readonly<Record<string, string>> = {
  readings: 'series',
  latestState: 'latest',
  energyFlow: 'flow',
  attributes: 'catalogue',
};
const ID = '7';

/** A house with one device that is read every minute, and whose answers may change. */
async function watch(answers: DeviceAnswers, { flags, ...setup }: HouseSetup = {}) {
  const devices: Record<string, DeviceAnswers> = { [ID]: answers };
  const house = await openHouse(devicesAnswering(devices), {
    // The first reading asks for the points since midnight as well.
    flags: { 'collect.energy': 'false', 'cache.readings-ttl': '1m', ...flags },
    ...setup,
  });
  return {
    ...house,
    /** From now on the device answers so, beside what it answered before. */
    becomes: (more: DeviceAnswers) => {
      devices[ID] = { ...devices[ID], ...more };
    },
    /** Lets time pass and scrapes, until nothing is asked any more; says what the device was asked meanwhile. */
    read: async (afterMs: number = MINUTE_MS) => {
      const before = house.requests.length;
      const asked = (): readonly string[] =>
        house.requests.slice(before).flatMap(({ endpoint }) => ASKED[endpoint] ?? []);
      let page = await house.scrapeAfter(afterMs);
      for (let known = 0; known < asked().length; page = await house.scrape())
        known = asked().length;
      return { page, asked: asked(), says: (expected: Page) => page.like(expected) };
    },
    /** The keys that the last series was asked for. */
    keysAsked: () => house.asked('readings').at(-1)?.body['keys'] as readonly string[],
  };
}

type Page = Readonly<Record<string, number | undefined>>;

const CLASSIC_STATE: TaggedFields = {
  pvInputPower: [1200, 'W'],
  acOutputActivePower: [0.85, 'kW'],
  batteryDischargeCurrent: [0, 'A'],
  batteryChargingCurrent: [5, 'A'],
  batteryVoltage: [52, 'V'],
  batterySOC: [93, '%'],
};
const SIX = valuesOf(CLASSIC_STATE);
/** A classic device without the feed-in, which no endpoint lists. */
const WITHOUT_FEED_IN: DeviceAnswers = {
  series: seriesOf(SIX),
  latest: stateOf(CLASSIC_STATE),
  flow: flowOf({ pvInputPower: [1200, 'W'] }),
};

const UNREAD: TaggedFields = { pvGeneratedEnergyOfDay: [4.5, 'kWh'], houseMeter: [1, 'W'] };
/** A device whose keys are others than those of the specification, in the series, too. */
const HPVINV02: DeviceAnswers = {
  series: seriesOf(valuesOf(HPVINV02_STATE)),
  latest: stateOf({ ...HPVINV02_STATE, ...UNREAD }),
};
const BATTERY: TaggedFields = { batteryPercentage: [76, '%'] };
/** Grid and PV show in the energy flow alone. */
const UWB1: DeviceAnswers = {
  latest: stateOf(BATTERY),
  flow: flowOf({
    pv1Power: [820, 'W'],
    pv2Power: [610, 'W'],
    aPhaseMainsPower: [-495, 'W'],
    load_power: [0.43, 'kW'],
  }),
};

const NO_FLOW: PortalAnswer = {
  envelope: { code: 70132, message: 'no rule', data: 'Energy flow rule not exists' },
};
const REFUSED: PortalAnswer = { envelope: { code: 70001, message: 'no right', data: null } };
/** As a service answers while somebody works on it. */
const BROKEN: PortalAnswer = { text: '<html>maintenance</html>' };

const ODD: PortalAnswer = { data: 'soon' };

/** Answers the specified keys alone. */
const shortSeries =
  (instead: PortalAnswer): Scripted =>
  (request) => {
    const keys = request.body['keys'] as readonly string[];
    const usual = HPVINV02.series as (given: typeof request) => PortalAnswer;
    return keys.includes('pvPower') ? instead : usual(request);
  };

describe('a device that answers all specified keys', () => {
  test('is read with one request, and asked for their units once a day', async () => {
    const { read, keysAsked, log } = await watch({ series: seriesOf(CLASSIC) });
    let atHour = 0;
    for (const hour of [0, 23, 24, 48]) {
      const { asked, says } = await read((hour - atHour) * HOUR_MS);
      atHour = hour;
      expect(asked).toEqual(hour % 24 === 0 ? ['series', 'latest'] : ['series']);
      const expected = {
        [PV]: 1200,
        solar_battery_power_watts: -260,
        solar_device_quantity_missing_info: undefined,
        [family('classic', 'history')]: 1,
      };
      expect(says(expected)).toEqual(expected);
    }
    expect(new Set(keysAsked())).toEqual(new Set(Object.keys(CLASSIC)));
    expect(log.messages('warn')).toEqual([]);
  });

  test('is read in the units of its latest state, kept while it fails', async () => {
    const { read, becomes } = await watch({
      series: seriesOf({ ...CLASSIC, pvInputPower: 1.2, acOutputActivePower: 850 }),
      latest: stateOf({ pvInputPower: [1.2, 'kW'], acOutputActivePower: [850, 'W'] }),
    });
    const expected = { [PV]: 1200, solar_ac_output_power_watts: 850 };
    expect((await read()).says(expected)).toEqual(expected);
    becomes({ latest: BROKEN });
    for (const [afterMs, asked] of [
      [DAY_MS, ['series', 'latest']],
      [8 * MINUTE_MS, ['series']],
      [2 * MINUTE_MS, ['series', 'latest']],
    ] as const) {
      const reading = await read(afterMs);
      expect(reading.asked).toEqual(asked);
      expect(reading.says(expected)).toEqual(expected);
    }
  });

  test('is read by its latest state as soon as it lacks one', async () => {
    const { read, becomes, scrapeAfter } = await watch({
      series: seriesOf(CLASSIC),
      latest: stateOf({ ...CLASSIC_STATE, feedInPower: [30, 'W'] }),
    });
    const expected = { [PV]: 1200, [IMPORT]: 0, solar_device_quantity_missing_info: undefined };
    expect((await read()).says(expected)).toEqual(expected);
    becomes({ series: seriesOf({ ...CLASSIC, pvInputPower: '' }) });
    for (const afterMs of [MINUTE_MS, 0, MINUTE_MS])
      expect((await scrapeAfter(afterMs)).like(expected)).toEqual(expected);
  });

  test('is learnt all the same where its latest state has keys of another family', async () => {
    const { read } = await watch({
      series: seriesOf({ ...CLASSIC, pvInputPower: 1.2, pv2InputPower: 0.8 }),
      latest: stateOf({
        pvInputPower: [1.2, 'kW'],
        pv2InputPower: [0.8, 'kW'],
        GridPower: [-30, 'W'],
      }),
    });
    const expected = { [family('mega-eco', 'history')]: 1, [PV]: 2000 };
    expect((await read()).says(expected)).toEqual(expected);
    const later = await read();
    expect(later.says(expected)).toEqual(expected);
    expect(later.asked).toEqual(['series']);
  });
});

describe('a device that does not is learnt in its first reading, and then read with one request', () => {
  test.each<{
    who: string;
    answers: DeviceAnswers;
    /** What it is asked the first time, and what from then on. */
    asked: readonly [first: string, later: string];
    keys?: readonly string[];
    page: Page;
  }>([
    {
      who: 'one that lacks a key',
      answers: WITHOUT_FEED_IN,
      asked: ['series latest flow', 'series'],
      keys: Object.keys(SIX),
      page: { [family('classic', 'history')]: 1, [PV]: 1200, [lacks('grid_feed_in_power')]: 1 },
    },
    {
      who: 'one with keys of its own',
      answers: HPVINV02,
      asked: ['series latest catalogue series', 'series'],
      // No list of the device says whether it has a second string.
      keys: [...Object.keys(HPVINV02_STATE), 'pv2Power'],
      page: { [family('hpvinv02', 'history')]: 1, [IMPORT]: 300, solar_device_unknown_keys: 1 },
    },
    {
      who: 'one that has them only in its latest state',
      answers: { latest: HPVINV02.latest },
      asked: ['series latest catalogue series', 'latest'],
      page: {
        [family('hpvinv02', 'latest')]: 1,
        [PV]: 1200,
        solar_device_quantity_missing_info: undefined,
      },
    },
    {
      who: 'one that has them only in its energy flow',
      answers: UWB1,
      asked: ['series latest flow catalogue series', 'flow'],
      page: { [family('uwb1', 'flow')]: 1, [PV]: 1430, [IMPORT]: 495 },
    },
    {
      who: 'one that has them only in its catalogue',
      answers: { ...HPVINV02, latest: stateOf({}), catalogue: catalogueOfFields(HPVINV02_STATE) },
      asked: ['series latest catalogue flow series', 'series'],
      keys: Object.keys(HPVINV02_STATE),
      page: { [family('hpvinv02', 'history')]: 1, [PV]: 1200, [IMPORT]: 300 },
    },
    {
      who: 'one whose service has the specification alone',
      answers: { series: seriesOf(SIX) },
      asked: ['series latest catalogue flow', 'series'],
      keys: Object.keys(CLASSIC),
      page: { [family('classic', 'history')]: 1, [PV]: 1200, [lacks('grid_feed_in_power')]: 1 },
    },
    {
      who: 'one whose series refuses the keys that were learnt',
      answers: { ...HPVINV02, series: shortSeries(REFUSED) },
      asked: ['series latest catalogue series', 'latest'],
      page: { [family('hpvinv02', 'latest')]: 1, [PV]: 1200, [IMPORT]: 300 },
    },
    {
      who: 'one that nobody has described',
      answers: {
        series: seriesOf({ batteryVoltage: 52.4 }),
        latest: stateOf({ ...UNREAD, batteryVoltage: [52.4, 'V'], generationPower: [1.2, ''] }),
        flow: NO_FLOW,
      },
      asked: ['series latest flow', 'series'],
      page: { [family('unknown', 'history')]: 1, [VOLTS]: 52.4, solar_device_unknown_keys: 2 },
    },
  ])('$who', async ({ answers, asked: [first, later], keys, page }) => {
    const { read, keysAsked } = await watch(answers);
    for (const asked of [first, later, later]) {
      const reading = await read();
      expect(reading.asked.join(' ')).toBe(asked);
      expect(reading.says(page)).toEqual(page);
    }
    if (keys !== undefined) expect(keysAsked().toSorted()).toEqual(keys.toSorted());
  });

  const at = (minutes: number) => `2026-08-24T07:${60 - minutes}:00.000Z`;
  const series = (fields: TaggedFields, minutes: number) => seriesOf(valuesOf(fields), at(minutes));
  const state = (fields: TaggedFields, minutes: number) => stateOf(fields, { time: at(minutes) });
  const ALL = HPVINV02_STATE;
  const MORE: TaggedFields = { ...ALL, gridVoltage: [230, 'V'], gridFrequency: [50, 'Hz'] };
  const MORE_BUT_ONE = { ...MORE, mainsPower: [null, 'kW'] } as const;
  const undated = { series: seriesOf(valuesOf(ALL), ''), latest: stateOf(ALL, { time: null }) };

  test.each<[which: string, answers: DeviceAnswers, source: string]>([
    [
      'misses fewest values, however old and however few others',
      { series: series(ALL, 14), latest: state(MORE_BUT_ONE, 1) },
      'history',
    ],
    ['is the freshest of them', { series: series(ALL, 6), latest: state(ALL, 1) }, 'latest'],
    [
      'is fresher rather than fuller',
      { series: series(ALL, 1), latest: state(MORE, 6), catalogue: catalogueOfFields(ALL) },
      'history',
    ],
    ['is fuller where all are fresh', { series: series(ALL, 1), latest: state(MORE, 2) }, 'latest'],
    ['is first where nobody dated them', undated, 'history'],
  ])('from the source that %s', async (_which, answers, source) => {
    const { read } = await watch(answers);
    const expected = { [family('hpvinv02', source)]: 1 };
    expect((await read(0)).says(expected)).toEqual(expected);
  });

  test('and each request names the device, and where its values come from', async () => {
    const { read, requests } = await watch({});
    await read();
    const asked = requests.filter(({ endpoint }) => endpoint in ASKED);
    expect(asked.map(({ query, body }) => query.toString() || body['deviceId'])).toEqual([
      ID,
      `deviceId=${ID}&dataSource=1`,
      `deviceId=${ID}&category=1&renderIn=2`,
      `deviceId=${ID}&dataSource=1`,
    ]);
  });
});

describe('a device is learnt again', () => {
  const SOON = [10 * MINUTE_MS, HOUR_MS];
  const EVER = [...SOON, DAY_MS, DAY_MS];

  test.each<[when: string, answers: DeviceAnswers, pausesMs: readonly number[]]>([
    ['after a day', { ...HPVINV02, flow: undefined }, [DAY_MS, DAY_MS]],
    ['after an hour while it has no value', {}, [HOUR_MS, HOUR_MS]],
    ['ever later while its latest state is broken', { ...WITHOUT_FEED_IN, latest: BROKEN }, EVER],
    ['ever later while its energy flow has another shape', { ...WITHOUT_FEED_IN, flow: ODD }, SOON],
    ['ever later while its energy flow hangs up', { ...WITHOUT_FEED_IN, flow: 'hang up' }, SOON],
    ['ever later while its series is broken', { ...HPVINV02, series: shortSeries(BROKEN) }, SOON],
    ['after a day where its flow is refused', { ...WITHOUT_FEED_IN, flow: REFUSED }, [DAY_MS]],
  ])('%s', async (_when, answers, pausesMs) => {
    const { read } = await watch(answers);
    await read();
    for (const pauseMs of pausesMs) {
      expect((await read(pauseMs - 2 * MINUTE_MS)).asked).toHaveLength(1);
      expect((await read(2 * MINUTE_MS + SECOND_MS)).asked.length).toBeGreaterThan(1);
    }
  });

  test.each([
    [0.9, 0],
    [1.1, 1],
  ])('or after %d days, so that not all are at once: %d', async (days, random) => {
    const { read } = await watch(HPVINV02, { random: () => random });
    await read();
    expect((await read(days * DAY_MS - 10 * MINUTE_MS)).asked).toEqual(['series']);
    expect((await read(20 * MINUTE_MS)).asked).toContain('latest');
  });

  test('and what has changed is learnt: another unit, or all specified keys', async () => {
    const { read, becomes } = await watch(HPVINV02);
    await read();
    const inWatts = { ...HPVINV02_STATE, pvPower: [1300, 'W'] } as const;
    becomes({ series: seriesOf(valuesOf(inWatts)), latest: stateOf(inWatts) });
    const changed = await read(DAY_MS);
    expect(changed.asked).toEqual(['series', 'latest', 'catalogue']);
    expect(changed.page.value(PV)).toBe(1300);
    expect((await read()).page.value(PV)).toBe(1300);
    becomes({ series: seriesOf(CLASSIC), latest: undefined });
    expect((await read(DAY_MS)).asked.join(' ')).toBe('series latest catalogue flow series');
    const { asked, says } = await read();
    expect(asked).toEqual(['series']);
    const expected = {
      [family('classic', 'history')]: 1,
      solar_device_quantity_missing_info: undefined,
    };
    expect(says(expected)).toEqual(expected);
  });

  test('and what was known stays in use while that fails', async () => {
    const { read, becomes } = await watch(HPVINV02);
    await read();
    const expected = { [family('hpvinv02', 'history')]: 1, [PV]: 1200, [IMPORT]: 300 };
    becomes({ latest: BROKEN, catalogue: BROKEN, flow: BROKEN });
    for (const afterMs of [DAY_MS, MINUTE_MS, 8 * MINUTE_MS])
      expect((await read(afterMs)).says(expected)).toEqual(expected);
    becomes({ ...HPVINV02, catalogue: undefined, flow: undefined });
    const after = await read(MINUTE_MS + SECOND_MS);
    expect(after.asked).toEqual(['series', 'latest', 'catalogue']);
    expect(after.says(expected)).toEqual(expected);
  });

  test('and that it has no energy flow is kept, and said once', async () => {
    const { read, log } = await watch({ ...WITHOUT_FEED_IN, flow: NO_FLOW });
    expect((await read()).asked).toEqual(['series', 'latest', 'flow']);
    for (let day = 0; day < 2; day += 1) {
      expect((await read()).asked).toEqual(['series']);
      expect((await read(DAY_MS)).asked).toEqual(['series', 'latest']);
    }
    const message = 'the service has no energy flow for this device; it is not asked again';
    expect(log.messages('info').filter((said) => said === message)).toHaveLength(1);
  });

  test('soon when the source that it is read from refuses, and returns to it', async () => {
    const { read, becomes } = await watch(UWB1);
    await read();
    expect((await read()).asked).toEqual(['flow']);
    becomes({ flow: { status: 404 } });
    await read(10 * MINUTE_MS);
    expect((await read()).asked.join(' ')).toBe('flow series latest');
    await read(10 * MINUTE_MS + SECOND_MS);
    becomes(UWB1);
    const { asked, page } = await read(HOUR_MS + SECOND_MS);
    expect(asked).toContain('flow');
    expect(page.value(PV)).toBe(1430);
    expect((await read()).asked).toEqual(['flow']);
  });

  test('and not kept where its source refuses, although another endpoint fails', async () => {
    const { read, becomes } = await watch(UWB1);
    await read();
    becomes({ flow: { status: 404 }, latest: BROKEN, series: seriesOf({ batterySOC: 76 }) });
    await read(10 * MINUTE_MS);
    await read(2 * MINUTE_MS);
    const { page } = await read(2 * MINUTE_MS);
    expect(page.value('solar_battery_soc_ratio')).toBe(0.76);
  });

  test('and what is better is taken although an endpoint fails', async () => {
    const { read, becomes } = await watch(WITHOUT_FEED_IN);
    await read();
    becomes({ latest: BROKEN, flow: flowOf({ ...CLASSIC_STATE, feedInPower: [30, 'W'] }) });
    for (const afterMs of [DAY_MS, MINUTE_MS])
      expect((await read(afterMs)).page.value('solar_grid_feed_in_power_watts')).toBe(30);
  });

  test('in one go, also where the endpoints do not answer', async () => {
    const answers = { ...WITHOUT_FEED_IN, latest: 'hang up', flow: 'hang up' } as const;
    const { scrape, requests } = await watch(answers);
    expect((await scrape()).value(PV)).toBe(1200);
    const asked = requests.flatMap(({ endpoint }) => ASKED[endpoint] ?? []);
    expect(asked).toEqual(['series', 'latest', 'catalogue', 'flow']);
    expect((await scrape()).value(PV)).toBe(1200);
    expect(requests.flatMap(({ endpoint }) => ASKED[endpoint] ?? [])).toEqual(asked);
  });

  test('and not because its source fails for the moment', async () => {
    const { read, becomes } = await watch(UWB1);
    await read();
    becomes({ flow: 'hang up' });
    for (const afterMs of [MINUTE_MS, 15 * MINUTE_MS])
      expect((await read(afterMs)).asked).toEqual(['flow']);
    becomes(UWB1);
    expect((await read(5 * MINUTE_MS)).asked).toEqual(['flow']);
  });

  test('when it was offline and comes back', async () => {
    const off = stateOf(HPVINV02_STATE, { time: '2026-08-21T08:00:00.000Z' });
    const { read, becomes } = await watch({ latest: off });
    await read();
    for (const hours of [1, 4]) expect((await read(hours * HOUR_MS)).asked).toEqual(['latest']);
    const at = '2026-08-24T13:00:00.000Z';
    const series = seriesOf(valuesOf(HPVINV02_STATE), at);
    becomes({ series, latest: stateOf(HPVINV02_STATE, { time: at }) });
    expect((await read()).asked).toEqual(['latest']);
    const { asked, page } = await read();
    expect(asked).toEqual(['latest', 'series', 'catalogue']);
    expect(page.value(PV)).toBe(1200);
    expect((await read(5 * MINUTE_MS)).asked).toEqual(['series']);
  });
});

describe('a device that begins to speak otherwise is learnt again at once', () => {
  const CHANGE_MS = Date.parse('2026-08-24T09:00:00Z');
  type Values = Readonly<Record<string, unknown>>;
  /** A series in turns of five minutes, with other values from the change on. */
  const series = (before: Values, after: Values): Scripted =>
    liveHistory((atMs) => (atMs < CHANGE_MS ? before : after));
  const state =
    (before: TaggedFields, after: TaggedFields): Scripted =>
    (request) =>
      stateOf(request.atMs < CHANGE_MS ? before : after)(request);
  const without = <Fields extends object>(fields: Fields, key: string): Fields =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key)) as Fields;

  const UNITS: TaggedFields = { pvInputPower: [1200, 'W'], acOutputActivePower: [0.85, 'kW'] };
  const KILO = { ...CLASSIC, pvInputPower: 1.2 };
  const OTHERS = without(HPVINV02_STATE, 'pvPower');

  /** Reads the device every five minutes, the first three times before the change. */
  async function walk(answers: DeviceAnswers, steps: number) {
    const { read } = await watch(answers, { now: '2026-08-24T08:46:00Z' });
    await read(0);
    const readings = [];
    for (let step = 0; step < steps; step += 1) readings.push(await read(5 * MINUTE_MS));
    const asked = readings.flatMap((reading) => reading.asked);
    return { pages: readings.map(({ page }) => page), more: asked.length - steps };
  }

  test.each<[what: string, answers: DeviceAnswers, gridImport: number, more: number]>([
    [
      'PV in kW',
      {
        series: series(CLASSIC, KILO),
        latest: state(UNITS, { ...UNITS, pvInputPower: [1.2, 'kW'] }),
      },
      0,
      1,
    ],
    [
      'PV in W of another family, which its catalogue says',
      {
        series: series(valuesOf(HPVINV02_STATE), { ...valuesOf(HPVINV02_STATE), pvPower: 1200 }),
        catalogue: ({ atMs }) =>
          catalogueOfFields({
            ...HPVINV02_STATE,
            pvPower: [0, atMs < CHANGE_MS ? 'kW' : 'W'],
          }),
      },
      300,
      4,
    ],
    [
      'PV by another key',
      {
        series: series(valuesOf(HPVINV02_STATE), { ...valuesOf(OTHERS), generationPower: 1.2 }),
        latest: state(HPVINV02_STATE, { ...OTHERS, generationPower: [1.2, 'kW'] }),
      },
      300,
      6,
    ],
    [
      'all by keys of another family',
      {
        series: series(CLASSIC, valuesOf({ ...HPVINV02_STATE, mainsPower: [0, 'kW'] })),
        latest: state(UNITS, HPVINV02_STATE),
      },
      0,
      6,
    ],
  ])('%s', async (_what, answers, gridImport, more) => {
    const { pages, more: asked } = await walk(answers, 8);
    const right = { [PV]: 1200, solar_load_power_watts: 850, [IMPORT]: gridImport };
    expect(pages.map((page) => page.like(right))).toEqual(pages.map(() => right));
    expect(asked).toBeLessThanOrEqual(more);
  });

  test('but not more often than once an hour, and what is doubtful is not shown', async () => {
    const isKilo = (atMs: number) => atMs >= CHANGE_MS && atMs < CHANGE_MS + 20 * MINUTE_MS;
    const kilo: TaggedFields = { ...UNITS, pvInputPower: [1.2, 'kW'] };
    const { pages, more } = await walk(
      {
        series: liveHistory((atMs) => (isKilo(atMs) ? KILO : CLASSIC)),
        latest: (request) => stateOf(isKilo(request.atMs) ? kilo : UNITS)(request),
      },
      18,
    );
    const shown = pages.map((page) => page.value(PV));
    expect(new Set(shown)).toEqual(new Set([1200, undefined]));
    expect(shown.at(-1)).toBe(1200);
    expect(more).toBe(2);
  });

  test('but not for a value that jumps in the same unit', async () => {
    const loads = [0.002, 2, 0.002, 2, 0.7];
    const turn = (atMs: number) => Math.floor(atMs / (5 * MINUTE_MS)) % loads.length;
    const { pages, more } = await walk(
      {
        series: liveHistory((atMs) => ({ ...CLASSIC, acOutputActivePower: loads[turn(atMs)] })),
        latest: stateOf(UNITS),
      },
      10,
    );
    const shown = pages.map((page) => page.value('solar_load_power_watts'));
    expect(new Set(shown)).toEqual(new Set([2, 2000, 700]));
    expect(more).toBeLessThanOrEqual(1);
  });

  test('but once for what nothing brings back: PV that sleeps by night', async () => {
    const { pages, more } = await walk(
      {
        series: series(CLASSIC, without(CLASSIC, 'pvInputPower')),
        latest: stateOf(without(UNITS, 'pvInputPower')),
        flow: NO_FLOW,
      },
      10,
    );
    expect(pages[0]?.value(PV)).toBe(1200);
    expect(more).toBeLessThanOrEqual(8);
  });
});

test('an unknown family is warned of once, and not because an endpoint fails', async () => {
  const { read, becomes, log } = await watch({ latest: BROKEN, flow: BROKEN });
  const warnings = () => log.lines.filter(({ message }) => message.includes('devices --explain'));
  await read();
  expect(warnings()).toEqual([]);
  becomes({ latest: stateOf(UNREAD), flow: undefined });
  for (let day = 0; day < 2; day += 1) await read(DAY_MS);
  expect(warnings()).toMatchObject([{ level: 'warn', fields: { device_id: ID, unknown_keys: 1 } }]);
});

test('a mode is shown by the words that were learnt, which are kept when others are', async () => {
  const isMode = (mode: string) => ({ [`solar_device_working_mode{mode="${mode}"}`]: 1 });
  const state = (code: string, words: string) => {
    const fields = Object.entries(CLASSIC_STATE).map(([key, [value, unit]]) => [
      key,
      { value, unit },
    ]);
    const workingStates = { value: code, valueDisplay: words };
    const time = '2026-08-24T06:00:00.000Z';
    return stateOf({}, { time, fields: { ...Object.fromEntries(fields), workingStates } });
  };
  const series = (code: string) => seriesOf({ ...SIX, workingStates: code });
  const { read, becomes } = await watch({ series: series('4'), latest: state('4', 'Line Mode') });
  for (const reading of [await read(), await read()])
    expect(reading.says(isMode('line'))).toEqual(isMode('line'));
  becomes({ series: series('3'), latest: state('3', 'Battery Mode') });
  expect((await read()).says(isMode('3'))).toEqual(isMode('3'));
  expect((await read(DAY_MS)).says(isMode('battery'))).toEqual(isMode('battery'));
  becomes({ series: series('4') });
  expect((await read()).says(isMode('line'))).toEqual(isMode('line'));
});

describe('a string that sleeps while the device is learnt', () => {
  const KEYS = { pv1Power: 'W', pv2Power: 'W', batteryPercentage: '%' };
  const places = ['series', 'latest', 'flow'] as const;
  /** The watts of both strings in one place; the second one may be null or left out. */
  const answers = (place: (typeof places)[number], second?: number | null): DeviceAnswers => {
    const fields: TaggedFields = {
      pv1Power: [500, 'W'],
      ...BATTERY,
      ...(second !== undefined && { pv2Power: [second, 'W'] }),
    };
    const scripted = {
      series: seriesOf(valuesOf(fields)),
      latest: stateOf(fields),
      flow: flowOf(fields),
    };
    return { catalogue: catalogueOf(KEYS), [place]: scripted[place] };
  };
  const cases = places.flatMap((place) => [
    { place, how: 'is null', asleep: null },
    { place, how: 'is left out', asleep: undefined },
  ]);

  test.each(cases)(
    'counts as soon as it wakes: in its $place it $how',
    async ({ place, asleep }) => {
      const { read, becomes, status } = await watch(answers(place, asleep));
      const unknown = { [PV]: undefined, [lacks('pv_power')]: 1 };
      expect((await read()).says(unknown)).toEqual(unknown);
      becomes(answers(place, 2000));
      const awake = await read();
      expect(awake.asked).toHaveLength(1);
      expect(awake.page.value(PV)).toBe(2500);
      becomes(answers(place, asleep));
      expect((await read()).says(unknown)).toEqual(unknown);
      expect(await status()).toMatchObject({
        stations: [{ devices: [{ silentKeys: ['pv2Power'] }] }],
      });
    },
  );

  test('is asked for where no list names it, and waited for from then on', async () => {
    const one: TaggedFields = { pv1Power: [500, 'W'], ...BATTERY };
    const hourOld = { time: '2026-08-24T06:00:00.000Z' };
    const { read, becomes, keysAsked } = await watch({
      series: seriesOf(valuesOf(one)),
      latest: stateOf(one, hourOld),
    });
    expect((await read()).page.value(PV)).toBe(500);
    expect(keysAsked()).toEqual(expect.arrayContaining(['pv2Power', 'pv3Power', 'pv4Power']));
    becomes({ series: seriesOf({ ...valuesOf(one), pv2Power: 2000 }) });
    expect((await read()).page.value(PV)).toBe(2500);
    becomes({ series: seriesOf(valuesOf(one)) });
    for (const afterMs of [MINUTE_MS, DAY_MS])
      expect((await read(afterMs)).page.value(PV)).toBeUndefined();
  });

  test('is not asked for where the catalogue lacks it, and forgotten once it does', async () => {
    const series = (...watts: readonly number[]) =>
      seriesOf({ pv1Power: watts[0], pv2Power: watts[1], batteryPercentage: 76 });
    const { read, becomes, keysAsked } = await watch({
      series: series(500, 700),
      catalogue: catalogueOf(KEYS),
      flow: NO_FLOW,
    });
    expect((await read()).page.value(PV)).toBe(1200);
    expect(keysAsked()).not.toContain('pv3Power');
    becomes({
      series: series(500),
      catalogue: catalogueOf({ pv1Power: 'W', batteryPercentage: '%' }),
    });
    expect((await read()).page.value(PV)).toBeUndefined();
    expect((await read(DAY_MS)).page.value(PV)).toBe(500);
  });

  test('is waited for where an answer without units named it once', async () => {
    const flowing = (second: TaggedFields): DeviceAnswers => ({
      flow: flowOf({ pvInputPower: [1.3, ''], ...second, GridPower: [20, 'W'] }),
    });
    const { read, becomes } = await watch(flowing({ pv2InputPower: [null, ''] }));
    expect((await read()).page.value(PV)).toBeUndefined();
    becomes(flowing({}));
    expect((await read()).page.value(PV)).toBeUndefined();
    becomes(flowing({ pv2InputPower: [0.9, ''] }));
    expect((await read()).page.value(PV)).toBe(2200);
  });
});

test('a key without a value while the device is learnt is still asked for', async () => {
  const atNight = { ...valuesOf(HPVINV02_STATE), pvPower: null };
  const { read, becomes } = await watch({
    series: seriesOf(atNight),
    catalogue: catalogueOfFields(HPVINV02_STATE),
    flow: NO_FLOW,
  });
  expect((await read()).page.value(PV)).toBeUndefined();
  becomes({ series: HPVINV02.series });
  const { asked, page } = await read(10 * HOUR_MS);
  expect(asked).toEqual(['series']);
  expect(page.value(PV)).toBe(1200);
});

test('a phase counts once the device has sent it, whatever it sends later', async () => {
  const phases = (...watts: readonly (number | null)[]) => {
    const fields = watts.map((value, index) => [
      `${'abc'.charAt(index)}PhaseMainsPower`,
      [value, 'W'],
    ]);
    return { latest: stateOf({ ...BATTERY, ...Object.fromEntries(fields) }) };
  };
  const { read, becomes } = await watch({
    ...phases(-200),
    catalogue: catalogueOf({ bPhaseMainsPower: 'W' }),
  });
  expect((await read()).page.value(IMPORT)).toBe(200);
  becomes(phases(-200, -100));
  expect((await read()).page.value(IMPORT)).toBe(300);
  becomes(phases(-200));
  expect((await read()).page.value(IMPORT)).toBeUndefined();
  becomes(phases(-200, null, -50));
  expect((await read()).page.value(IMPORT)).toBeUndefined();
  becomes(phases(-200, -100, -50));
  expect((await read()).page.value(IMPORT)).toBe(350);
});

describe('the alarms of a latest state', () => {
  const FIRING = [{ key: 'lineLoss', level: 2 }];
  const firing = (firingAlarms: readonly object[] = FIRING) =>
    stateOf(HPVINV02_STATE, { firingAlarms });
  const FIRES = { 'solar_device_alarm_firing{alarm="lineLoss",level="warning"}': 1 };
  const flags = { 'cache.alarms-ttl': '1m' };

  test('are those of the last reading, by a clock that is ahead, without a list', async () => {
    const setup = { flags, machineAheadMs: 4 * HOUR_MS };
    const { read, becomes, asked } = await watch({ latest: firing() }, setup);
    await read();
    const lists = asked('alarms').length;
    expect((await read(2 * MINUTE_MS)).page.like(FIRES)).toEqual(FIRES);
    becomes({ latest: firing([]) });
    await read(2 * MINUTE_MS);
    expect((await read(2 * MINUTE_MS)).page.all('solar_device_alarm_firing')).toEqual([]);
    expect(asked('alarms')).toHaveLength(lists);
  });

  test('are not asked for where the device is read elsewhere: the list is', async () => {
    const { read, asked } = await watch({ ...HPVINV02, latest: firing() }, { flags });
    for (let minute = 0; minute < 2; minute += 1)
      expect((await read(2 * MINUTE_MS)).page.all('solar_device_alarm_firing')).toEqual([]);
    expect(asked('alarms').length).toBeGreaterThan(1);
  });

  test('give way to the list once the state fails', async () => {
    const { read, becomes, asked } = await watch({ latest: firing() }, { flags });
    await read();
    await read();
    const lists = asked('alarms').length;
    becomes({ latest: BROKEN });
    await read(2 * MINUTE_MS);
    await read(2 * MINUTE_MS);
    expect(asked('alarms').length).toBeGreaterThan(lists);
  });
});

test.each([
  ['the service is ahead, by half an hour', 30, [-60, 30]],
  ['the service is behind, by half an hour', -30, [-90, 0]],
  ['our clock is clearly wrong', 120, [60, 120]],
  ['our clock is clearly wrong, the other way', -120, [-180, -120]],
])('a series is asked for by both clocks when %s', async (_when, ahead, window) => {
  const flags = { 'collect.energy': 'false' };
  const house = await openHouse({}, { machineAheadMs: -ahead * MINUTE_MS, flags });
  await house.scrape();
  const [request] = house.asked('readings');
  const minutes = ['fromTime', 'toTime'].map(
    (name) => (Date.parse(String(request?.body[name])) - house.clock.nowMs()) / MINUTE_MS,
  );
  expect(minutes).toEqual(window);
});

test('a device that is counted as well is learnt once', async () => {
  const { read } = await watch(HPVINV02, { flags: { 'collect.energy': 'true' } });
  const { asked } = await read();
  expect(asked.filter((endpoint) => endpoint === 'catalogue')).toHaveLength(1);
});
