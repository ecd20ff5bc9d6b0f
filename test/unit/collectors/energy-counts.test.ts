import { describe, expect, test } from 'vitest';
import type { StateFile } from '../../../src/base/kept-file.ts';
import { EnergyCounts } from '../../../src/collectors/energy-counts/energy-counts.ts';
import type { EnergyCount } from '../../../src/model/energy-counter.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { decodeCounts } from '../../../src/collectors/energy-counts/counts-file.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { DAY_MS } from '../../support/durations.ts';

/** A file in memory. */
class MemoryFile implements StateFile {
  text: string | undefined;
  /** Everything that was written, in order. */
  readonly writes: string[] = [];
  /** How often it was set aside. */
  asides = 0;

  constructor(text?: string) {
    this.text = text;
  }

  read = (): Promise<string | undefined> => Promise.resolve(this.text);

  write = (text: string): Promise<void> => {
    this.writes.push(text);
    this.text = text;
    return Promise.resolve();
  };

  setAside = (): Promise<string> => {
    this.asides += 1;
    return Promise.resolve('/state/energy-counters.json.unusable');
  };
}

async function openCounts(file?: StateFile, clock = new FakeClock()) {
  const log = new SilentLog();
  return { counts: await EnergyCounts.open({ file, clock, log }), clock, log };
}

/** A count of a load, of so many kWh, up to so many minutes after the clock's beginning. */
function countAt(minute: number, consumptionKwh = minute / 60): EnergyCount {
  return {
    lastAtMs: new FakeClock().nowMs() + minute * 60_000,
    lastFlows: { consumptionKwh: 1000 },
    energies: { consumptionKwh },
    gapMs: 0,
    intervalsMs: [300_000, 300_000],
  };
}

/** Which devices a file has. */
function devicesIn(text: string | undefined): string[] {
  return [...(decodeCounts(text ?? '')?.devices.keys() ?? [])];
}

describe('what was counted', () => {
  test('is in the file when it is known to be kept, and there after a restart', async () => {
    const file = new MemoryFile();
    const { counts } = await openCounts(file);
    expect(counts.get('inverter')).toBeUndefined();
    counts.keep('inverter', countAt(5));
    await settled();
    const { counts: later } = await openCounts(new MemoryFile(file.text));
    expect(later.get('inverter')).toEqual(countAt(5));
  });

  test('is not shown before it is in the file, and nobody waits for that', async () => {
    const file = new MemoryFile();
    const writing = deferred<undefined>();
    file.write = () => writing.promise;
    const { counts } = await openCounts(file);
    counts.keep('inverter', countAt(5));
    await settled();
    expect([counts.shown('inverter'), counts.isShown('inverter')]).toEqual([undefined, false]);
    writing.resolve(undefined);
    await settled();
    expect([counts.shown('inverter'), counts.isShown('inverter')]).toEqual([countAt(5), true]);
  });

  test('is kept in memory without a file', async () => {
    const { counts, log } = await openCounts();
    counts.keep('inverter', countAt(5));
    expect(counts.get('inverter')).toEqual(countAt(5));
    expect(counts.shown('inverter')).toEqual(countAt(5));
    await counts.close();
    expect(log.lines).toEqual([]);
  });

  test('never falls back to what was counted up to an earlier point', async () => {
    const { counts } = await openCounts(new MemoryFile());
    counts.keep('inverter', countAt(10));
    counts.keep('inverter', countAt(5));
    expect(counts.get('inverter')).toEqual(countAt(10));
  });

  test('is written once where nothing is new', async () => {
    const file = new MemoryFile();
    const { counts, clock } = await openCounts(file);
    counts.keep('inverter', countAt(5));
    await settled();
    clock.advance(60_000);
    counts.keep('inverter', countAt(5));
    await settled();
    expect(file.writes).toHaveLength(1);
  });
});

describe('a thousand devices', () => {
  test('that are counted at once share a write', async () => {
    const file = new MemoryFile();
    const { counts, clock } = await openCounts(file);
    const ids = Array.from({ length: 1000 }, (_, index) => `inverter-${index}`);
    for (const id of ids) counts.keep(id, countAt(5));
    await settled();
    clock.advance(10_000);
    await eventually(() => expect(devicesIn(file.text)).toEqual(ids));
    expect(file.writes.length).toBeLessThanOrEqual(2);
    expect(devicesIn(file.text)).toEqual(ids);
  });

  test('are written at most every ten seconds, and at once where the program ends', async () => {
    const file = new MemoryFile();
    const { counts, clock } = await openCounts(file);
    for (let index = 0; index < 1000; index += 1) counts.keep(`${index}`, countAt(5));
    await eventually(() => expect(file.writes).toHaveLength(1));
    counts.keep('0', countAt(10));
    clock.advance(9_999);
    // As many turns as the slices of the file take, and more.
    for (let turn = 0; turn < 10; turn += 1) await settled();
    expect(file.writes).toHaveLength(1);
    clock.advance(1);
    await eventually(() => expect(file.writes).toHaveLength(2));
    counts.keep('0', countAt(20));
    await counts.close();
    expect(file.writes).toHaveLength(3);
  });

  test('are not held up after the clock was set back', async () => {
    const file = new MemoryFile();
    const { counts, clock } = await openCounts(file);
    counts.keep('first', countAt(5));
    await settled();
    clock.advance(-DAY_MS);
    counts.keep('second', countAt(5));
    await settled();
    expect(devicesIn(file.text)).toEqual(['first', 'second']);
  });
});

