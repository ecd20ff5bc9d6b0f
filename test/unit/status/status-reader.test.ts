import { describe, expect, test, vi } from 'vitest';
import type { Collector } from '../../../src/collectors/collector.ts';
import type { ShownValue } from '../../../src/collectors/run/shown-target.ts';
import { RefreshTracker } from '../../../src/metrics/refresh-tracker.ts';
import type { StationValues } from '../../../src/status/describe-station.ts';
import type { Status } from '../../../src/status/status.ts';
import { StatusReader } from '../../../src/status/status-reader.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { turnsDuring } from '../../support/turns-during.ts';

const WAIT_MS = 3000;

const NOTHING_KNOWN: StationValues = { shown: () => new Map() };

/** A reader of a collection whose next question is due in so many milliseconds. */
function readerDueIn(dueInMs: number, refresh: () => Promise<void>) {
  const clock = new FakeClock();
  const log = new SilentLog();
  let isRefreshed = false;
  const collection = {
    nextFetchAtMs: clock.nowMs() + dueInMs,
    nextWithdrawalAtMs: Infinity,
    version: 0,
    refresh: vi.fn(async () => {
      await refresh();
      isRefreshed = true;
      collection.version += 1;
    }),
    station: vi.fn(() => NOTHING_KNOWN),
    dayCurve: () => undefined,
    status: () => [{ stationId: 'house', isUp: isRefreshed, outcomes: [] }],
  };
  const self = {
    version: 0,
    requestCounts: vi.fn((): Promise<readonly never[]> => Promise.resolve([])),
  };
  const session = { isReauthenticationRequired: false };
  const isSimulated = { now: false };
  const reader = new StatusReader({
    collection,
    self,
    accounts: [
      {
        account: undefined,
        counts: self,
        sessionStatus: () => ({
          mode: 'none',
          accessExpiresAtMs: undefined,
          blockedUntilMs: undefined,
          ...session,
        }),
        isSimulated: () => isSimulated.now,
      },
    ],
    areCredentialsIgnored: true,
    version: '1.2.3',
    telemetryPath: '/metrics',
    refreshes: new RefreshTracker({ clock, log }),
    clock,
  });
  return { reader, clock, log, collection, self, session, isSimulated };
}

