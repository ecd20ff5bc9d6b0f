import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { readRulesFile, RULES_FILE } from '../prometheus/rule-files.ts';
import { startAlertmanagerFor } from '../support/alertmanager.ts';
import { eventually } from '../support/eventually.ts';
import { hasProgram } from '../support/programs.ts';
import {
  type RunningPrometheus,
  startPrometheus,
  temporaryDirectory,
} from '../support/prometheus.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS, startBoth } from '../doors/house.ts';
import { type DeliveredAlert, startWebhook } from '../support/webhook.ts';

/** Ten seconds of the clock are an hour of the sun. */
const SPEED = 360;
const SAMPLE_INTERVAL_MS = 2 * SECOND_MS;
/** The simulated battery is never below 10 %. */
const CRITICAL_RATIO = 0.15;
const BATTERY_ALERTS = 'ALERTS{alertname=~"SolarBattery(Low|Critical)"}';

/** The real rules with shorter durations: nothing waits for more than a second, and a range is a unit shorter. */
function hurried(rules: string): string {
  const waitless = rules.replaceAll(/for: \d+m$/gm, 'for: 1s');
  const short = waitless.replaceAll(/\[[^\]]+\]/g, (range) =>
    range.replaceAll(/[dhm]/g, (unit) => ({ d: 'h', h: 'm' })[unit] ?? 's'),
  );
  expect(waitless).not.toBe(rules);
  expect(short).not.toBe(waitless);
  return short;
}

/** Writes what Prometheus evaluates: the rules, and an owner's threshold. */
function ruleFiles(): readonly string[] {
  const directory = temporaryDirectory();
  const rules = join(directory, 'solar.yml');
  writeFileSync(rules, hurried(readRulesFile(RULES_FILE)));
  const thresholds = join(directory, 'thresholds.yml');
  const record = 'solar:battery_critical_threshold:override';
  const group = { name: 'thresholds', rules: [{ record, expr: String(CRITICAL_RATIO) }] };
  // JSON is YAML.
  writeFileSync(thresholds, JSON.stringify({ groups: [group] }));
  return [thresholds, rules];
}

/** A station at dusk, and everything from its service to the web hook of its owner. */
async function startChain(
  setup: Parameters<typeof startBoth>[0] & { readonly startsAgoMs: number },
) {
  const startsAtMs = systemClock.nowMs() - setup.startsAgoMs;
  const both = await startBoth({
    ...setup,
    now: new Date(startsAtMs).toISOString(),
    simulator: {
      speed: SPEED,
      startAtHour: 17,
      sampleIntervalMs: SAMPLE_INTERVAL_MS,
      ...setup.simulator,
    },
    flags: { 'cache.readings-ttl': '1s', ...setup.flags },
  });
  const { simulator, clock, deviceId } = both;
  const isAt = (atMs: number, isWanted: (socRatio: number) => boolean): boolean =>
    isWanted(simulator.truth(deviceId, atMs).batterySocRatio);
  /** Lets time pass until the battery is as wanted, and was when the newest reading was taken. */
  const passUntil = (isWanted: (socRatio: number) => boolean): void => {
    const latestMs = clock.nowMs() + (3 * DAY_MS) / SPEED;
    while (!isAt(clock.nowMs(), isWanted) || !isAt(clock.nowMs() - SAMPLE_INTERVAL_MS, isWanted)) {
      expect(clock.nowMs()).toBeLessThan(latestMs);
      clock.advance(SAMPLE_INTERVAL_MS);
    }
  };
  const webhook = await startWebhook();
  const startWatching = async (): Promise<RunningPrometheus> => {
    // The first fetch may take longer than the half second that such a short interval leaves.
    await both.scrape();
    const alertmanager = await startAlertmanagerFor(webhook.url);
    return startPrometheus({
      exporterUrls: [both.url],
      ruleFiles: ruleFiles(),
      alertmanagerUrls: [alertmanager.url],
    });
  };
  /** Waits for a message about an alert. */
  const delivered = (alertname: string, status: DeliveredAlert['status']) =>
    eventually(() => {
      const alert = webhook.alerts.find(
        (candidate) => candidate.labels['alertname'] === alertname && candidate.status === status,
      );
      expect(alert, `${alertname} ${status}`).toBeDefined();
      return alert;
    });
  return { ...both, webhook, passUntil, startWatching, delivered };
}

describe.skipIf(!hasProgram('prometheus') || !hasProgram('prometheus-alertmanager'))(
  'a real Prometheus and a real Alertmanager',
  () => {
    test('tell the owner that a battery is low, then that it is nearly empty, and that it is charged', async () => {
      const { scrape, webhook, deviceId, passUntil, startWatching, delivered } = await startChain({
        startsAgoMs: MINUTE_MS,
      });
      passUntil((socRatio) => socRatio < 0.35);
      const prometheus = await startWatching();
      await eventually(async () => {
        const [soc] = await prometheus.query('solar:battery_soc_fresh:ratio');
        expect(soc?.value).toBeLessThan(0.36);
      });
      expect(await prometheus.query(BATTERY_ALERTS)).toEqual([]);

      passUntil((socRatio) => socRatio < 0.19);
      const low = await delivered('SolarBatteryLow', 'firing');
      const name = (await scrape()).all('solar_device_info')[0]?.labels['name'] ?? '';
      expect(name).not.toBe('');
      expect(low?.annotations['summary']).toContain(`Battery of ${name} is at 1`);
      expect(low?.labels).toMatchObject({ severity: 'warning', device_id: deviceId });
      expect(webhook.alerts.map(({ labels }) => labels['alertname'])).not.toContain(
        'SolarBatteryCritical',
      );

      passUntil((socRatio) => socRatio < CRITICAL_RATIO - 0.01);
      const critical = await delivered('SolarBatteryCritical', 'firing');
      expect(critical?.annotations['summary']).toContain(`Battery of ${name} is nearly empty`);
      expect(critical?.labels['severity']).toBe('critical');

      passUntil((socRatio) => socRatio > 0.5);
      await delivered('SolarBatteryCritical', 'resolved');
      await delivered('SolarBatteryLow', 'resolved');
      expect(await prometheus.query(BATTERY_ALERTS)).toEqual([]);
      expect(await prometheus.stop()).toBe(0);
    });

    test('say that readings are stale, and nothing of the nearly empty battery that they are about', async () => {
      const { simulator, clock, deviceId, passUntil, startWatching, delivered } = await startChain({
        startsAgoMs: 110 * MINUTE_MS,
        simulator: { family: 'hpvinv02' },
        // Shown, although old: what keeps the alert silent is the rule alone.
        flags: { 'cache.max-age': '3h' },
      });
      passUntil((socRatio) => socRatio < CRITICAL_RATIO - 0.01);
      simulator.setOffline(deviceId, clock.nowMs());
      clock.advance(systemClock.nowMs() - clock.nowMs());

      const prometheus = await startWatching();
      const stale = await delivered('SolarReadingStale', 'firing');
      expect(stale?.labels).toMatchObject({ severity: 'warning', device_id: deviceId });
      const [shown] = await prometheus.query('solar_battery_soc_ratio');
      expect(shown?.value).toBeLessThan(CRITICAL_RATIO);
      expect(await prometheus.query('solar:battery_soc_fresh:ratio')).toEqual([]);
      expect(await prometheus.query(BATTERY_ALERTS)).toEqual([]);
      expect(await prometheus.stop()).toBe(0);
    });
  },
);
