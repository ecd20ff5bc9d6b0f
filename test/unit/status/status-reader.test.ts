import { describe, expect, test, vi } from 'vitest';
import type { Shown } from '../../../src/collectors/target.ts';
import { collected } from '../../../src/exporter/exporter-routes.ts';
import { createRefreshes } from '../../../src/metrics/scrape.ts';
import type { StationTargets } from '../../../src/collectors/station-targets.ts';
import type { Status } from '../../../src/status/status.ts';
import { describeDevices } from '../../../src/status/describe.ts';
import { statusReader } from '../../../src/status/status-reader.ts';
import { deferred, settled } from '../../support/deferred.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { turnsDuring } from '../../support/turns-during.ts';

const WAIT_MS = 3000;

type StationValues = Pick<StationTargets, 'station' | 'shown' | 'totals'>;

const ENERGIES = { today: {}, countedToday: [], yesterday: {}, month: {} };
const TOTALS = { powers: undefined, ...ENERGIES, dayStartsAtMs: undefined };
const NOTHING_KNOWN: StationValues = {
  station: { stationId: '1' },
  shown: () => new Map(),
  totals: () => TOTALS,
};

/** A reader of a collection whose next question is due in so many milliseconds. */
function readerDueIn(dueInMs: number, refresh: () => Promise<unknown> = () => Promise.resolve()) {
  const [clock, log] = [new FakeClock(), new SilentLog()];
  let isUp = false;
  const collection = {
    nextFetchAtMs: clock.nowMs() + dueInMs,
    untilMs: Infinity,
    shownStations: (): Iterable<Iterable<Shown>> => [
      [{ untilMs: collection.untilMs, samples: () => [] }],
    ],
    version: 0,
    refresh: vi.fn(async () => {
      await refresh();
      isUp = true;
      collection.version += 1;
    }),
    station: vi.fn(() => NOTHING_KNOWN),
    status: () => [{ stationId: 'house', isUp, outcomes: [] }],
  };
  const self = {
    version: 0,
    requestCounts: vi.fn((): Promise<readonly never[]> => Promise.resolve([])),
  };
  const session = { mode: 'none' as const, isReauthenticationRequired: false, isShared: false };
  const times = { accessExpiresAtMs: undefined, blockedUntilMs: undefined };
  const account = {
    sessionStatus: () => ({ ...times, ...session }),
    isSimulated: () => false,
  };
  const refreshes = createRefreshes(clock, log);
  const read = statusReader({
    collection: collected({ collection, refreshes }, clock),
    stationOf: collection.station,
    self,
    account,
    dayCurves: { of: () => undefined },
    areCredentialsIgnored: true,
    version: '1.2.3',
    telemetryPath: '/metrics',
    clock,
  });
  /** Reads after so long; how often the stations have been described then. */
  const descriptionsAfter = async (durationMs: number) => {
    clock.advance(durationMs);
    await read(WAIT_MS);
    return collection.station.mock.calls.length;
  };
  return { read: () => read(WAIT_MS), descriptionsAfter, clock, log, collection, self, session };
}

