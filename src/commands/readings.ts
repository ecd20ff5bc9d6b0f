import { wordsOf } from './metric-words.ts';
import { ServiceError } from '../base/errors.ts';
import type { Point } from '../collectors/metric.ts';
import { MEASUREMENT_METRICS, POWER_METRICS } from '../collectors/reading-metrics.ts';
import { isReporting, type Readings } from '../model/readings.ts';
import { type Arguments, type CommandContext, EXIT_OK } from './command.ts';
import { withConnection } from './connection.ts';
import { findDevice } from './find-device.ts';
import { type DeviceSubject, listAllDevices, readDevice } from './inventory.ts';
import { renderJson, renderTable } from './output.ts';

/** A value of a metric, without one where it is unknown; and how a person reads it. */
interface ShownValue {
  readonly metric: string;
  /** The words of the metric. */
  readonly quantity: string;
  readonly text: string;
  readonly value?: number;
  readonly labels?: Point['labels'];
  /** Whether the device does not measure it: it was computed from what the device measures. */
  readonly isDerived: boolean;
}

/** Prints the newest readings of one device, or of all: what the metrics would show, read by the same collectors. */
export async function readings(
  context: CommandContext,
  { device: typed, has }: Arguments,
): Promise<number> {
  const failures: ServiceError[] = [];
  const devices = await withConnection(context, async ({ api }) => {
    const targets =
      typed === undefined
        ? await listAllDevices(api, context)
        : [await findDevice(api, context, typed)];
    return Promise.all(
      targets.map(async (target) => {
        try {
          const { newest } = await readDevice(api, context, target);
          return [{ ...target, newest, values: isReporting(newest) ? valuesOf(newest) : [] }];
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          const { code, message, isDoubtful } = error;
          const named = `device ${target.device.deviceId}: ${message}`;
          failures.push(new ServiceError(code, named, { cause: error, isDoubtful }));
          return [];
        }
      }),
    );
  });
  const shown = devices.flat();
  const [failure] = failures;
  if (shown.length > 0 || failure === undefined)
    context.out(
      has('json')
        ? renderJson({ devices: shown.map(describe) })
        : renderTable(['device', 'quantity', 'value'], shown.flatMap(rowsOf)),
    );
  // One device that cannot be read does not hide the others.
  if (failure !== undefined) throw failure;
  return EXIT_OK;
}

/** What the metrics show of one device now. */
interface ShownDevice extends DeviceSubject {
  readonly newest: Readings;
  readonly values: readonly ShownValue[];
}

/** Reads the metrics. The power of a device is always listed; a quantity that few have only when it is known. */
function valuesOf(newest: Readings): readonly ShownValue[] {
  return MEASUREMENT_METRICS.flatMap((metric): readonly ShownValue[] => {
    const { name } = metric;
    const points = metric.read(newest);
    if (points.length === 0 && POWER_METRICS.includes(metric))
      return [{ metric: name, ...wordsOf(name), text: 'unknown', isDerived: false }];
    return points.flatMap(({ value, labels }) => {
      const mode = labels?.['mode'];
      // Of all modes only the present one tells anything.
      if (mode !== undefined && value !== 1) return [];
      const { quantity, unit, scale } = wordsOf(name, mode === undefined ? labels : {});
      const isDerived = labels === undefined && !isMeasured(name, newest);
      const text = mode ?? `${Math.round(value * scale * 100) / 100} ${unit}`;
      return { metric: name, quantity, text, value, ...(labels && { labels }), isDerived };
    });
  });
}

/** Whether the readings have the quantity of a metric themselves: `solar_load_power_watts` is `loadPowerWatts`. */
function isMeasured(metric: string, newest: Readings): boolean {
  const quantity = metric
    .replace(/^solar_/, '')
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return (newest as Readonly<Record<string, unknown>>)[quantity] !== undefined;
}

function rowsOf({ device, newest, values }: ShownDevice): readonly (readonly string[])[] {
  const { deviceId } = device;
  const { measuredAtMs } = newest;
  const measured = [deviceId, 'measured at', instantOf(measuredAtMs) ?? 'unknown'];
  if (!isReporting(newest)) {
    const silence = [deviceId, 'nothing recent enough', ''];
    return measuredAtMs === undefined ? [silence] : [silence, measured];
  }
  const rows = values.map(({ quantity, isDerived, text }) => [
    deviceId,
    isDerived ? `${quantity} (derived)` : quantity,
    text,
  ]);
  return [...rows, measured];
}

/** Describes a device for programs: values in the units of the metrics. */
function describe({ station, device, newest, values }: ShownDevice): object {
  const { deviceId, name, serial, model } = device;
  const { dialect, measuredAtMs } = newest;
  return {
    stationId: station.stationId,
    deviceId,
    name,
    serial,
    model,
    isReporting: isReporting(newest),
    measuredAt: instantOf(measuredAtMs),
    family: dialect?.family,
    source: dialect?.source,
    values: values
      .filter(({ value }) => value !== undefined)
      .map(({ metric, quantity, labels, value, isDerived }) => ({
        metric,
        quantity,
        labels,
        value,
        isDerived,
      })),
  };
}

function instantOf(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
