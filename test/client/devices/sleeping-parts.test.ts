import { describe, expect, test } from 'vitest';
import {
  createReader,
  DAY_MS,
  type DeviceAnswers,
  type Field,
  type Fields,
  HOUR_MS,
  MINUTE_MS,
} from '../dialects/reader-harness.ts';

/** A family whose PV power is the sum of strings, in W or in kW, beside a key that marks it. */
interface StringFamily {
  readonly family: string;
  readonly strings: readonly [string, string];
  readonly unit: 'W' | 'kW';
  readonly marks: Fields;
}

const FAMILIES: readonly StringFamily[] = [
  {
    family: 'msdc',
    strings: ['pv1Power', 'pv2Power'],
    unit: 'kW',
    marks: { battery_charge_state: [55, '%'], load_power: [0.4, 'kW'] },
  },
  {
    family: 'uwb1',
    strings: ['pv1Power', 'pv2Power'],
    unit: 'W',
    marks: { batteryPercentage: [55, '%'], load_power: [0.4, 'kW'] },
  },
  {
    family: 'mega-eco',
    strings: ['pvInputPower', 'pv2InputPower'],
    unit: 'kW',
    marks: { GridPower: [20, 'W'], batteryCapacity: [55, '%'] },
  },
  {
    family: 'pi30',
    strings: ['PV1ChargingPower', 'PV2ChargingPower'],
    unit: 'W',
    marks: { acOutputActivePower: [0.4, 'kW'], batteryCapacity: [55, '%'] },
  },
  {
    family: 'hpvinv02',
    strings: ['pvPower', 'pv2Power'],
    unit: 'kW',
    marks: { outputActivePower: [0.4, 'kW'], batteryCapacity: [55, '%'] },
  },
  {
    family: 'a-phase-hybrid',
    strings: ['pv1Power', 'pv2Power'],
    unit: 'kW',
    marks: { totalLoadPower: [0.4, 'kW'], batterySOC: [55, '%'] },
  },
];

/** How a string without a value is answered. */
type Sleep = 'null' | 'missing' | '0';

/** Watts of both strings; `undefined` for one that sleeps. */
type Watts = readonly [number | undefined, number | undefined];

const NOON = Date.parse('2026-06-20T12:00:00Z');
const AT = { dawn: NOON - 7 * HOUR_MS, day: NOON, night: NOON + 11 * HOUR_MS };

/** The fields of a device whose strings produce so much. */
function fieldsOf({ strings, unit, marks }: StringFamily, watts: Watts, sleep: Sleep): Fields {
  const fields = strings.flatMap((key, index): (readonly [string, Field])[] => {
    const power = watts[index] ?? (sleep === '0' ? 0 : undefined);
    if (power === undefined) return sleep === 'missing' ? [] : [[key, [null, unit]]];
    return [[key, [unit === 'kW' ? power / 1000 : power, unit]]];
  });
  return { ...Object.fromEntries(fields), ...marks };
}

/** Which endpoint has the values; the catalogue lists all keys in every case. */
type Place = 'history' | 'latest' | 'flow';

function answersOf(family: StringFamily, watts: Watts, sleep: Sleep, place: Place): DeviceAnswers {
  const fields = fieldsOf(family, watts, sleep);
  const listed = fieldsOf(family, [undefined, undefined], 'null');
  const history = Object.fromEntries(Object.entries(fields).map(([key, [value]]) => [key, value]));
  return {
    history: place === 'history' ? history : {},
    latest: place === 'latest' ? fields : {},
    flow: place === 'flow' ? fields : {},
    attributes: listed,
  };
}

const CASES = FAMILIES.flatMap((of) =>
  (['history', 'latest', 'flow'] as const).flatMap((place) =>
    (['null', 'missing', '0'] as const).map((sleep) => ({ of, family: of.family, place, sleep })),
  ),
);

/** Creates a reader at an hour of the day, in a station whose zone is UTC. */
function readerAt(instantMs: number, answers: DeviceAnswers) {
  const harness = createReader(answers);
  harness.clock.advance(instantMs - harness.clock.nowMs());
  return harness;
}

