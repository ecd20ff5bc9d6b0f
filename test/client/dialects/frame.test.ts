import { describe, expect, test } from 'vitest';
import {
  type Frame,
  missingQuantities,
  readFrame,
  richestFrame,
} from '../../../src/client/dialects/frame.ts';
import { RuleBook } from '../../../src/client/dialects/rule-book.ts';
import type { Quantity, Source } from '../../../src/model/readings.ts';
import { measuredIn, samplesOf } from './fixture.ts';

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

/** A frame that measures these; each one minute old unless it says otherwise. */
function frame(
  source: Source,
  quantities: readonly Quantity[],
  ageMs: number | undefined = MINUTE_MS,
): Frame {
  const measuredAtMs = NOW_MS - ageMs;
  const measurements = quantities.map((quantity) => ({
    quantity,
    part: '',
    value: 1,
    measuredAtMs,
  }));
  return { source, fields: [], measurements };
}

function undated(source: Source, quantities: readonly Quantity[]): Frame {
  const { measurements } = frame(source, quantities);
  return {
    source,
    fields: [],
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
    expect(missingQuantities(frame('history', measured).measurements)).toEqual(missing);
  });

  test('is not the AC output where the load is measured', () => {
    const others = SEVEN.filter((quantity) => quantity !== 'acOutputPowerWatts');
    const { measurements } = frame('history', [...others, 'loadPowerWatts']);
    expect(missingQuantities(measurements)).toEqual([]);
  });
});

describe('the richest frame', () => {
  const six = SEVEN.slice(1);

  test.each<{ what: string; frames: readonly [Frame, ...Frame[]]; source: Source }>([
    { what: 'is the only one', frames: [frame('history', [])], source: 'history' },
    {
      what: 'misses least',
      frames: [frame('history', six), frame('latest', SEVEN)],
      source: 'latest',
    },
    {
      what: 'misses least, however much another one measures',
      frames: [
        frame('history', SEVEN),
        frame('latest', [...six, 'gridVoltageVolts', 'gridFrequencyHertz', 'workingMode']),
      ],
      source: 'history',
    },
    {
      what: 'misses least, however old',
      frames: [frame('history', SEVEN, 30 * MINUTE_MS), frame('latest', six)],
      source: 'history',
    },
    {
      what: 'is the freshest of those that miss as little',
      frames: [frame('history', SEVEN, 6 * MINUTE_MS), frame('latest', SEVEN)],
      source: 'latest',
    },
    {
      what: 'is fresher rather than fuller',
      frames: [
        frame('history', SEVEN),
        frame('latest', [...SEVEN, 'gridVoltageVolts'], 6 * MINUTE_MS),
      ],
      source: 'history',
    },
    {
      what: 'measures most of those that are as fresh',
      frames: [
        frame('history', SEVEN),
        frame('latest', [...SEVEN, 'gridVoltageVolts'], 2 * MINUTE_MS),
      ],
      source: 'latest',
    },
    {
      what: 'is the first of equals',
      frames: [frame('history', SEVEN), frame('latest', SEVEN), frame('flow', SEVEN)],
      source: 'history',
    },
    {
      what: 'is one with a value rather than an empty one',
      frames: [frame('history', []), frame('flow', ['gridImportPowerWatts'])],
      source: 'flow',
    },
    {
      what: 'may be without times',
      frames: [undated('history', six), undated('latest', SEVEN)],
      source: 'latest',
    },
    {
      what: 'is the first of equals without times',
      frames: [undated('history', SEVEN), undated('latest', SEVEN)],
      source: 'history',
    },
    {
      what: 'is the first where none has a value',
      frames: [frame('history', []), frame('latest', []), frame('flow', [])],
      source: 'history',
    },
  ])('$what', ({ frames: [first, ...others], source }) => {
    expect(richestFrame(first, ...others).source).toBe(source);
  });

  test('goes by its oldest quantity of the interface', () => {
    const mixed: Frame = {
      source: 'history',
      fields: [],
      measurements: [
        ...frame('history', six, 0).measurements,
        ...frame('history', ['pvPowerWatts'], 20 * MINUTE_MS).measurements,
      ],
    };
    expect(richestFrame(mixed, frame('latest', SEVEN, 5 * MINUTE_MS)).source).toBe('latest');
  });
});

describe('an answer without units', () => {
  const book = new RuleBook();
  const samples = samplesOf('family-uwb1-history', 'history');
  const speaker = { source: 'history', family: 'uwb1' } as const;

  test('is read by units learnt elsewhere', () => {
    const tags = new Map([['aPhaseMainsPower', 'W']]);
    const { measurements } = readFrame(samples, speaker, book, tags);
    expect(measuredIn(measurements)).toMatchObject({ gridFeedInPowerWatts: 495 });
  });

  test('is read by units learnt elsewhere before those of its family', () => {
    const tags = new Map([['pv1Power', 'kW']]);
    const { measurements } = readFrame(samples, speaker, book, tags);
    expect(measuredIn(measurements)).toMatchObject({ 'stringPowerWatts 1': 820_000 });
  });

  test('keeps the units it has', () => {
    const tagged = samples.map((sample) => ({ ...sample, tag: 'W' }));
    const tags = new Map([['pv1Power', 'kW']]);
    const { measurements } = readFrame(tagged, speaker, book, tags);
    expect(measuredIn(measurements)).toMatchObject({ 'stringPowerWatts 1': 820 });
  });
});
