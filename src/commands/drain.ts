import type { Simulator } from '../simulator/simulator.ts';

const MINUTE_MS = 60_000;
/** An hour in steps of five seconds. */
const STEPS_MS = Array.from({ length: 720 }, (_, step) => step * 5000);
/** A scrape and an evaluation of the rules later. */
const NOTICED_AFTER_MS = 30_000;

/** The alerts that a draining battery brings, as prometheus/rules/solar.yml has them. */
export const DRAIN_ALERTS = [
  { name: 'SolarBatteryLow', belowRatio: 0.2, forMinutes: 5 },
  { name: 'SolarBatteryCritical', belowRatio: 0.1, forMinutes: 2 },
] as const;

/** Foresees in how many minutes each alert about the first battery fires; alerts that stay away are left out. */
export function expectedAlerts(
  simulator: Simulator,
  nowMs: number,
): readonly { readonly name: string; readonly inMinutes: number }[] {
  const [deviceId = ''] = simulator.deviceIds(simulator.stationIds[0] ?? '');
  // The inverter shows whole points.
  const shownRatio = (atMs: number): number =>
    Math.round(simulator.truth(deviceId, atMs).batterySocRatio * 100) / 100;
  return DRAIN_ALERTS.flatMap(({ name, belowRatio, forMinutes }) => {
    const lowAfterMs = STEPS_MS.find((afterMs) => shownRatio(nowMs + afterMs) < belowRatio);
    if (lowAfterMs === undefined) return [];
    const inMinutes = Math.ceil((lowAfterMs + NOTICED_AFTER_MS) / MINUTE_MS) + forMinutes;
    return { name, inMinutes };
  });
}

/** Says what will happen to the battery of the demo, and where to see it. */
export function drainNotice(simulator: Simulator, nowMs: number): string {
  const alerts = expectedAlerts(simulator, nowMs).map(
    ({ name, inMinutes }) => `  ${name.padEnd(22)}fires about ${inMinutes} minutes from now\n`,
  );
  return `
The battery is nearly empty, and the house goes on drawing from it. With the rules of
prometheus/rules/solar.yml, a Prometheus that scrapes the metrics shows the alerts:
${alerts.length > 0 ? alerts.join('') : '  none within an hour at this speed\n'}With "docker compose up" it is at http://localhost:9090/alerts, and what an owner is told at
http://localhost:9093.
`;
}
