import type { Tariff } from '../model/tariff.ts';
import { alarmsCollector } from './alarms.ts';
import type { Collector, DeviceSubject, StationSubject } from './collector.ts';
import type { DayCurves } from './day-curves.ts';
import { DevicePoints, ENERGY_COUNTER_METRICS } from './device-points.ts';
import type { EnergyCounts } from './energy-counts.ts';
import { daysCollector, summaryCollector, yearsCollector } from './energy.ts';
import { devicesCollector } from './inventory.ts';
import type { MetricDefinition } from './metric.ts';
import { READING_METRICS } from './reading-metrics.ts';
import { readingsCollectorWith } from './readings.ts';
import { settingsCollector } from './settings.ts';
import { TARIFF_METRICS, tariffCollector } from './tariff/tariff.ts';
import { TOTAL_METRICS } from './totals.ts';

/** The collectors that the user can switch on and off. */
export interface CollectorChoices {
  readonly settings: boolean;
  readonly alarms: boolean;
  readonly energy: boolean;
}

/** Those, and what they need. */
export interface CollectorSwitches extends CollectorChoices {
  /** Keeps the counted energy of the devices. */
  readonly energyCounts: EnergyCounts;
  /** Keeps today's curve of each station, from the same points. */
  readonly dayCurves: DayCurves;
  /** The stations whose inverters do not work in parallel: the load of each inverter counts. */
  readonly independent: readonly string[];
  /** The prices to serve; none when absent. */
  readonly tariff: Tariff | undefined;
}

/** The collectors of a station. The device list is not among them: it is read before all others. */
export interface StationCollectors {
  /** Ask once per station. */
  readonly ofStation: readonly Collector<StationSubject>[];
  /** Ask once per device. */
  readonly ofDevice: readonly Collector<DeviceSubject>[];
}

export function collectorsOf(switches: CollectorSwitches): StationCollectors {
  const { alarms, energy, tariff, settings, energyCounts, dayCurves } = switches;
  const points = energy ? new DevicePoints(energyCounts, dayCurves) : undefined;
  return {
    ofStation: [
      summaryCollector,
      ...(energy ? [daysCollector, yearsCollector] : []),
      ...(alarms ? [alarmsCollector] : []),
      ...(tariff === undefined ? [] : [tariffCollector(tariff)]),
    ],
    ofDevice: [readingsCollectorWith(points), ...(settings ? [settingsCollector] : [])],
  };
}

/** Every metric of the collectors, in the order of the page. */
export const COLLECTOR_METRICS: readonly MetricDefinition[] = [
  ...devicesCollector.metrics,
  ...TOTAL_METRICS,
  ...READING_METRICS,
  ...ENERGY_COUNTER_METRICS,
  ...summaryCollector.metrics,
  ...daysCollector.metrics,
  ...yearsCollector.metrics,
  ...settingsCollector.metrics,
  ...alarmsCollector.metrics,
  ...TARIFF_METRICS,
];
