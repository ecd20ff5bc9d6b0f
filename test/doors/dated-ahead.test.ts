import { describe, expect, test } from 'vitest';
import { devicesAnswering, seriesOf, stateOf } from './device-answers.ts';
import { HOUR_MS, MINUTE_MS, openHouse } from './house.ts';
import { startScriptedProcess } from './commands/fake-process.ts';
import { CLASSIC, liveHistory, type PortalRequest, type Scripted } from './scripted-service.ts';

const REPORTING = 'solar_device_reporting{device_id="ahead"}';
const PV = 'solar_pv_power_watts{device_id="ahead"}';
const FLAGS = { 'collect.alarms': 'false' };

/** Five minutes ago, by the clock of a logger that is so many hours ahead. */
const datedBy = (atMs: number, hours: number): string =>
  new Date(atMs + hours * HOUR_MS - 5 * MINUTE_MS).toISOString();

/** A device that is read from its series, with readings from that time. */
const series = (hours: number) => ({
  series: (request: PortalRequest) =>
    answerOf(seriesOf(CLASSIC, datedBy(request.atMs, hours)), request),
});
const latestState = (hours: number) => ({
  latest: (request: PortalRequest) => {
    const time = datedBy(request.atMs, hours);
    return answerOf(stateOf({ generationPower: [1.2, 'kW'] }, { time }), request);
  },
});

function answerOf(scripted: Scripted, request: PortalRequest) {
  return typeof scripted === 'function' ? scripted(request) : scripted;
}

describe('readings', () => {
  test.each([
    ['a series', 1, '1 h', series],
    ['a series', 30, '30 h', series],
    ['a latest state', 5.5, '5.5 h', latestState],
  ])(
    'of %s that are dated %d hours ahead are not shown, and said so everywhere',
    async (_source, hours, words, answers) => {
      const sentence = `dated ${words} ahead of the service's clock: the logger's clock or zone is wrong`;
      const script = devicesAnswering({ ahead: answers(hours) });
      const house = await openHouse(script, { flags: FLAGS });
      await house.keepScraping(20 * MINUTE_MS, 5 * MINUTE_MS);
      await house.follow({ page: { [REPORTING]: 0, [PV]: undefined } });
      const [station] = (await house.status()).stations;
      const { problems = [], devices = [] } = station ?? {};
      expect(
        problems.filter(({ deviceId }) => deviceId === 'ahead').map(({ what }) => what),
      ).toEqual([expect.stringMatching(sentence), 'unknown family'].slice(0, problems.length));
      expect(devices[0]?.datedAheadMs).toBeGreaterThan((hours - 0.5) * HOUR_MS);
      const page = (await house.read()).replaceAll('&#39;', "'");
      expect(page).toContain(sentence);
      expect(page).not.toContain('last <time');
      const warnings = house.log
        .messages('warn')
        .filter((message) => message.includes('not shown'));
      expect(warnings).toEqual([`readings are not shown: ${sentence}`]);

      const { shell } = await startScriptedProcess(script);
      const { status, out } = await shell.run('check');
      expect(out).toMatch(
        new RegExp(`\nreadings +failed +device ahead: the newest are ${sentence}\n`),
      );
      expect(out).toContain('\nreadings: SERVICE_PAYLOAD_INVALID\n  → set the clock');
      expect(out).not.toContain('too old');
      expect(status).toBe(1);
    },
  );

  test('that are set right are shown, and said again when wrong again', async () => {
    const house = await openHouse(devicesAnswering({ ahead: series(8) }), { flags: FLAGS });
    await house.keepScraping(20 * MINUTE_MS, 5 * MINUTE_MS);
    Object.assign(house.answers, devicesAnswering({ ahead: series(0) }));
    await house.keepScraping(20 * MINUTE_MS, 5 * MINUTE_MS);
    await house.follow({ page: { [REPORTING]: 1 } });
    expect((await house.status()).stations[0]?.devices[0]).not.toHaveProperty('datedAheadMs');
    Object.assign(house.answers, devicesAnswering({ ahead: series(8) }));
    await house.keepScraping(20 * MINUTE_MS, 5 * MINUTE_MS);
    const warnings = house.log.messages('warn').filter((message) => message.includes('not shown'));
    expect(warnings).toHaveLength(2);
  });
});

test('a device that is hours ahead erases no curve', async () => {
  const good = { series: liveHistory() };
  const house = await openHouse(devicesAnswering({ good, ahead: series(14) }), { flags: FLAGS });
  await house.keepScraping(2 * HOUR_MS, 20 * MINUTE_MS);
  const [station] = (await house.status()).stations;
  const known = station?.curve?.pvPowerWatts ?? [];
  // From midnight in Kyiv to now.
  expect(known.length).toBe((3 + 10) * 12 + 1);
  expect(new Set(known)).toEqual(new Set([1200]));
});
