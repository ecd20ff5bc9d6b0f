import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/base/shown.ts';
import type { DeviceReport, PastReading } from '../../src/model/readings.ts';
import { type Family, FAMILIES } from '../../src/simulator/simulator.ts';
import { connect } from '../../src/client/client.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';
import { SilentLog } from '../support/silent-log.ts';
import { devicesAnswering, stateOf } from './device-answers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, startService, SteeredClock } from './house.ts';
import { liveHistory, startScriptedService } from './scripted-service.ts';

const INTERVAL_MS = 5 * MINUTE_MS;
const READINGS = 18;
const ZONE = 'Asia/Manila';

/** Families that are read live from the time series, so that the past must say the same to the letter. */
const READ_FROM_HISTORY: readonly Family[] = ['classic', 'sierro'];
/** Families whose time series has none of their keys. */
const WITHOUT_PAST: readonly Family[] = ['uwb1'];
/** A sum of two strings is rounded twice, a sum that the device sends once. */
const ROUNDING_WATTS = 1;

/** Connects as the program does. */
function connectTo(
  url: string,
  clock: SteeredClock,
  credentials: Partial<Parameters<typeof connect>[0]>,
) {
  let nonces = 0;
  const { api, close } = connect(
    {
      baseUrl: url,
      authUrl: url,
      paths: SERVICE_PATHS,
      ...credentials,
      request: { timeoutMs: 20_000, concurrency: 8 },
    },
    { clock, random: () => 0.5, newNonce: () => String((nonces += 1)).padStart(32, '0') },
    {
      requestEnded: ignored,
      renewalEnded: ignored,
      sessionReplaced: ignored,
      dropped: ignored,
    },
    new SilentLog(),
  );
  onTestFinished(() => close());
  return api;
}

const ignored = (): void => undefined;

/** Reads a device live, at each of its readings; then reads the same span as the past. */
async function readTwice(family: Family) {
  const clock = new SteeredClock();
  const { serviceUrl, deviceId, simulator } = await startService({ family }, clock);
  const { account, password, appId, appSecret } = simulator.options;
  const secrets = { password: new Secret(password), appSecret: new Secret(appSecret) };
  const api = connectTo(serviceUrl, clock, { account, appId, ...secrets });
  const fromMs = Math.ceil(clock.nowMs() / INTERVAL_MS) * INTERVAL_MS;
  const live = new Map<number, DeviceReport>();
  for (let atMs = fromMs; atMs < fromMs + READINGS * INTERVAL_MS; atMs += INTERVAL_MS) {
    clock.advance(atMs - clock.nowMs());
    live.set(atMs, await api.fetchReadings({ deviceId, timeZone: ZONE }));
  }
  const requests = simulator.requests('readings');
  const past: PastReading[] = [];
  const toMs = clock.nowMs() + 1;
  // An hour before, as whoever wants the first readings whole would ask.
  const query = { deviceId, timeZone: ZONE, fromMs: fromMs - 60 * MINUTE_MS, toMs };
  for await (const page of api.fetchPastReadings(query, (ask) => ask())) past.push(...page);
  return {
    live,
    past: past.filter(({ atMs }) => atMs >= fromMs),
    requests: simulator.requests('readings') - requests,
  };
}

/** What a report measures at one time, by quantity and part. */
function measuredAt({ measurements }: DeviceReport, atMs: number): Record<string, unknown> {
  return Object.fromEntries(
    measurements
      .filter(({ measuredAtMs }) => measuredAtMs === atMs)
      .map(({ quantity, part, value }) => [`${quantity} ${part}`.trim(), value]),
  );
}

test.each(FAMILIES)('the past of %s is what was read when it was the present', async (family) => {
  const { live, past, requests } = await readTwice(family);
  expect(requests).toBe(1);
  expect(past.map(({ atMs }) => atMs)).toEqual([...live.keys()]);
  let compared = 0;
  for (const { atMs, report } of past) {
    const then = live.get(atMs) ?? report;
    if (READ_FROM_HISTORY.includes(family)) {
      expect(report.measurements).toEqual(then.measurements);
      expect(report.newestAtMs).toBe(then.newestAtMs);
      expect(report.dialect.family).toBe(then.dialect.family);
    }
    const shown = measuredAt(then, atMs);
    for (const [name, value] of Object.entries(measuredAt(report, atMs))) {
      if (!(name in shown)) continue;
      compared += 1;
      if (name === 'pvPowerWatts')
        expect(Math.abs(Number(value) - Number(shown[name]))).toBeLessThanOrEqual(ROUNDING_WATTS);
      else expect([name, value]).toEqual([name, shown[name]]);
    }
    if (WITHOUT_PAST.includes(family)) expect(report.measurements).toEqual([]);
  }
  if (!WITHOUT_PAST.includes(family)) expect(compared).toBeGreaterThan(READINGS);
});

test('the past of a device says nothing of the strings that it has now', async () => {
  const clock = new SteeredClock();
  const midnightMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  const before = { pv1Power: 500, pv2Power: 600 };
  const device = {
    series: liveHistory((atMs) => (atMs < midnightMs ? before : {})),
    latest: stateOf({ pv1Power: [500, 'W'], batteryPercentage: [76, '%'] }),
  };
  const { serviceUrl: url } = await startScriptedService(devicesAnswering({ '7': device }), clock);
  const api = connectTo(url, clock, { accessToken: new Secret('made-up') });
  const pvNow = async () => {
    const { measurements } = await api.fetchReadings({ deviceId: '7' });
    return measurements.find(({ quantity }) => quantity === 'pvPowerWatts')?.value;
  };
  for (let reading = 0; reading < 4; reading += 1) expect(await pvNow()).toBe(500);
  const span = { fromMs: midnightMs - 2 * HOUR_MS, toMs: midnightMs - HOUR_MS };
  const past: unknown[] = [];
  for await (const page of api.fetchPastReadings({ deviceId: '7', ...span }, (ask) => ask()))
    for (const { report } of page)
      past.push(report.measurements.find(({ quantity }) => quantity === 'pvPowerWatts')?.value);
  expect(new Set(past)).toEqual(new Set([1100]));
  clock.advance(MINUTE_MS);
  expect(await pvNow()).toBe(500);
});