describe('a string that sleeps while the device is learnt', () => {
  test.each(CASES)(
    'at dawn counts as soon as it wakes: $family in $place, $sleep',
    async ({ of, place, sleep }) => {
      const atDawn = answersOf(of, [500, undefined], sleep, place);
      const { read, device, clock } = readerAt(AT.dawn, atDawn);
      const known = sleep === '0' ? 500 : undefined;
      const first = await read();
      expect(first.measured['pvPowerWatts']).toBe(known);
      expect(first.measured['stringPowerWatts 1']).toBe(500);
      clock.advance(5 * MINUTE_MS);
      expect((await read()).measured['pvPowerWatts']).toBe(known);
      device.answers = answersOf(of, [500, 2000], sleep, place);
      clock.advance(5 * MINUTE_MS);
      const { asked, measured } = await read();
      expect(asked).toHaveLength(1);
      expect(measured).toMatchObject({ pvPowerWatts: 2500, 'stringPowerWatts 2': 2000 });
    },
  );

  test.each(CASES)(
    'by night is known to produce nothing: $family in $place, $sleep',
    async ({ of, place, sleep }) => {
      const { read, device, clock } = readerAt(
        AT.night,
        answersOf(of, [0, undefined], sleep, place),
      );
      expect((await read()).measured['pvPowerWatts']).toBe(0);
      expect((await read()).measured['pvPowerWatts']).toBe(0);
      device.answers = answersOf(of, [1200, 800], sleep, place);
      clock.advance(12 * HOUR_MS);
      expect((await read()).measured['pvPowerWatts']).toBe(2000);
    },
  );

  test.each(CASES)(
    'by day leaves the sum unknown, and it is said so: $family in $place, $sleep',
    async ({ of, place, sleep }) => {
      const { read, device, clock, log } = readerAt(
        AT.day,
        answersOf(of, [500, 2000], sleep, place),
      );
      expect((await read()).measured['pvPowerWatts']).toBe(2500);
      device.answers = answersOf(of, [500, undefined], sleep, place);
      clock.advance(5 * MINUTE_MS);
      const { measured, report } = await read();
      if (sleep === '0') {
        expect(measured['pvPowerWatts']).toBe(500);
        expect(report.dialect.missing).not.toContain('pvPowerWatts');
        return;
      }
      expect(measured).not.toHaveProperty('pvPowerWatts');
      expect(report.dialect.missing).toContain('pvPowerWatts');
      const said = log.lines.filter(({ fields }) => fields['quantity'] === 'pvPowerWatts');
      expect(said).toMatchObject([{ level: 'info', fields: { keys: of.strings[1] } }]);
    },
  );
});

describe('strings that all sleep', () => {
  const [msdc] = FAMILIES as readonly [StringFamily];
  const asleep = (place: Place) => answersOf(msdc, [undefined, undefined], 'null', place);

  test.each(['history', 'latest', 'flow'] as const)(
    'produce nothing by night, by the clock of the station: %s',
    async (place) => {
      const { read, clock, device, reader } = readerAt(
        AT.day,
        answersOf(msdc, [500, 2000], 'null', place),
      );
      await read();
      device.answers = asleep(place);
      clock.advance(AT.night - AT.day);
      const measured = async (timeZone?: string) => {
        const { measurements } = await reader.read({ deviceId: '1', timeZone });
        return measurements.find(({ quantity }) => quantity === 'pvPowerWatts')?.value;
      };
      expect(await measured('UTC')).toBe(0);
      // There, it is noon, or nobody knows what time it is.
      expect(await measured('Pacific/Auckland')).toBeUndefined();
      expect(await measured()).toBeUndefined();
    },
  );

  test('are unknown where the device sends nothing at all', async () => {
    const { read, clock, device, reader } = readerAt(
      AT.day,
      answersOf(msdc, [500, 2000], 'null', 'history'),
    );
    await read();
    device.answers = { history: {} };
    clock.advance(AT.night - AT.day);
    const { measurements } = await reader.read({ deviceId: '1', timeZone: 'UTC' });
    expect(measurements).toEqual([]);
  });
});

describe('a string that no list of the device names', () => {
  const uwb1 = { battery: { batteryPercentage: 76 } };

  test('is asked for, and is no part of the device until it has a value', async () => {
    const { read, device, keysAsked, clock } = readerAt(AT.dawn, {
      history: { pv1Power: 500, batteryPercentage: 76 },
      latest: { pv1Power: [500, 'W'], batteryPercentage: [76, '%'] },
      agesMs: { latest: HOUR_MS },
    });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 500 });
    expect(keysAsked.at(-1)).toEqual(expect.arrayContaining(['pv2Power', 'pv3Power', 'pv4Power']));
    device.answers = { history: { ...uwb1.battery, pv1Power: 500, pv2Power: 2000 } };
    clock.advance(5 * MINUTE_MS);
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 2500 });
    // From then on it is known, and its value is waited for, also when the device is learnt again.
    device.answers = { history: { ...uwb1.battery, pv1Power: 500 } };
    clock.advance(5 * MINUTE_MS);
    expect((await read()).measured).not.toHaveProperty('pvPowerWatts');
    clock.advance(DAY_MS);
    device.answers = {
      ...device.answers,
      latest: { pv1Power: [500, 'W'], batteryPercentage: [76, '%'] },
    };
    expect((await read()).measured).not.toHaveProperty('pvPowerWatts');
  });

  test('is not asked for where the catalogue lacks it', async () => {
    const { read, keysAsked } = readerAt(AT.day, {
      history: { pv1Power: 500, pv2Power: 700, batteryPercentage: 76 },
      latest: {},
      attributes: {
        pv1Power: [null, 'W'],
        pv2Power: [null, 'W'],
        batteryPercentage: [null, '%'],
      },
      flow: { fails: 'SERVICE_API_REFUSED', serviceCode: '70132' },
    });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 1200 });
    expect(keysAsked.at(-1)).not.toContain('pv3Power');
  });

  test('is forgotten once the catalogue lacks it', async () => {
    const listed: Fields = { pv1Power: [null, 'W'], batteryPercentage: [null, '%'] };
    const { read, device, clock } = readerAt(AT.day, {
      history: { pv1Power: 500, pv2Power: 700, batteryPercentage: 76 },
      latest: {},
      attributes: { ...listed, pv2Power: [null, 'W'] },
    });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 1200 });
    device.answers = {
      history: { pv1Power: 500, batteryPercentage: 76 },
      latest: {},
      attributes: listed,
    };
    clock.advance(DAY_MS);
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 500 });
  });

  test('does not matter where the device sends a sum of its own', async () => {
    const { read } = readerAt(AT.day, {
      history: {},
      latest: {
        generationPower: [2.5, 'kW'],
        pv1Power: [0.5, 'kW'],
        pv2Power: [null, 'kW'],
        battery_charge_state: [55, '%'],
      },
    });
    const { measured, report } = await read();
    expect(measured).toMatchObject({ pvPowerWatts: 2500 });
    expect(report.dialect.missing).not.toContain('pvPowerWatts');
  });
});

