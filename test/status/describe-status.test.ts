import { describe, expect, test } from 'vitest';
import type { CollectorOutcome } from '../../src/collectors/run/rounds.ts';
import type { StationStatus } from '../../src/collectors/station-status.ts';
import { DEVICES_PER_TURN } from '../../src/status/describe-devices.ts';
import type { StationValues } from '../../src/status/describe-station.ts';
import { describeStatus, type StatusParts } from '../../src/status/describe-status.ts';
import type { Status } from '../../src/status/status.ts';
import { deferred } from '../support/deferred.ts';
import { turnsDuring } from '../support/turns-during.ts';
import { valuesOf } from './station-values.ts';

const OUTCOME: CollectorOutcome = {
  collector: 'readings',
  isSuccess: true,
  code: 'ok',
  durationSeconds: 0.5,
  isServed: true,
  lastSuccessAtMs: 1000,
};
const HOUSE: StationStatus = { stationId: 'house', isUp: true, outcomes: [OUTCOME] };
const NOTHING_KNOWN = valuesOf({});

function accountParts(
  changes: Partial<StatusParts['accounts'][number]> = {},
): StatusParts['accounts'][number] {
  const session = {
    mode: 'account',
    accessExpiresAtMs: undefined,
    isReauthenticationRequired: false,
    blockedUntilMs: undefined,
  } as const;
  return { account: undefined, session, isSimulated: false, requests: [], ...changes };
}

function describeParts(parts: Partial<StatusParts>) {
  return describeStatus({
    atMs: 2000,
    version: '1.2.3',
    telemetryPath: '/metrics',
    areCredentialsIgnored: false,
    accounts: [accountParts()],
    statuses: [HOUSE],
    valuesOf: () => NOTHING_KNOWN,
    curveOf: () => undefined,
    ...parts,
  });
}

describe('the status', () => {
  test('has no stations while nothing is known, and passes on the rest', async () => {
    const requests = [{ operation: 'login', outcome: 'ok', count: 1 }];
    const status = await describeParts({ statuses: [], accounts: [accountParts({ requests })] });
    expect(status).toMatchObject({ atMs: 2000, version: '1.2.3', account: [], stations: [] });
    expect(status.requests).toEqual(requests);
  });

  test('tells the collectors of the account from those of a station', async () => {
    const account: StationStatus = {
      stationId: undefined,
      isUp: false,
      outcomes: [{ ...OUTCOME, collector: 'stations', isSuccess: false, code: 'SERVICE_TIMEOUT' }],
    };
    const status = await describeParts({ statuses: [account, HOUSE] });
    expect(status.account).toEqual([
      {
        collector: 'stations',
        code: 'SERVICE_TIMEOUT',
        durationSeconds: 0.5,
        isServed: true,
        lastSuccessAtMs: 1000,
      },
    ]);
    expect(status.stations).toMatchObject([
      { stationId: 'house', isUp: true, collectors: [{ collector: 'readings', code: 'ok' }] },
    ]);
  });

  test('gives every station its own values, in the order of the collection', async () => {
    const values = {
      house: valuesOf({ station: { name: 'House' }, readings: { a: { pvPowerWatts: 1 } } }),
      barn: valuesOf({ station: { name: 'Barn' }, readings: { a: { pvPowerWatts: 2 } } }),
    };
    const { stations } = await describeParts({
      statuses: [{ ...HOUSE, stationId: 'barn' }, HOUSE],
      valuesOf: (stationId) => values[stationId as keyof typeof values],
    });
    expect(stations).toMatchObject([
      { stationId: 'barn', name: 'Barn', devices: [{ deviceId: 'a', pvPowerWatts: 2 }] },
      { stationId: 'house', name: 'House', devices: [{ deviceId: 'a', pvPowerWatts: 1 }] },
    ]);
  });

  test('leaves out a station that is no longer collected', async () => {
    const status = await describeParts({
      statuses: [HOUSE, { ...HOUSE, stationId: 'gone' }],
      valuesOf: (stationId) => (stationId === 'gone' ? undefined : NOTHING_KNOWN),
    });
    expect(status.stations).toMatchObject([{ stationId: 'house', devices: [] }]);
  });

  test('survives JSON, as the page in the browser gets it', async () => {
    const values = valuesOf({
      devices: [{ deviceId: 'a', isOnline: false }],
      readings: { a: { pvPowerWatts: 0.1 } },
    });
    const status = await describeParts({ valuesOf: () => values });
    expect(JSON.parse(JSON.stringify(status))).toEqual({
      ...status,
      session: { mode: 'account', isReauthenticationRequired: false },
    });
  });

  /** A thousand devices, of which everything is known. */
  const MANY = Array.from({ length: 1000 }, (_, index) => `${index}`);
  const values = valuesOf({
    devices: MANY.map((deviceId) => ({ deviceId, isOnline: true })),
    alarms: MANY.map((deviceId) => ({ deviceId, key: 'fan', level: 'warning' })),
    readings: Object.fromEntries(MANY.map((deviceId) => [deviceId, { pvPowerWatts: 2 }])),
  });

  test('describes all of many devices, and lets others have their turn meanwhile', async () => {
    const described = deferred<Status>();
    const turns = await turnsDuring(async () =>
      described.resolve(await describeParts({ valuesOf: () => values })),
    );
    expect(turns).toBeGreaterThanOrEqual((3 * MANY.length) / DEVICES_PER_TURN - 1);
    const [house] = (await described.promise).stations;
    expect(house?.devices.map(({ deviceId }) => deviceId)).toEqual(MANY);
    expect(house?.devices.at(-1)).toMatchObject({
      isOnline: true,
      pvPowerWatts: 2,
      alarms: [{ alarm: 'fan', level: 'warning' }],
    });
    expect(house?.flow).toMatchObject({ pvPowerWatts: 2000 });
  });

  test('lets others have their turn while it describes many stations', async () => {
    const statuses = MANY.map((stationId) => ({ ...HOUSE, stationId }));
    const turns = await turnsDuring(() => describeParts({ statuses }));
    expect(turns).toBeGreaterThanOrEqual(MANY.length / DEVICES_PER_TURN - 1);
  });

  test('reads all values of a station at one instant', async () => {
    let isLater = false;
    const read: boolean[] = [];
    const shown: StationValues['shown'] = (collector) => {
      read.push(isLater);
      return values.shown(collector);
    };
    const describing = describeParts({ valuesOf: () => ({ shown }) });
    setImmediate(() => (isLater = true));
    await describing;
    expect(isLater).toBe(true);
    expect(read).toEqual(read.map(() => false));
    expect(read.length).toBeGreaterThanOrEqual(7);
  });
});
