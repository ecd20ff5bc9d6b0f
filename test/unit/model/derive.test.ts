import { describe, expect, test } from 'vitest';
import {
  interfaceGridWatts,
  isReporting,
  powerFiguresOf,
  type Readings,
} from '../../../src/model/readings.ts';
import { CLASSIC } from '../../support/device-report.ts';

const NAMES = {
  pv: 'pvPowerWatts',
  out: 'acOutputPowerWatts',
  load: 'loadPowerWatts',
  battery: 'batteryPowerWatts',
  imported: 'gridImportPowerWatts',
  fedIn: 'gridFeedInPowerWatts',
  charging: 'batteryChargingCurrentAmperes',
  discharging: 'batteryDischargeCurrentAmperes',
  volts: 'batteryVoltageVolts',
} as const;

/** What is measured, in W, A and V. */
type Measured = Readonly<Partial<Record<keyof typeof NAMES, number | undefined>>>;

/** Load, battery, net of the grid, its import, and that by the specified rule, in W. */
type Derived = readonly (number | undefined)[];

const of = (measured: Measured): Readings =>
  Object.fromEntries(
    Object.entries(NAMES).map(([name, quantity]) => [quantity, measured[name as keyof Measured]]),
  );

function derivedOf(readings: Readings): Derived {
  const power = powerFiguresOf(readings);
  return [
    power.loadPowerWatts,
    power.batteryPowerWatts,
    power.gridPowerWatts,
    power.gridImportPowerWatts,
    interfaceGridWatts(readings),
  ];
}

const NO = undefined;

describe('the powers of a device that speaks the specified dialect', () => {
  const whole = { pv: 2000, out: 4017, fedIn: 0, charging: 0, discharging: 33.38, volts: 50 };
  const sunny = { pv: 3200, out: 850, fedIn: 200, charging: 40, discharging: 0, volts: 52 };

  test.each<[when: string, measured: Measured, derived: Derived]>([
    ['the sun feeds the house and the battery', sunny, [850, -2080, -200, 0, 0]],
    ['the battery helps', whole, [4017, 1669, 348, 348, 3686]],
    ['the house feeds in', { ...whole, pv: 6e3, fedIn: 3652 }, [4017, 1669, -3652, 0, 3338]],
    ['it is night', { pv: 0, out: 500, discharging: 10, volts: 50 }, [500, 500, NO, 0, 1000]],
    ['the grid charges', { out: 500, charging: 20, volts: 50 }, [500, -1000, NO, 1500, 0]],
    ['both currents flow', { discharging: 12, charging: 2, volts: 48 }, [0, 480, NO, 0, 480]],
    ['only the load is known', { out: 300 }, [300, 0, NO, 300, 300]],
    ['only the sun is known', { pv: 300 }, [0, 0, NO, 0, 0]],
    ['only the feed-in is known', { fedIn: 40 }, [0, 0, NO, 40, 40]],
    ['the battery has no voltage', { discharging: 12 }, [0, 0, NO, 0, 0]],
    ['the battery has no current', { volts: 52 }, [0, 0, NO, 0, 0]],
    ['nothing is known, of which nothing follows', {}, [NO, NO, NO, NO, NO]],
  ])('count what is missing as 0, but not in the net: %s', (_when, measured, derived) => {
    expect(derivedOf(of(measured))).toEqual(derived);
    expect(derivedOf({ ...of(measured), dialect: CLASSIC })).toEqual(derived);
  });

  test.each(Object.keys(whole))('have no net where %s is missing', (name) => {
    const { gridPowerWatts, ...power } = powerFiguresOf(of({ ...whole, [name]: undefined }));
    expect(gridPowerWatts).toBeUndefined();
    expect(power.gridImportPowerWatts).toBeGreaterThanOrEqual(0);
  });

  test('have no net while the feed-in was measured too long ago', () => {
    const withdrawn = new Set(['gridFeedInPowerWatts'] as const);
    const old = { ...of({ ...whole, fedIn: undefined }), withdrawn };
    expect(powerFiguresOf(old).gridPowerWatts).toBeUndefined();
  });

  test('have what it measures itself', () => {
    const measured = of({ pv: 1000, load: 700, battery: -500, imported: 190, fedIn: 0 });
    expect(derivedOf({ ...measured, dialect: CLASSIC }).slice(0, 2)).toEqual([700, -500]);
    expect(powerFiguresOf({ ...measured, dialect: CLASSIC }).gridImportPowerWatts).toBe(190);
  });
});

