import { describe, expect, test } from 'vitest';
import { cornersOf, describeCorners } from '../../../src/http/status-page/flow-corners.js';
import { drawFlow } from '../../../src/http/status-page/flow-drawing.js';
import type { FlowStatus } from '../../../src/status/status.ts';

const describeFlow = (flow: FlowStatus, batteries = 1) =>
  describeCorners(cornersOf(flow, batteries));

const KINDS = ['sun', 'grid', 'house', 'battery'] as const;

/** The class of the line between a corner and the inverter, and where its head points. */
function linesOf(flow: FlowStatus): Readonly<Record<string, string>> {
  const svg = drawFlow(flow, 1).text;
  const classes = [...svg.matchAll(/<path class="line ([\w ]+)"/g)].map(([, name = '']) => name);
  expect(classes).toHaveLength(KINDS.length);
  return Object.fromEntries(KINDS.map((kind, index) => [kind, classes[index] ?? '']));
}

/** How the head of an arrow is turned: 0 points right, 90 down. */
function headDegrees(flow: FlowStatus, kind: string): number | undefined {
  const svg = drawFlow(flow, 1).text;
  const head = new RegExp(`class="head ${kind}"[^>]*rotate\\((\\d+)\\)`).exec(svg);
  return head === null ? undefined : Number(head[1]);
}

describe('the drawing of a flow', () => {
  test.each([
    { flow: { pvPowerWatts: 500 }, kind: 'sun', line: 'sun inward', degrees: 90 },
    { flow: { loadPowerWatts: 500 }, kind: 'house', line: 'house outward', degrees: 0 },
    { flow: { batteryPowerWatts: 500 }, kind: 'battery', line: 'battery inward', degrees: 270 },
    { flow: { batteryPowerWatts: -500 }, kind: 'battery', line: 'battery outward', degrees: 90 },
    { flow: { gridImportPowerWatts: 500 }, kind: 'grid', line: 'grid inward', degrees: 0 },
    { flow: { gridFeedInPowerWatts: 500 }, kind: 'grid', line: 'grid outward', degrees: 180 },
    { flow: { pvPowerWatts: 0 }, kind: 'sun', line: 'idle' },
    { flow: { pvPowerWatts: 0.9 }, kind: 'sun', line: 'idle' },
    { flow: { pvPowerWatts: -500 }, kind: 'sun', line: 'idle' },
    { flow: { loadPowerWatts: 0 }, kind: 'house', line: 'idle' },
    { flow: { batteryPowerWatts: -19 }, kind: 'battery', line: 'idle' },
    { flow: { gridImportPowerWatts: 19, gridFeedInPowerWatts: 0 }, kind: 'grid', line: 'idle' },
    { flow: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 0 }, kind: 'grid', line: 'idle' },
    { flow: {}, kind: 'sun', line: 'unknown' },
    { flow: {}, kind: 'house', line: 'unknown' },
    { flow: {}, kind: 'grid', line: 'unknown' },
    { flow: { batterySocRatio: 0.5 }, kind: 'battery', line: 'unknown' },
  ])('$flow has a line "$line" to the $kind', ({ flow, kind, line, degrees }) => {
    expect(linesOf(flow)[kind]).toBe(line);
    expect(headDegrees(flow, kind)).toBe(degrees);
  });

  test('shows the greater of import and feed-in', () => {
    const both = { gridImportPowerWatts: 200, gridFeedInPowerWatts: 700 };
    expect(linesOf(both)['grid']).toBe('grid outward');
    expect(drawFlow(both, 1).text).toContain('data-value="700"');
  });

  test('shows no number for what is unknown, and the exact one for what is known', () => {
    expect(drawFlow({}, 1).text).not.toContain('data-value');
    expect(drawFlow({ pvPowerWatts: 1234.56 }, 1).text).toContain('data-value="1234.56"');
    expect(drawFlow({ pvPowerWatts: 0 }, 1).text).toContain('data-value="0"');
  });

  test.each([
    { soc: -1, height: '0.0' },
    { soc: 0, height: '0.0' },
    { soc: 0.5, height: '52.0' },
    { soc: 1, height: '104.0' },
    { soc: 65.535, height: '104.0' },
  ])('fills the battery at $soc within its bounds', ({ soc, height }) => {
    expect(drawFlow({ batterySocRatio: soc }, 1).text).toContain(`height="${height}"`);
  });

  test('has no level in a battery of unknown charge', () => {
    expect(drawFlow({ batteryPowerWatts: 100 }, 1).text).not.toContain('class="level');
  });

  test.each([
    { flow: { batterySocRatio: 0.5, batteryPowerWatts: -500 }, level: 'charging' },
    { flow: { batterySocRatio: 0.5, batteryPowerWatts: 500 }, level: 'discharging' },
    { flow: { batterySocRatio: 0.5, batteryPowerWatts: 0 }, level: 'idle' },
    { flow: { batterySocRatio: 0.2, batteryPowerWatts: -500 }, level: 'low' },
  ])('colours the level by what the battery does: $level', ({ flow, level }) => {
    expect(drawFlow(flow, 1).text).toContain(`class="level ${level}"`);
  });

  test('is named by the sentence that says the same', () => {
    const flow = { pvPowerWatts: 500, batterySocRatio: 0.4 };
    expect(drawFlow(flow, 1).text).toContain(`aria-label="${describeFlow(flow)}"`);
  });
});