describe('a file that cannot be written', () => {
  test('is said once, the count goes on, and is written when that works again', async () => {
    const file = new MemoryFile();
    const write = file.write;
    file.write = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    const { counts, clock, log } = await openCounts(file);
    counts.keep('inverter', countAt(5));
    await settled();
    expect(counts.shown('inverter')).toEqual(countAt(5));
    clock.advance(60_000);
    counts.keep('inverter', countAt(10));
    await settled();
    expect(counts.shown('inverter')).toEqual(countAt(10));
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { reason: 'ENOSPC' },
        message: 'the energy counters cannot be kept in --state.dir: a restart will set them back',
      },
    ]);
    file.write = write;
    clock.advance(60_000);
    // Nothing is new, and still it is written.
    counts.keep('inverter', countAt(10));
    await settled();
    expect(devicesIn(file.text)).toEqual(['inverter']);
    expect(log.messages('info')).toEqual(['the energy counters are kept in --state.dir again']);
  });
});

describe('a file that cannot be used', () => {
  const KEPT = { version: 1, lookedAtMs: 0, devices: [] };
  const DEVICE = { deviceId: 'inverter', unseenDays: 0, count: countAt(5) };
  test.each([
    { of: 'half a text', text: '{"version":1,' },
    { of: 'another version', text: JSON.stringify({ ...KEPT, version: 2 }) },
    {
      of: 'an energy below 0',
      text: JSON.stringify({ ...KEPT, devices: [{ ...DEVICE, count: countAt(5, -1) }] }),
    },
    {
      of: 'a time that nobody can believe',
      text: JSON.stringify({ ...KEPT, devices: [{ ...DEVICE, count: countAt(1e9) }] }),
    },
    {
      of: 'a flow that nobody knows',
      text: JSON.stringify({
        ...KEPT,
        devices: [{ ...DEVICE, count: { ...countAt(5), energies: { heatKwh: 1 } } }],
      }),
    },
  ])('because it holds $of is set aside, and counting begins anew', async ({ text }) => {
    const file = new MemoryFile(text);
    const { counts, log } = await openCounts(file);
    expect(counts.get('inverter')).toBeUndefined();
    expect(file.asides).toBe(1);
    expect(log.lines).toMatchObject([
      {
        level: 'warn',
        fields: {
          reason: 'not counters of this version',
          place: '/state/energy-counters.json.unusable',
        },
      },
    ]);
  });

  test('because it cannot be read does not keep the program from starting', async () => {
    const file = new MemoryFile();
    const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
    file.read = fail('EACCES');
    file.setAside = fail('EROFS');
    const { counts, log } = await openCounts(file);
    counts.keep('inverter', countAt(5));
    await settled();
    expect(log.lines).toMatchObject([{ fields: { reason: 'EACCES', place: 'nowhere (EROFS)' } }]);
  });
});

describe('a device that is gone', () => {
  /** Lets days pass on which only one device is asked for. */
  async function passDays(days: number, counts: Awaited<ReturnType<typeof openCounts>>) {
    for (let day = 0; day < days; day += 1) {
      counts.clock.advance(DAY_MS);
      counts.counts.get('other');
    }
    counts.counts.keep('other', countAt(5));
    await settled();
  }

  test('goes on where it was when it is back within 30 days', async () => {
    const file = new MemoryFile();
    const opened = await openCounts(file);
    opened.counts.keep('gone', countAt(5));
    await settled();
    await passDays(30, opened);
    expect(opened.counts.get('gone')).toEqual(countAt(5));
    // From now on there are 30 days again.
    await passDays(31, opened);
    expect(opened.counts.get('gone')).toEqual(countAt(5));
  });

  test('is forgotten after 30 days on which the program ran, whichever run it was', async () => {
    const file = new MemoryFile();
    const first = await openCounts(file);
    first.counts.keep('gone', countAt(5));
    await settled();
    await passDays(16, first);
    const second = await openCounts(new MemoryFile(file.text), first.clock);
    await passDays(16, second);
    expect(second.counts.get('gone')).toBeUndefined();
    expect(second.counts.get('other')).toEqual(countAt(5));
  });

  test('is not forgotten because the program did not run for a year', async () => {
    const file = new MemoryFile();
    const { counts } = await openCounts(file);
    counts.keep('inverter', countAt(5));
    counts.keep('other', countAt(5));
    await settled();
    const later = await openCounts(
      new MemoryFile(file.text),
      new FakeClock('2027-08-24T08:00:00Z'),
    );
    later.counts.get('other');
    expect(later.counts.get('inverter')).toEqual(countAt(5));
  });

  test('is not forgotten because the clock was wrong', async () => {
    const opened = await openCounts(new MemoryFile());
    opened.counts.keep('inverter', countAt(5));
    await settled();
    for (const yearsMs of [365 * DAY_MS, -365 * DAY_MS, 40 * DAY_MS]) {
      opened.clock.advance(yearsMs);
      opened.counts.get('other');
    }
    expect(opened.counts.get('inverter')).toEqual(countAt(5));
  });
});