describe('a string that an answer without units lists', () => {
  test('is waited for where a later answer leaves it out', async () => {
    const flow = (second: Fields): DeviceAnswers => ({
      history: {},
      flow: { pvInputPower: [1.3], ...second, GridPower: [20, 'W'] },
    });
    const { read, device } = readerAt(AT.day, flow({ pv2InputPower: [null] }));
    expect((await read()).measured).not.toHaveProperty('pvPowerWatts');
    device.answers = flow({});
    expect((await read()).measured).not.toHaveProperty('pvPowerWatts');
    device.answers = flow({ pv2InputPower: [0.9] });
    expect((await read()).measured).toMatchObject({ pvPowerWatts: 2200 });
  });
});

describe('a phase of the grid without a value', () => {
  const latest = (watts: readonly (number | null)[]): DeviceAnswers => ({
    history: {},
    latest: {
      batteryPercentage: [76, '%'],
      ...Object.fromEntries(
        watts.map((value, index) => [`${'abc'[index] ?? ''}PhaseMainsPower`, [value, 'W']]),
      ),
    },
  });

  test.each([
    { what: 'a device of three phases', watts: [-200, 50, 30], expected: 120 },
    { what: 'a device that lists one phase', watts: [-200], expected: 200 },
    { what: 'a phase of 0 W', watts: [-200, 0, 0], expected: 200 },
    { what: 'a phase that is listed and null', watts: [-200, null, null], expected: undefined },
    { what: 'a null phase beside others of 0 W', watts: [0, null, 0], expected: undefined },
  ])('of $what: $expected W', async ({ watts, expected }) => {
    const { read, clock, reader } = readerAt(AT.night, latest(watts));
    expect((await read()).measured['gridImportPowerWatts']).toBe(expected);
    clock.advance(MINUTE_MS);
    // Night or day, a phase may carry anything.
    const { measurements, dialect } = await reader.read({ deviceId: '1', timeZone: 'UTC' });
    const grid = measurements.find(({ quantity }) => quantity === 'gridImportPowerWatts');
    expect(grid?.value).toBe(expected);
    expect(dialect.missing.includes('gridFeedInPowerWatts')).toBe(expected === undefined);
  });

  test('does not count where the device sends another phase, and only its model lists more', async () => {
    const { read, device } = readerAt(AT.day, {
      history: {},
      latest: {
        batteryPercentage: [76, '%'],
        aPhaseMainsPower: [-200, 'W'],
        pv1Power: [500, 'W'],
      },
      attributes: {
        aPhaseMainsPower: [null, 'W'],
        bPhaseMainsPower: [null, 'W'],
        pv1Power: [null, 'W'],
      },
    });
    expect((await read()).measured).toMatchObject({ gridImportPowerWatts: 200 });
    device.answers = latest([-200, -100]);
    expect((await read()).measured).toMatchObject({ gridImportPowerWatts: 300 });
    device.answers = latest([-200]);
    expect((await read()).measured).not.toHaveProperty('gridImportPowerWatts');
  });

  test('counts where only the catalogue lists the phases', async () => {
    const { read } = readerAt(AT.day, {
      history: { aPhaseMainsPower: -200, bPhaseMainsPower: null, batteryPercentage: 76 },
      latest: {},
      attributes: {
        aPhaseMainsPower: [null, 'W'],
        bPhaseMainsPower: [null, 'W'],
        batteryPercentage: [null, '%'],
      },
    });
    expect((await read()).measured).not.toHaveProperty('gridImportPowerWatts');
  });

  test('counts again as soon as it has one', async () => {
    const { read, device } = readerAt(AT.day, latest([-200, null, null]));
    await read();
    device.answers = latest([-200, -100, -50]);
    expect((await read()).measured).toMatchObject({ gridImportPowerWatts: 350 });
  });
});
