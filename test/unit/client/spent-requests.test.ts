import { describe, expect, test } from 'vitest';
import {
  dayAt,
  newDay,
  nextDayAtMs,
  SpentRequests,
} from '../../../src/client/exchange/spent-requests.ts';
import type { StateFile } from '../../../src/base/kept-file.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { HOUR_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

/** A file in memory; it survives the program. */
class MemoryFile implements StateFile {
  text: string | undefined;
  writes = 0;
  read = () => Promise.resolve(this.text);
  write = (text: string): Promise<void> => {
    this.text = text;
    this.writes += 1;
    return Promise.resolve();
  };
  setAside = () => Promise.resolve('aside');
}

async function open(file = new MemoryFile(), clock = new FakeClock()) {
  const log = new SilentLog();
  const spent = await SpentRequests.open({ file, clock, log });
  const spend = async (times: number, limit = 1000) => {
    let allowed = 0;
    for (let sent = 0; sent < times; sent += 1) if (await spent.spend(limit)) allowed += 1;
    return allowed;
  };
  return { spent, spend, file, clock, log };
}

describe('the count of requests', () => {
  test('has no limit and writes nothing without one', async () => {
    const { spent, file } = await open();
    for (let sent = 0; sent < 50; sent += 1) expect(await spent.spend()).toBe(true);
    expect(spent.today).toBe(50);
    await spent.close();
    expect(file.writes).toBe(0);
  });

  test('is in the file before a request goes out', async () => {
    const { spent, file } = await open();
    const written = deferred<undefined>();
    const texts: string[] = [];
    file.write = async (text) => {
      texts.push(text);
      await written.promise;
    };
    let isSent = false;
    void spent.spend(1000).then(() => (isSent = true));
    await settled();
    expect({ isSent, writes: texts.length }).toEqual({ isSent: false, writes: 1 });
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ spent: 5 });
    written.resolve(undefined);
    await settled();
    expect(isSent).toBe(true);
  });

  test('never allows more than the limit to a program that is killed again and again', async () => {
    const file = new MemoryFile();
    const clock = new FakeClock();
    let sent = 0;
    let starts = 0;
    for (let allowed = 1; allowed > 0; starts += 1) {
      allowed = await (await open(file, clock)).spend(7);
      sent += allowed;
    }
    expect(sent).toBeLessThanOrEqual(1000);
    // A kill costs a part of the budget, and not much of it.
    expect(sent).toBeGreaterThan(1000 - starts * 6);
  });

  test('writes some two hundred times a day, whatever the budget', async () => {
    const { spend, file } = await open();
    await spend(100_000, 100_000);
    expect(file.writes).toBeLessThanOrEqual(201);
  });

  test('is shared by requests that go out together', async () => {
    const { spent, file } = await open();
    const allowed = await Promise.all(Array.from({ length: 30 }, () => spent.spend(20)));
    expect(allowed.filter(Boolean)).toHaveLength(20);
    expect(JSON.parse(file.text ?? '')).toMatchObject({ spent: 20 });
  });

  test('is that of all programs with the same file, none of which takes what another has', async () => {
    const file = new MemoryFile();
    const exporter = await open(file);
    await exporter.spend(7);
    const command = await open(file);
    // The exporter has taken ten, in two blocks.
    expect(command.spent.today).toBe(10);
    expect(await command.spend(3)).toBe(3);
    await command.spent.close();
    expect(JSON.parse(file.text ?? '')).toMatchObject({ spent: 13 });
    await exporter.spend(4);
    expect(exporter.spent.today).toBe(7 + 4 + 3);
    let sent = 7 + 4 + 3;
    const other = await open(file);
    for (let allowed = 1; allowed > 0; sent += allowed)
      allowed = (await exporter.spend(13)) + (await other.spend(7));
    expect(sent).toBe(1000);
  });

  test('remembers over restarts that the clock was set back, so that nobody waits for long', async () => {
    const first = await open();
    await first.spend(1000);
    await first.spent.close();
    const clock = new FakeClock('2026-03-01T22:00:00Z');
    const second = await open(first.file, clock);
    expect(await second.spend(1)).toBe(0);
    clock.advance(3 * HOUR_MS);
    const third = await open(first.file, clock);
    expect(await third.spend(1)).toBe(1);
  });

  test('goes on in memory while the file cannot be written, and says so', async () => {
    const { spend, file, log } = await open();
    const { write } = file;
    file.write = () => Promise.reject(new Error('full'));
    expect(await spend(100)).toBe(100);
    file.write = write;
    expect(await spend(1000)).toBe(900);
    expect(log.lines.map(({ message }) => message)).toEqual([
      'the count of requests cannot be kept in --state.dir: a restart begins it anew',
      'the count of requests is kept in --state.dir again',
    ]);
  });

  test.each(['', 'null', '{"version":2}', '{"version":1,"startsAtMs":1e99,"spent":1}'])(
    'begins at 0 where the file says %j, which is set aside',
    async (text) => {
      const { spent, log } = await open(Object.assign(new MemoryFile(), { text }));
      expect(spent.today).toBe(0);
      const said = 'the count of requests cannot be used, was set aside and begins at 0';
      expect(log.messages('warn')).toEqual([said]);
    },
  );
});

const at = (text: string) => Date.parse(text);
const SPENT = { startsAtMs: at('2026-08-24T00:00Z'), spent: 400 };

describe('the requests of a day', () => {
  test('begin at midnight, UTC, and count until the next', () => {
    expect(newDay(at('2026-08-24T23:59:59.999Z'))).toEqual({ ...SPENT, spent: 0 });
    expect(nextDayAtMs(at('2026-08-24T00:00Z'))).toBe(at('2026-08-25T00:00Z'));
    expect(dayAt(SPENT, at('2026-08-24T23:59:59.999Z'))).toBe(SPENT);
    expect(dayAt(SPENT, at('2026-08-25T00:00Z')).spent).toBe(0);
    expect(dayAt(SPENT, at('2031-01-01T00:00Z')).spent).toBe(0);
  });

  test.each<readonly string[]>([
    ['2026-08-23T23:59Z'],
    ['1970-01-01T00:00Z'],
    ['2026-08-20T10:00Z', '2026-08-10T10:00Z', '2026-08-10T23:00Z'],
  ])('are not given away by a clock that is set back to %s %s', (...times) => {
    expect(times.reduce((day, time) => dayAt(day, at(time)), SPENT).spent).toBe(400);
  });

  test('hold again when the clock is put right', () => {
    const atBoot = dayAt(SPENT, at('1970-01-01T00:00:10Z'));
    expect(dayAt(atBoot, at('2026-08-24T12:00Z'))).toEqual(SPENT);
    expect(dayAt(atBoot, at('2026-08-25T12:00Z')).spent).toBe(0);
  });

  test('end at the next midnight of a clock that stays back', () => {
    const back = dayAt(SPENT, at('2026-03-01T23:00Z'));
    expect(dayAt(back, at('2026-03-01T23:59Z'))).toBe(back);
    expect(dayAt(back, at('2026-03-02T00:00Z'))).toEqual(newDay(at('2026-03-02T00:00Z')));
  });
});