describe('the powers of any other device', () => {
  const dialect = { ...CLASSIC, family: 'uwb1' };
  /** The sun feeds the house and charges the battery; the rest comes from the grid. */
  const WHOLE = { pv: 1000, load: 700, battery: -500, fedIn: 0 };
  const TERMINALS = { battery: NO, volts: 50, charging: 10, discharging: 0 };

  test.each<[when: string, changes: Measured, derived: Derived]>([
    ['everything is measured', {}, [700, -500, 200, 200, 0]],
    ['the import is measured, which then counts', { imported: 190 }, [700, -500, 190, 190, 0]],
    ['a measured import is zero, which then counts', { imported: 0 }, [700, -500, 0, 0, 0]],
    ['an unknown feed-in allows the balance', { fedIn: NO }, [700, -500, NO, 200, NO]],
    ['something is fed in', { pv: 1500, fedIn: 300 }, [700, -500, -300, 0, 0]],
    ['the sun is unknown', { pv: NO }, [700, -500, NO, NO, NO]],
    ['there is an import without a sun', { pv: NO, imported: 190 }, [700, -500, 190, 190, NO]],
    ['the load is unknown', { load: NO }, [NO, -500, NO, NO, NO]],
    ['the AC output stands for the load', { load: NO, out: 700 }, [700, -500, 200, 200, 0]],
    ['the load is measured beside the AC output', { out: 650 }, [700, -500, 200, 200, 0]],
    ['the battery is unknown', { battery: NO }, [700, NO, NO, NO, NO]],
    ['the battery has a voltage', { battery: NO, volts: 50 }, [700, NO, NO, NO, NO]],
    ['one current is unknown', { ...TERMINALS, discharging: NO }, [700, NO, NO, NO, NO]],
    ['the battery is measured at its terminals', TERMINALS, [700, -500, 200, 200, 0]],
    ['the specification goes by the AC output', { out: 1650, battery: 0 }, [700, 0, 0, 0, 650]],
    ['its power wins', { ...TERMINALS, battery: -500, charging: 11 }, [700, -500, 200, 200, 0]],
  ])('invent no zero: %s', (_when, changes, derived) => {
    expect(derivedOf({ ...of({ ...WHOLE, ...changes }), dialect })).toEqual(derived);
  });

  test('are of import and feed-in alone where nothing else is measured', () => {
    const measured = of({ imported: 0, fedIn: 840.25 });
    expect(derivedOf({ ...measured, dialect })).toEqual([NO, NO, -840.25, 0, NO]);
  });

  test.each(['unknown', 'hpvinv02', 'uwb1'])('are none of a voltage alone: %s', (family) => {
    const readings = { dialect: { ...CLASSIC, family }, batteryVoltageVolts: 52 };
    expect(powerFiguresOf(readings)).toEqual({});
  });
});

test.each<[readings: Readings, isAny: boolean]>([
  [{}, false],
  [{ pvPowerWatts: undefined, measuredAtMs: undefined }, false],
  [{ pvPowerWatts: 0 }, true],
  [{ batterySocRatio: 0.5 }, true],
  [{ pvPowerWatts: 0, measuredAtMs: 1, dialect: CLASSIC }, true],
  [{ workingMode: 'line' }, true],
  [{ pvStrings: new Map([['1', { stringPowerWatts: 0 }]]) }, true],
  [{ temperaturesCelsius: new Map([['pv', 39]]) }, true],
  [{ measuredAtMs: 1, dialect: CLASSIC }, false],
])('a device with %j is reporting: %s', (readings, isAny) => {
  expect(isReporting(readings)).toBe(isAny);
});
