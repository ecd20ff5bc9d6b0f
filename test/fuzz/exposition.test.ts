import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeAlarmPage } from '../../src/client/alarms/alarm-wire.ts';
import { decodeSettings } from '../../src/client/settings/settings-wire.ts';
import { decodeDevicePage } from '../../src/client/stations/inventory-pages.ts';
import { alarmsCollector } from '../../src/collectors/alarms.ts';
import { devicesCollector } from '../../src/collectors/inventory/devices.ts';
import { withPvDays } from '../../src/collectors/inventory/pv-day.ts';
import type { MetricDefinition, Sample } from '../../src/collectors/metric.ts';
import { settingsCollector } from '../../src/collectors/settings.ts';
import { Page } from '../../src/metrics/render.ts';
import { renderSamples } from '../../src/metrics/render.ts';
import { samplesOf } from '../support/exposition.ts';
import { answerIn, anyRecording } from './fixtures.ts';
import { edited, edits } from './mutations.ts';
import { readOrRefused } from './refusals.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

const PATH = '/apis/path';

/** What a page shows of an answer, by each collector whose labels the service chooses. */
const SHOWN: readonly (readonly [
  what: string,
  prefix: string,
  samples: (data: unknown) => readonly Sample[],
])[] = [
  [
    'devices',
    'devices-',
    (data) => {
      const { entries } = decodeDevicePage(data, PATH);
      // As whoever walks the pages does: each device once.
      const listed = [...new Map(entries.map((device) => [device.deviceId, device])).values()];
      const devices = [...withPvDays(listed, 'Europe/Kyiv')];
      const station = { stationId: 'house', timeZone: 'Europe/Kyiv' };
      return samplesBy(devicesCollector.metrics, { station, devices });
    },
  ],
  [
    'alarms',
    'alarms-',
    (data) => samplesBy(alarmsCollector.metrics, decodeAlarmPage(data, PATH).active),
  ],
  [
    'settings',
    'settings-',
    (data) => samplesBy(settingsCollector.metrics, decodeSettings(data, PATH)),
  ],
];

interface Metric<T> extends MetricDefinition {
  readonly read: (value: T) => readonly { readonly value: number; readonly labels?: object }[];
}

function samplesBy<T>(metrics: readonly Metric<T>[], value: T): readonly Sample[] {
  return metrics.flatMap(({ name, read }) =>
    read(value).map((point) => ({ name, value: point.value, labels: { ...point.labels } })),
  );
}

describe.each(SHOWN)(
  'whatever the service answers for %s',
  { timeout: FUZZ_TIMEOUT_MS },
  (...row) => {
    const [, prefix, samples] = row;
    const definitions = [devicesCollector, alarmsCollector, settingsCollector].flatMap(
      ({ metrics }): readonly MetricDefinition[] => metrics,
    );

    test('the page reads back, each series once and with a number', () => {
      holds(
        fc.property(anyRecording(prefix), edits, (file, changes) => {
          const { data } = { data: undefined, ...(edited(answerIn(file), changes) as object) };
          const shown = readOrRefused(() => samples(data)) ?? [];
          const read = samplesOf(new Page(renderSamples(definitions, shown)).body.toString());
          expect(read).toHaveLength(shown.length);
          for (const { value } of read) expect(value).toSatisfy(Number.isFinite);
        }),
      );
    });
  },
);
