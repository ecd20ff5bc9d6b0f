import type { Simulator } from '../simulator/simulator.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 5000;
const LONGEST_MS = 60 * MINUTE_MS;
/** A scrape and an evaluation of the rules later. */
const NOTICED_AFTER_MS = 30_000;

/** The alerts that a draining battery brings, as prometheus/rules/solar.yml has them. */
export const DRAIN_ALERTS = [
  { name: 'SolarBatteryLow', belowRatio: 0.2, forMinutes: 5 },
  { name: 'SolarBatteryCritical', belowRatio: 0.1, forMinutes: 2 },
] as const;

/** An alert, and how many minutes from now Prometheus shows it as firing. */
export interface ExpectedAlert {
  readonly name: string;
  readonly inMinutes: number;
}

/** Foresees when each alert about the first battery fires; alerts that stay away are left out. */
export function expectedAlerts(simulator: Simulator, nowMs: number): readonly ExpectedAlert[] {
  return DRAIN_ALERTS.flatMap(({ name, belowRatio, forMinutes }) => {
    const lowAfterMs = firstBelow(belowRatio, simulator, nowMs);
    if (lowAfterMs === undefined) return [];
    const firesAfterMs = lowAfterMs + forMinutes * MINUTE_MS + NOTICED_AFTER_MS;
    return [{ name, inMinutes: Math.ceil(firesAfterMs / MINUTE_MS) }];
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

function firstBelow(belowRatio: number, simulator: Simulator, nowMs: number): number | undefined {
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);
  for (let afterMs = 0; afterMs <= LONGEST_MS; afterMs += STEP_MS) {
    const { batterySocRatio } = simulator.truth(deviceId, nowMs + afterMs);
    // The inverter shows whole points.
    if (Math.round(batterySocRatio * 100) / 100 < belowRatio) return afterMs;
  }
  return undefined;
}