describe('the reader of the status', () => {
  test('asks nothing while nothing is due', async () => {
    const { reader, clock, collection } = readerDueIn(1, () => Promise.resolve());
    const status = await reader.read(WAIT_MS);
    expect(collection.refresh).not.toHaveBeenCalled();
    expect(clock.sleeperCount).toBe(0);
    expect(status).toMatchObject({ atMs: clock.nowMs(), version: '1.2.3' });
  });

  test('waits no longer than it may for a refresh, which goes on by itself', async () => {
    const answer = deferred<undefined>();
    const { reader, clock } = readerDueIn(0, () => answer.promise);
    const reading = reader.read(WAIT_MS);
    let hasRead = false;
    void reading.then(() => (hasRead = true));
    clock.advance(WAIT_MS - 1);
    await settled();
    expect(hasRead).toBe(false);
    clock.advance(1);
    const status = await reading;
    expect(status.stations).toMatchObject([{ isUp: false }]);
    expect(status.atMs).toBe(clock.nowMs());
    answer.resolve(undefined);
    await settled();
    expect((await readAgain(reader, clock)).stations).toMatchObject([{ isUp: true }]);
  });

  test('describes the stations once per change, and tells the time and the session anew', async () => {
    const { reader, clock, collection, session } = readerDueIn(60_000, () => Promise.resolve());
    await reader.read(WAIT_MS);
    clock.advance(10_000);
    session.isReauthenticationRequired = true;
    const later = await reader.read(WAIT_MS);
    expect(later.atMs).toBe(clock.nowMs());
    expect(later.session.isReauthenticationRequired).toBe(true);
    expect(collection.station).toHaveBeenCalledTimes(1);
    collection.version += 1;
    await reader.read(WAIT_MS);
    expect(collection.station).toHaveBeenCalledTimes(2);
  });

  test('gives everybody the same status for a second, unless something changes', async () => {
    const { reader, clock, collection } = readerDueIn(60_000, () => Promise.resolve());
    const first = await reader.read(WAIT_MS);
    clock.advance(999);
    expect(await reader.read(WAIT_MS)).toBe(first);
    clock.advance(1);
    const second = await reader.read(WAIT_MS);
    expect(second).not.toBe(first);
    clock.advance(-1);
    expect(await reader.read(WAIT_MS)).not.toBe(second);
    const third = await reader.read(WAIT_MS);
    collection.version += 1;
    expect(await reader.read(WAIT_MS)).not.toBe(third);
  });

  test('shows no value after it has to be withdrawn', async () => {
    const { reader, clock, collection } = readerDueIn(60_000, () => Promise.resolve());
    collection.nextWithdrawalAtMs = clock.nowMs() + 10_000;
    await reader.read(WAIT_MS);
    clock.advance(9_999);
    await reader.read(WAIT_MS);
    expect(collection.station).toHaveBeenCalledTimes(1);
    clock.advance(1);
    await reader.read(WAIT_MS);
    expect(collection.station).toHaveBeenCalledTimes(2);
    // Nor when the clock was set back since.
    clock.advance(-7_200_000);
    await reader.read(WAIT_MS);
    expect(collection.station).toHaveBeenCalledTimes(3);
  });

  test('notices a change that happens while it counts', async () => {
    const { reader, collection, self } = readerDueIn(60_000, () => Promise.resolve());
    const counts = deferred<readonly never[]>();
    self.requestCounts.mockReturnValueOnce(counts.promise);
    const reading = reader.read(WAIT_MS);
    await settled();
    self.version += 1;
    counts.resolve([]);
    await reading;
    await reader.read(WAIT_MS);
    expect(self.requestCounts).toHaveBeenCalledTimes(2);
    expect(collection.station).toHaveBeenCalledTimes(2);
  });

  test('lets others have their turn while it looks at a thousand devices', async () => {
    const { reader, collection } = readerDueIn(60_000, () => Promise.resolve());
    const devices = Array.from({ length: 1000 }, (_, index) => ({ deviceId: `${index}` }));
    const listing = { station: { stationId: 'house' }, devices };
    const values = new Map<string, unknown>([['devices', { value: listing }]]);
    collection.station.mockReturnValueOnce({
      shown: <Target, Fetched, Shown>({ name }: Collector<Target, Fetched, Shown>) =>
        new Map(values.has(name) ? [['house', values.get(name)]] : []) as ReadonlyMap<
          string,
          ShownValue<Shown>
        >,
    });
    const described = deferred<Status>();
    const turns = await turnsDuring(async () => described.resolve(await reader.read(WAIT_MS)));
    expect(turns).toBeGreaterThanOrEqual(20);
    const [house] = (await described.promise).stations;
    expect(house?.devices.map(({ deviceId }) => deviceId)).toEqual(
      devices.map(({ deviceId }) => deviceId),
    );
  });

  test('keeps no status with a value that had to be withdrawn while it was described', async () => {
    const { reader, clock, collection } = readerDueIn(60_000, () => Promise.resolve());
    collection.nextWithdrawalAtMs = clock.nowMs() + 10_000;
    collection.station.mockImplementationOnce(() => {
      clock.advance(10_000);
      collection.nextWithdrawalAtMs = Infinity;
      return NOTHING_KNOWN;
    });
    await reader.read(WAIT_MS);
    await reader.read(WAIT_MS);
    expect(collection.station).toHaveBeenCalledTimes(2);
  });

  test('answers and says so in the log when a refresh fails unexpectedly', async () => {
    const { reader, log } = readerDueIn(0, () => Promise.reject(new Error('broken')));
    expect((await reader.read(WAIT_MS)).stations).toMatchObject([{ isUp: false }]);
    expect(log.messages('error')).toEqual(['refresh failed unexpectedly']);
  });
});

/** Reads while a refresh may hang, without waiting for it. */
async function readAgain(reader: StatusReader, clock: FakeClock) {
  const reading = reader.read(WAIT_MS);
  await settled();
  clock.advance(WAIT_MS);
  return reading;
}
