import { describe, expect, test } from 'vitest';
import { missingQuantities, richestAnswer } from '../../../src/client/devices/device-profile.ts';
import type { DecodedAnswer } from '../../../src/client/dialects/decoded-answer.ts';
import type { Quantity, Source } from '../../../src/model/readings.ts';

const SEVEN = [
  'pvPowerWatts',
  'acOutputPowerWatts',
  'batteryDischargeCurrentAmperes',
  'batteryChargingCurrentAmperes',
  'batteryVoltageVolts',
  'gridFeedInPowerWatts',
  'batterySocRatio',
] as const satisfies readonly Quantity[];

const MINUTE_MS = 60_000;
const NOW_MS = Date.parse('2026-08-24T08:00:00Z');

/** Returns an answer that measures these quantities, one minute ago unless stated otherwise. */
function answerOf(
  source: Source,
  quantities: readonly Quantity[],
  ageMs: number | undefined = MINUTE_MS,
): DecodedAnswer {
  const measuredAtMs = NOW_MS - ageMs;
  const measurements = quantities.map((quantity) => ({
    quantity,
    part: '',
    value: 1,
    measuredAtMs,
  }));
  return { source, fields: [], measurements, incomplete: [] };
}

function undated(source: Source, quantities: readonly Quantity[]): DecodedAnswer {
  const { measurements } = answerOf(source, quantities);
  return {
    source,
    fields: [],
    incomplete: [],
    measurements: measurements.map(({ quantity, part, value }) => ({ quantity, part, value })),
  };
}

describe('what is missing', () => {
  test.each<{ measured: readonly Quantity[]; missing: readonly Quantity[] }>([
    { measured: [], missing: SEVEN },
    { measured: SEVEN, missing: [] },
    { measured: SEVEN.slice(1), missing: ['pvPowerWatts'] },
    { measured: ['gridVoltageVolts', 'workingMode', 'stringPowerWatts'], missing: SEVEN },
  ])('of $measured is $missing', ({ measured, missing }) => {
    expect(missingQuantities(answerOf('history', measured).measurements)).toEqual(missing);
  });

  test('is not the AC output where the load is measured', () => {
    const others = SEVEN.filter((quantity) => quantity !== 'acOutputPowerWatts');
    const { measurements } = answerOf('history', [...others, 'loadPowerWatts']);
    expect(missingQuantities(measurements)).toEqual([]);
  });
});

describe('the richest answer', () => {
  const six = SEVEN.slice(1);

  test.each<{
    what: string;
    answers: readonly [DecodedAnswer, ...DecodedAnswer[]];
    source: Source;
  }>([
    { what: 'is the only one', answers: [answerOf('history', [])], source: 'history' },
    {
      what: 'misses least',
      answers: [answerOf('history', six), answerOf('latest', SEVEN)],
      source: 'latest',
    },
    {
      what: 'misses least, however much another one measures',
      answers: [
        answerOf('history', SEVEN),
        answerOf('latest', [...six, 'gridVoltageVolts', 'gridFrequencyHertz', 'workingMode']),
      ],
      source: 'history',
    },
    {
      what: 'misses least, however old',
      answers: [answerOf('history', SEVEN, 30 * MINUTE_MS), answerOf('latest', six)],
      source: 'history',
    },
    {
      what: 'is the freshest of those that miss as little',
      answers: [answerOf('history', SEVEN, 6 * MINUTE_MS), answerOf('latest', SEVEN)],
      source: 'latest',
    },
    {
      what: 'is fresher rather than fuller',
      answers: [
        answerOf('history', SEVEN),
        answerOf('latest', [...SEVEN, 'gridVoltageVolts'], 6 * MINUTE_MS),
      ],
      source: 'history',
    },
    {
      what: 'measures most of those that are as fresh',
      answers: [
        answerOf('history', SEVEN),
        answerOf('latest', [...SEVEN, 'gridVoltageVolts'], 2 * MINUTE_MS),
      ],
      source: 'latest',
    },
    {
      what: 'is the first of equals',
      answers: [answerOf('history', SEVEN), answerOf('latest', SEVEN), answerOf('flow', SEVEN)],
      source: 'history',
    },
    {
      what: 'is one with a value rather than an empty one',
      answers: [answerOf('history', []), answerOf('flow', ['gridImportPowerWatts'])],
      source: 'flow',
    },
    {
      what: 'may be without times',
      answers: [undated('history', six), undated('latest', SEVEN)],
      source: 'latest',
    },
    {
      what: 'is the first of equals without times',
      answers: [undated('history', SEVEN), undated('latest', SEVEN)],
      source: 'history',
    },
    {
      what: 'is the first where none has a value',
      answers: [answerOf('history', []), answerOf('latest', []), answerOf('flow', [])],
      source: 'history',
    },
  ])('$what', ({ answers: [first, ...others], source }) => {
    expect(richestAnswer([first, ...others]).source).toBe(source);
  });

  test('goes by its oldest quantity of the interface', () => {
    const mixed: DecodedAnswer = {
      source: 'history',
      fields: [],
      incomplete: [],
      measurements: [
        ...answerOf('history', six, 0).measurements,
        ...answerOf('history', ['pvPowerWatts'], 20 * MINUTE_MS).measurements,
      ],
    };
    expect(richestAnswer([mixed, answerOf('latest', SEVEN, 5 * MINUTE_MS)]).source).toBe('latest');
  });
});
