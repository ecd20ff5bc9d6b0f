import { systemClock } from '../../../src/base/clock.ts';
import type { Family, SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { startExporterFor, startService } from '../../doors/house.ts';

/** The machine's clock, because a real Prometheus goes by it. */
class RealClock extends FakeClock {
  override nowMs(): number {
    return systemClock.nowMs();
  }

  override sleep(durationMs: number): Promise<void> {
    return systemClock.sleep(durationMs);
  }
}

/** The machine's clock, and a time zone in which it is midday by it. */
export function midday(): { readonly clock: FakeClock; readonly timeZone: string } {
  const clock = new RealClock();
  return { clock, timeZone: zoneOfMidday(clock.nowMs()) };
}

/** Starts a service whose stations stand where it is midday, whenever the test runs. */
export async function startMidday(options: Partial<SimulatorOptions>) {
  const { clock, timeZone } = midday();
  const service = await startService({ ...options, timeZone }, clock);
  return {
    ...service,
    /** Starts an exporter for it that has fetched everything once. */
    startExporter: async (): Promise<{ readonly url: string; readonly instance: string }> => {
      const { url, scrape } = await startExporterFor(service.simulator, service.serviceUrl, clock, {
        flags: { 'collect.settings': 'true' },
      });
      // The first fetch may take longer than the half second that the interval of Prometheus leaves.
      await scrape();
      return { url, instance: new URL(url).host };
    },
  };
}

/** Starts one device of a family, and an exporter for it; an alarm of each level fires. */
export async function startFamily(
  family: Family,
): Promise<{ readonly url: string; readonly instance: string }> {
  const { simulator, deviceId, startExporter } = await startMidday({
    family,
    settingsCached: true,
  });
  simulator.setAlarms(deviceId, [
    { key: 'lineLoss', level: 1 },
    { key: 'overload', level: 2 },
    { key: 'overTemperature', level: 3 },
  ]);
  return startExporter();
}

/** The sun shines there whenever the test runs, and no day begins or ends meanwhile. */
function zoneOfMidday(nowMs: number): string {
  const hoursEast = 12 - new Date(nowMs).getUTCHours();
  // The names count westwards.
  return hoursEast > 0 ? `Etc/GMT-${hoursEast}` : `Etc/GMT+${-hoursEast}`;
}
