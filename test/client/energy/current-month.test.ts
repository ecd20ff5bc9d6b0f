import { describe, expect, test } from 'vitest';
import { ServiceClient } from '../../../src/client/client.ts';
import { RuleSet } from '../../../src/client/dialects/rule-set.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { createCaller } from '../exchange/caller-harness.ts';

const AHEAD_MS = 3 * 24 * 3_600_000;
const YEAR = {
  properties: [
    {
      property: { key: 'pvGeneratedEnergy', unit: 'kWh' },
      timePoints: ['2026-08', '2026-09', '2026-12', '2027-01'].map((time) => ({
        time,
        value: Number(time.slice(5)),
        isRealValue: true,
      })),
    },
  ],
};

interface Setting {
  readonly now: string;
  readonly user?: string;
  readonly data?: unknown;
}

function createSummary({ now, user, data = YEAR }: Setting) {
  const parts = createCaller(() => ({ code: 0, data }), { now, timeZone: user });
  const client = new ServiceClient({
    ...parts,
    session: { authenticate: () => Promise.resolve() },
    rules: new RuleSet(),
    random: () => 0.5,
    log: new SilentLog(),
  });
  return {
    ...parts,
    fetch: (stationZone?: string) => client.fetchMonthlyEnergy('3', stationZone),
  };
}

describe('the energy of the month', () => {
  test.each([
    {
      zone: 'Pacific/Auckland',
      year: '2027',
      month: 1,
      starts: '2027-01-01T00:00:00+13:00',
      ends: '2027-02-01T00:00:00+13:00',
    },
    {
      zone: 'Pacific/Honolulu',
      year: '2026',
      month: 12,
      starts: '2026-12-01T00:00:00-10:00',
      ends: '2027-01-01T00:00:00-10:00',
    },
    {
      zone: undefined,
      year: '2026',
      month: 12,
      starts: '2026-12-01T00:00:00+08:00',
      ends: '2027-01-01T00:00:00+08:00',
    },
  ])('is that of the station in $zone at New Year', async ({ zone, year, month, ...bounds }) => {
    const { fetch, transport } = createSummary({ now: '2026-12-31T11:00:00Z' });
    expect(await fetch(zone)).toEqual({
      pvGeneratedKwh: month,
      startsAtMs: Date.parse(bounds.starts),
      endsAtMs: Date.parse(bounds.ends),
    });
    expect(transport.bodies).toEqual([{ time: year }]);
  });

  test('is that of the zone of the user before that of the station', async () => {
    const { fetch, transport } = createSummary({
      now: '2026-12-31T11:00:00Z',
      user: 'Pacific/Honolulu',
    });
    expect(await fetch('Pacific/Auckland')).toMatchObject({
      pvGeneratedKwh: 12,
      endsAtMs: Date.parse('2027-01-01T00:00:00-10:00'),
    });
    expect(transport.requests[0]?.headers['iot-time-zone']).toBe('Pacific/Honolulu');
  });

  test('has its bounds and nothing else when the summary is empty', async () => {
    const { fetch } = createSummary({ now: '2026-08-24T08:00:00Z', data: {} });
    expect(await fetch('UTC')).toEqual({
      startsAtMs: Date.parse('2026-08-01T00:00:00Z'),
      endsAtMs: Date.parse('2026-09-01T00:00:00Z'),
    });
  });

  test.each([
    { when: 'our clock is three days behind', now: '2026-08-30T12:00:00Z', aheadMs: AHEAD_MS },
    { when: 'our clock is three days ahead', now: '2026-09-05T12:00:00Z', aheadMs: -AHEAD_MS },
  ])('is that of the service, and ends by our clock, when $when', async ({ now, aheadMs }) => {
    const { fetch, clock, serviceClock } = createSummary({ now });
    serviceClock.observe(clock.nowMs() + aheadMs);
    const month = await fetch('UTC');
    expect(month).toEqual({
      pvGeneratedKwh: 9,
      startsAtMs: Date.parse('2026-09-01T00:00:00Z'),
      endsAtMs: Date.parse('2026-10-01T00:00:00Z') - aheadMs,
    });
    clock.advance(month.endsAtMs - clock.nowMs());
    expect(serviceClock.nowMs()).toBe(Date.parse('2026-10-01T00:00:00Z'));
  });

  test('is over on arrival when the answer itself shows that our clock is a month behind', async () => {
    const { fetch, clock, serviceClock, transport } = createSummary({
      now: '2026-08-24T12:00:00Z',
    });
    transport.answer = () => {
      serviceClock.observe(Date.parse('2026-09-24T12:00:00Z'));
      return { code: 0, data: YEAR };
    };
    expect((await fetch('UTC')).endsAtMs).toBeLessThanOrEqual(clock.nowMs());
    const next = await fetch('UTC');
    expect(next.pvGeneratedKwh).toBe(9);
    expect(next.endsAtMs).toBeGreaterThan(clock.nowMs());
  });
});
