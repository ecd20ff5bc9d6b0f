import type { Tariff } from '../model/tariff.ts';
import { alarmsCollector } from './alarms.ts';
import type { Collector, DeviceSubject, StationSubject } from './collector.ts';
import type { DayCurves } from './day-curves.ts';
import { DevicePoints, ENERGY_COUNTER_METRICS } from './device-points.ts';
import type { EnergyCounts } from './energy-counts.ts';
import { daysCollector, yearsCollector } from './energy.ts';
import { devicesCollector } from './inventory/devices.ts';
import type { MetricDefinition } from './metric.ts';
import { readingsCollector, readingsCollectorWith } from './readings.ts';
import { settingsCollector } from './settings.ts';
import { summaryCollector } from './summary.ts';
import { TARIFF_METRICS, tariffCollector } from './tariff/tariff.ts';

/** The collectors that the user can switch on and off. */
export interface CollectorSwitches {
  readonly settings: boolean;
  readonly alarms: boolean;
  readonly energy: boolean;
  /** Keeps the counted energy of the devices; none is counted when absent. */
  readonly energyCounts?: EnergyCounts | undefined;
  /** Takes up the same points. */
  readonly dayCurves?: DayCurves | undefined;
  /** The prices to serve; none when absent. */
  readonly tariff?: Tariff | undefined;
}

/** Collectors that ask once per station. The device list is not among them: it is read before all others. */
export function stationCollectors({
  alarms,
  energy,
  tariff,
}: CollectorSwitches): readonly Collector<StationSubject, unknown, unknown>[] {
  return [
    erase(summaryCollector),
    ...(energy ? [erase(daysCollector), erase(yearsCollector)] : []),
    ...(alarms ? [erase(alarmsCollector)] : []),
    ...(tariff === undefined ? [] : [erase(tariffCollector(tariff))]),
  ];
}

/** Collectors that ask once per device. */
export function deviceCollectors({
  settings,
  energy,
  energyCounts,
  dayCurves,
}: CollectorSwitches): readonly Collector<DeviceSubject, unknown, unknown>[] {
  const isCounting = energy && energyCounts !== undefined;
  return [
    erase(
      readingsCollectorWith(isCounting ? new DevicePoints(energyCounts, dayCurves) : undefined),
    ),
    ...(settings ? [erase(settingsCollector)] : []),
  ];
}

/** Every metric of the collectors, in the order of the page. */
export const COLLECTOR_METRICS: readonly MetricDefinition[] = [
  ...devicesCollector.metrics,
  ...readingsCollector.metrics,
  ...ENERGY_COUNTER_METRICS,
  ...summaryCollector.metrics,
  ...daysCollector.metrics,
  ...yearsCollector.metrics,
  ...settingsCollector.metrics,
  ...alarmsCollector.metrics,
  ...TARIFF_METRICS,
];

/** Hides the type of a collector's values; safe, because a collector only reads what it fetched itself. */
function erase<Target, Fetched, Shown>(
  collector: Collector<Target, Fetched, Shown>,
): Collector<Target, unknown, unknown> {
  return collector as Collector<Target, unknown, unknown>;
}