describe('the reader of the status', () => {
  test('waits no longer than it may for a refresh, which goes on by itself', async () => {
    const answer = deferred<undefined>();
    const { read, clock, collection } = readerDueIn(0, () => answer.promise);
    const hasRead = vi.fn();
    const reading = read().finally(hasRead);
    clock.advance(WAIT_MS - 1);
    await settled();
    expect(hasRead).not.toHaveBeenCalled();
    clock.advance(1);
    expect(await reading).toMatchObject({ stations: [{ isUp: false }], atMs: clock.nowMs() });
    answer.resolve(undefined);
    await settled();
    collection.nextFetchAtMs = Infinity;
    expect((await read()).stations).toMatchObject([{ isUp: true }]);
  });

  test('asks only when something is due; has a new time after a second', async () => {
    const { read, descriptionsAfter, clock, collection, session } = readerDueIn(60_000);
    const first = await read();
    clock.advance(999);
    session.isReauthenticationRequired = true;
    expect(await read()).toBe(first);
    clock.advance(1);
    const second = await read();
    expect(second).toMatchObject({ session, atMs: clock.nowMs(), version: '1.2.3' });
    clock.misset(-1);
    expect(await read()).not.toBe(second);
    expect([collection.refresh.mock.calls.length, clock.sleeperCount]).toEqual([0, 0]);
    expect(collection.station).toHaveBeenCalledTimes(1);
    collection.version += 1;
    expect(await descriptionsAfter(0)).toBe(2);
    await descriptionsAfter(60_000);
    expect(collection.refresh).toHaveBeenCalledTimes(1);
  });

  test('shows no value after it has to be withdrawn', async () => {
    const { descriptionsAfter, clock, collection } = readerDueIn(60_000);
    collection.untilMs = clock.nowMs() + 10_000;
    expect(await descriptionsAfter(0)).toBe(1);
    expect(await descriptionsAfter(9_999)).toBe(1);
    expect(await descriptionsAfter(1)).toBe(2);
    // Nor when the clock was set back since.
    expect(await descriptionsAfter(-7_200_000)).toBe(3);
  });

  test('notices a change that happens while it counts', async () => {
    const { read, descriptionsAfter, self } = readerDueIn(60_000);
    const counts = deferred<readonly never[]>();
    self.requestCounts.mockReturnValueOnce(counts.promise);
    const reading = read();
    await settled();
    self.version += 1;
    counts.resolve([]);
    await reading;
    expect(await descriptionsAfter(0)).toBe(2);
    expect(self.requestCounts).toHaveBeenCalledTimes(2);
  });

  test('keeps no status with a value that was withdrawn meanwhile', async () => {
    const { descriptionsAfter, clock, collection } = readerDueIn(60_000);
    collection.untilMs = clock.nowMs() + 10_000;
    collection.station.mockImplementationOnce(() => {
      clock.advance(10_000);
      collection.untilMs = Infinity;
      return NOTHING_KNOWN;
    });
    expect(await descriptionsAfter(0)).toBe(1);
    expect(await descriptionsAfter(0)).toBe(2);
  });

  test('lets others have their turn while it looks at many devices', async () => {
    const { read, collection } = readerDueIn(60_000);
    const reading = {
      // Takes a while, as that of a device with many values does.
      get value() {
        const fromMs = performance.now();
        while (performance.now() < fromMs + 1);
        return {};
      },
    };
    const readings = new Map(Array.from({ length: 200 }, (_, index) => [`${index}`, reading]));
    const shown: unknown = ({ name }: { name: string }) =>
      name === 'readings' ? readings : new Map();
    collection.station.mockReturnValueOnce({ ...NOTHING_KNOWN, shown } as StationValues);
    const described = deferred<Status>();
    const turns = await turnsDuring(async () => described.resolve(await read()));
    expect(turns).toBeGreaterThanOrEqual(20);
    const [house] = (await described.promise).stations;
    expect(house?.devices.map(({ deviceId }) => deviceId)).toEqual([...readings.keys()]);
  });

  test('answers and says so in the log when a refresh fails unexpectedly', async () => {
    const { read, log } = readerDueIn(0, () => Promise.reject(new Error('broken')));
    expect((await read()).stations).toMatchObject([{ isUp: false }]);
    expect(log.messages('error')).toEqual(['refresh failed unexpectedly']);
  });
});

test('a device of which one setting alone is known is listed, if shown', () => {
  const withSetting = (setting: object) => ({
    value: new Map([['mode', { value: 'x', ...setting }]]),
  });
  const settings = new Map([
    ['set', withSetting({})],
    ['none', { value: new Map() }],
    ['hidden', withSetting({ isHidden: true })],
  ]);
  const shown = ({ name }: { readonly name: string }) =>
    name === 'settings' ? settings : new Map();
  const devices = [...describeDevices({ shown } as unknown as StationTargets)];
  expect(devices.map(({ deviceId }) => deviceId)).toEqual(['set']);
});
