import { expect, test } from 'vitest';
import {
  decodeCounts,
  encodeCounts,
  type KeptCount,
} from '../../../src/collectors/energy-counts/counts-file.ts';
import { nextTurn } from '../../../src/base/clock.ts';

function keptAt(lastAtMs: number): KeptCount {
  const count = {
    lastAtMs,
    lastFlows: { pvGeneratedKwh: 1200 },
    energies: { pvGeneratedKwh: 0.25 },
    gapMs: 0,
    intervalsMs: [300_000],
  };
  return { count, unseenDays: 0 };
}

test('the counts of many devices are written in slices, as they were at the beginning', async () => {
  const devices = new Map(
    Array.from({ length: 1000 }, (_, index) => [`inverter-${index}`, keptAt(1_000_000 + index)]),
  );
  const before = { devices: new Map(devices), lookedAtMs: 1_700_000_000_000 };
  let isWritten = false;
  const writing = encodeCounts({ ...before, devices }).then((text) => {
    isWritten = true;
    return text;
  });
  await nextTurn();
  expect(isWritten).toBe(false);
  for (const deviceId of devices.keys()) devices.set(deviceId, keptAt(2_000_000));
  const text = await writing;
  expect(decodeCounts(text)).toEqual(before);
  const listed = Array.from(before.devices, ([deviceId, kept]) => ({ deviceId, ...kept }));
  expect(text).toBe(
    `${JSON.stringify({ version: 1, lookedAtMs: before.lookedAtMs, devices: listed })}\n`,
  );
});

test('no counts are a file as well', async () => {
  const none = { devices: new Map(), lookedAtMs: 1_700_000_000_000 };
  expect(decodeCounts(await encodeCounts(none))).toEqual(none);
});
