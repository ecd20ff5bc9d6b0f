import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/client.ts';
import { Secret } from '../../src/base/shown.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';
import { SilentLog } from '../support/silent-log.ts';
import { devicesAnswering, stateOf } from './device-answers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SteeredClock } from './house.ts';
import { liveHistory, startScriptedService } from './scripted-service.ts';

const ignored = (): void => undefined;

test('the past of a device says nothing of the strings that it has now', async () => {
  const clock = new SteeredClock();
  const midnightMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
  const before = { pv1Power: 500, pv2Power: 600 };
  const device = {
    series: liveHistory((atMs) => (atMs < midnightMs ? before : {})),
    latest: stateOf({ pv1Power: [500, 'W'], batteryPercentage: [76, '%'] }),
  };
  const { serviceUrl: url } = await startScriptedService(devicesAnswering({ '7': device }), clock);
  const { api, close } = connect(
    {
      ...{ baseUrl: url, authUrl: url, paths: SERVICE_PATHS, accessToken: new Secret('made-up') },
      request: { timeoutMs: 20_000, concurrency: 8 },
    },
    { clock, random: () => 0.5, newNonce: () => '' },
    { requestEnded: ignored, renewalEnded: ignored, dropped: ignored, sessionReplaced: ignored },
    new SilentLog(),
  );
  onTestFinished(() => close());
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
