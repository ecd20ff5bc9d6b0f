import { describe, expect, test } from 'vitest';
import { dayAt, newDay, nextDayAtMs } from '../../../src/client/exchange/spent-day.ts';
import { SpentRequests } from '../../../src/client/exchange/spent-requests.ts';
import type { StateFile } from '../../../src/base/kept-file.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { DAY_MS, HOUR_MS } from '../../support/durations.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

/** A file in memory; it survives the program. */
function memoryFile(): StateFile & { text: string | undefined; writes: number } {
  const file = {
    text: undefined as string | undefined,
    writes: 0,
    read: () => Promise.resolve(file.text),
    write: (text: string) => {
      file.text = text;
      file.writes += 1;
      return Promise.resolve();
    },
    setAside: () => Promise.resolve('aside'),
  };
  return file;
}

async function open(file = memoryFile(), clock = new FakeClock()) {
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
  test('allows as many as the limit, and begins anew the next day', async () => {
    const { spent, spend, clock } = await open();
    expect(await spend(1200)).toBe(1000);
    expect(spent.today).toBe(1000);
    clock.advance(DAY_MS);
    expect(spent.today).toBe(0);
    expect(await spend(1200)).toBe(1000);
    expect(spent.sent).toBe(2000);
  });

  test('has no limit and writes nothing without one', async () => {
    const { spent, file } = await open();
    for (let sent = 0; sent < 50; sent += 1) expect(await spent.spend()).toBe(true);
    expect(spent.today).toBe(50);
    await spent.close();
    expect(file.writes).toBe(0);
  });

  test('goes on after a restart, with what was really sent', async () => {
    const first = await open();
    await first.spend(123);
    await first.spent.close();
    const second = await open(first.file, first.clock);
    expect(second.spent.today).toBe(123);
    expect(await second.spend(1000)).toBe(1000 - 123);
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
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ spent: 6 });
    written.resolve(undefined);
    await settled();
    expect(isSent).toBe(true);
  });

  test('never allows more than the limit to a program that is killed again and again', async () => {
    const file = memoryFile();
    const clock = new FakeClock();
    let sent = 0;
    let starts = 0;
    for (;;) {
      const { spend } = await open(file, clock);
      const allowed = await spend(7);
      starts += 1;
      sent += allowed;
      if (allowed === 0) break;
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

  test('goes on in memory while the file cannot be written, and says so once', async () => {
    const { spend, file, log } = await open();
    const write = file.write.bind(file);
    file.write = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    expect(await spend(100)).toBe(100);
    expect(log.messages('warn')).toEqual([
      'the count of requests cannot be kept in --state.dir: a restart begins it anew',
    ]);
    file.write = write;
    expect(await spend(1000)).toBe(900);
    expect(log.messages('info')).toEqual(['the count of requests is kept in --state.dir again']);
  });

  test.each(['', 'null', '{"version":2}', '{"version":1,"startsAtMs":1e99,"spent":1}'])(
    'begins at 0 where the file says %j, which is set aside',
    async (text) => {
      const file = memoryFile();
      file.text = text;
      const { spent, log } = await open(file);
      expect(spent.today).toBe(0);
      expect(log.messages('warn')).toEqual([
        'the count of requests cannot be used, was set aside and begins at 0',
      ]);
    },
  );

  test('begins at 0 where the file cannot be read or set aside', async () => {
    const file = memoryFile();
    file.read = () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
    file.setAside = () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }));
    const { spent, log } = await open(file);
    expect(spent.today).toBe(0);
    expect(log.lines[0]?.fields).toEqual({ reason: 'EACCES', place: 'nowhere (EACCES)' });
  });
});

const at = (text: string) => Date.parse(text);
const SPENT = { startsAtMs: at('2026-08-24T00:00Z'), spent: 400 };

describe('the requests of a day', () => {
  test('begin at midnight, UTC, and end at the next', () => {
    expect(newDay(at('2026-08-24T23:59:59.999Z'))).toEqual({ ...SPENT, spent: 0 });
    expect(nextDayAtMs(at('2026-08-24T00:00Z'))).toBe(at('2026-08-25T00:00Z'));
    expect(nextDayAtMs(at('2026-08-24T23:59:59.999Z'))).toBe(at('2026-08-25T00:00Z'));
  });

  test('count until midnight', () => {
    expect(dayAt(SPENT, at('2026-08-24T23:59:59.999Z'))).toBe(SPENT);
    expect(dayAt(SPENT, at('2026-08-25T00:00Z')).spent).toBe(0);
    expect(dayAt(SPENT, at('2031-01-01T00:00Z')).spent).toBe(0);
  });

  test('are not given away by a clock that is set back, by minutes or by years', () => {
    for (const back of ['2026-08-23T23:59Z', '2026-08-20T10:00Z', '1970-01-01T00:00Z'])
      expect(dayAt(SPENT, at(back)).spent).toBe(400);
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

  test('are not given away by a clock that is set back again and again', () => {
    let day = dayAt(SPENT, at('2026-08-20T10:00Z'));
    day = dayAt(day, at('2026-08-10T10:00Z'));
    expect(day.spent).toBe(400);
    expect(dayAt(day, at('2026-08-10T23:00Z')).spent).toBe(400);
  });
});
