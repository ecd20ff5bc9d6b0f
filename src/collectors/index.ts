import { alarmsCollector } from './alarms.ts';
import type { Collector, DeviceTarget, StationTarget } from './collector.ts';
import { devicesCollector } from './devices.ts';
import type { MetricDefinition } from './metric.ts';
import { readingsCollector } from './readings.ts';
import { settingsCollector } from './settings.ts';
import { summaryCollector } from './summary.ts';

/** Which collectors the user may switch. */
export interface CollectorSwitches {
  readonly settings: boolean;
  readonly alarms: boolean;
}

/** Asked once per station. The device list is not among them: everything else follows from it. */
export function stationCollectors({
  alarms,
}: CollectorSwitches): readonly Collector<StationTarget, unknown, unknown>[] {
  return [erase(summaryCollector), ...(alarms ? [erase(alarmsCollector)] : [])];
}

/** Asked once per device. */
export function deviceCollectors({
  settings,
}: CollectorSwitches): readonly Collector<DeviceTarget, unknown, unknown>[] {
  return [erase(readingsCollector), ...(settings ? [erase(settingsCollector)] : [])];
}

/** Every metric that a collector can bring, in the order of the page. */
export const COLLECTOR_METRICS: readonly MetricDefinition[] = [
  ...devicesCollector.metrics,
  ...readingsCollector.metrics,
  ...summaryCollector.metrics,
  ...settingsCollector.metrics,
  ...alarmsCollector.metrics,
];

/** A collector only ever reads what it fetched itself, so its value type may be forgotten. */
function erase<Target, Fetched, Shown>(
  collector: Collector<Target, Fetched, Shown>,
): Collector<Target, unknown, unknown> {
  return collector as Collector<Target, unknown, unknown>;
}
