import { expect, test } from 'vitest';
import { GapsByDevice } from '../../../src/history/run/gaps-by-device.ts';

const readings = (deviceId: string, ...gaps: readonly (readonly [number, number])[]) => ({
  deviceId,
  readings: 1,
  gaps: gaps.map(([fromMs, toMs]) => ({ fromMs, toMs })),
});

test('joins a gap that goes on in the next part, device by device', () => {
  const gaps = new GapsByDevice();
  gaps.add([readings('one', [0, 10], [20, 30]), readings('two', [25, 30]), readings('three')]);
  gaps.add([readings('one', [30, 60]), readings('two', [35, 40]), readings('three')]);
  gaps.add([readings('one', [60, 70])]);
  expect(gaps.all()).toEqual([
    {
      deviceId: 'one',
      gaps: [
        { fromMs: 0, toMs: 10 },
        { fromMs: 20, toMs: 70 },
      ],
    },
    {
      deviceId: 'two',
      gaps: [
        { fromMs: 25, toMs: 30 },
        { fromMs: 35, toMs: 40 },
      ],
    },
  ]);
});