describe('the sentence of a flow', () => {
  test.each([
    {
      flow: {},
      sentence:
        'PV: power unknown; House: power unknown; Battery: power unknown; Grid: power unknown.',
    },
    {
      flow: {
        pvPowerWatts: 4200,
        loadPowerWatts: 900,
        batteryPowerWatts: -2000,
        batterySocRatio: 0.63,
        gridImportPowerWatts: 0,
        gridFeedInPowerWatts: 1300,
      },
      sentence:
        'PV: generating 4,200 W; House: using 900 W; Battery 63 %: charging 2,000 W; Grid: feeding in 1,300 W.',
    },
    {
      flow: {
        pvPowerWatts: 0,
        loadPowerWatts: 12_345,
        batteryPowerWatts: 2000,
        batterySocRatio: 0,
        gridImportPowerWatts: 10_345,
        gridFeedInPowerWatts: 0,
      },
      sentence:
        'PV: idle; House: using 12.3 kW; Battery 0 %: discharging 2,000 W; Grid: importing 10.3 kW.',
    },
    {
      flow: { batterySocRatio: 0.5, gridImportPowerWatts: 0, gridFeedInPowerWatts: 0 },
      sentence: 'PV: power unknown; House: power unknown; Battery 50 %: power unknown; Grid: idle.',
    },
  ])('is "$sentence"', ({ flow, sentence }) => {
    expect(describeFlow(flow).replaceAll('\u00A0', ' ')).toBe(sentence);
  });

  test('keeps a sign that makes no sense where it is', () => {
    expect(describeFlow({ pvPowerWatts: -50 })).toContain('PV: below zero -50 W;');
  });

  test('says both when one inverter imports and another feeds in', () => {
    const flow = { gridImportPowerWatts: 1000, gridFeedInPowerWatts: 800 };
    expect(describeFlow(flow)).toContain('Grid: importing 1,000 W and feeding in 800 W.');
    expect(describeFlow({ ...flow, gridFeedInPowerWatts: 19 })).toContain(
      'Grid: importing 1,000 W.',
    );
  });

  test('says that the charge is the lowest of several', () => {
    const flow = { batterySocRatio: 0.12, batteryPowerWatts: 500 };
    expect(describeFlow(flow, 2)).toContain('Battery (lowest 12 %): discharging 500 W');
    expect(drawFlow(flow, 2).text).toMatch(/>Lowest of 2<.*>12 %</s);
  });

  test.each([
    { flow: { gridFeedInPowerWatts: 0 }, grid: 'Grid: power unknown.' },
    { flow: { gridImportPowerWatts: 0 }, grid: 'Grid: not importing.' },
    { flow: { gridImportPowerWatts: 0, gridFeedInPowerWatts: 0 }, grid: 'Grid: idle.' },
  ])('calls the grid idle only when both ways are known to be: $flow', ({ flow, grid }) => {
    expect(describeFlow(flow)).toContain(grid);
  });
});
