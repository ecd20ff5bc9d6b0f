import { describe, expect, test } from 'vitest';
import { EnergyCounts } from '../../../src/collectors/energy-counts.ts';
import type { EnergyCount } from '../../../src/model/energy-counter.ts';
import { MemoryFile } from '../../support/memory-file.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { settled } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { DAY_MS } from '../../support/durations.ts';

/** Which devices a file has. */
function devicesIn({ text = '{}' }: MemoryFile): string[] {
  const { devices = [] } = JSON.parse(text) as { devices?: { deviceId: string }[] };
  return devices.map(({ deviceId }) => deviceId);
}

async function openCounts(file = new MemoryFile(), clock = new FakeClock()) {
  const log = new SilentLog();
  const counts = await EnergyCounts.open({ file, clock, log });
  const keep = async (deviceId: string, count = countAt(5)): Promise<void> => {
    counts.keep(deviceId, count, counts.get(deviceId));
    await settled();
  };
  return { counts, keep, file, clock, log };
}

/** A count of a load, of so many kWh, up to so many minutes after the clock's beginning. */
function countAt(minute: number, consumptionKwh = minute / 60): EnergyCount {
  return {
    lastAtMs: new FakeClock().nowMs() + minute * 60_000,
    lastFlows: { consumptionKwh: 1000 },
    energies: { consumptionKwh },
    gapMs: 0,
    intervalsMs: [300_000, 300_000],
    knownMs: {},
  };
}

describe('what was counted', () => {
  test('goes on from nothing but what is kept', async () => {
    const { counts, keep } = await openCounts();
    await keep('inverter', countAt(10));
    counts.keep('inverter', countAt(15), countAt(5));
    expect(counts.get('inverter')).toEqual(countAt(10));
  });

  test('is written once where nothing is new', async () => {
    const { keep, clock, file } = await openCounts();
    await keep('inverter');
    clock.advance(60_000);
    await keep('inverter');
    expect(file.writes).toHaveLength(1);
  });

  test('is held up for no more than the minute after the clock was set back', async () => {
    const { keep, clock, file } = await openCounts();
    await keep('first');
    clock.misset(-DAY_MS);
    await keep('second');
    clock.advance(60_000);
    await settled();
    expect(devicesIn(file)).toEqual(['first', 'second']);
  });

  test('of a thousand devices is written once a minute, and at the end', async () => {
    const { counts, clock, file } = await openCounts();
    for (let index = 0; index < 1000; index += 1) counts.keep(`${index}`, countAt(5), undefined);
    await eventually(() => expect(file.writes).toHaveLength(1));
    expect(devicesIn(file)).toHaveLength(1000);
    counts.keep('0', countAt(10), counts.get('0'));
    clock.advance(59_999);
    // As many turns as the slices of the file take, and more.
    for (let turn = 0; turn < 10; turn += 1) await settled();
    expect(file.writes).toHaveLength(1);
    clock.advance(1);
    await eventually(() => expect(file.writes).toHaveLength(2));
    counts.keep('0', countAt(20), counts.get('0'));
    await counts.close();
    expect(file.writes).toHaveLength(3);
  });

  test('goes on where it cannot be written, and is written later', async () => {
    const { counts, keep, clock, log, file } = await openCounts();
    const write = file.write;
    file.write = () => Promise.reject(new Error('full'));
    for (const minute of [5, 10]) {
      await keep('inverter', countAt(minute));
      expect(counts.shown('inverter')).toEqual(countAt(minute));
      clock.advance(60_000);
    }
    file.write = write;
    // Nothing is new, and still it is written.
    await keep('inverter', countAt(10));
    expect(devicesIn(file)).toEqual(['inverter']);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', expect.stringContaining('cannot be kept in --state.dir')],
      ['info', expect.stringContaining('kept in --state.dir again')],
    ]);
  });
});

const fileOf = (count: object, version = 1): string =>
  JSON.stringify({ version, devices: [{ deviceId: 'a', count }] });

test.each([
  ['half a text', '{"version":1,'],
  ['another version', fileOf(countAt(5), 3)],
  ['an energy below 0', fileOf(countAt(5, -1))],
  ['a time that nobody can believe', fileOf(countAt(1e9))],
  ['a flow that nobody knows', fileOf({ ...countAt(5), energies: { heatKwh: 1 } })],
])('a file that holds %s is set aside, and counting begins anew', async (_, text) => {
  const { counts, log } = await openCounts(new MemoryFile(text));
  expect(counts.get('a')).toBeUndefined();
  expect(log.lines).toMatchObject([
    {
      fields: { reason: 'not counters of this version', place: expect.any(String) as string },
      message: expect.stringContaining('set aside and begin at 0') as string,
    },
  ]);
});

test('a file of an older program says what it knew at its last midnight', async () => {
  const midnight = (lastAtMs: number) => ({ lastAtMs, energies: {}, knownMs: {} });
  const marks = [midnight(86_400_000), midnight(172_800_000)];
  const { counts } = await openCounts(new MemoryFile(fileOf({ ...countAt(5), marks }, 2)));
  expect(counts.get('a')).toEqual({ ...countAt(5), midnight: marks[1] });
});

test.each([
  ['goes on where it was', 364, countAt(5)],
  ['is forgotten', 366, undefined],
])('a device %s when it is back after %d days and a restart', async (_, days, count) => {
  const { keep, file, clock } = await openCounts();
  await keep('inverter');
  clock.advance(days * DAY_MS);
  const { counts } = await openCounts(new MemoryFile(file.text), clock);
  expect(counts.get('inverter')).toEqual(count);
  expect(counts.shown('inverter')).toEqual(count);
});
