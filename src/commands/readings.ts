import type { ServiceApi } from '../client/client.ts';
import { wordsOf } from '../collectors/metric-words.ts';
import type { Point } from '../collectors/metric.ts';
import { MEASUREMENT_METRICS, POWER_METRICS } from '../collectors/reading-metrics.ts';
import { isReporting, type Readings } from '../model/readings.ts';
import { type CommandContext, EXIT_OK, withConnection } from './command.ts';
import type { Arguments } from './commands.ts';
import { findDevice } from './find-device.ts';
import { type DeviceSubject, listAllDevices } from './inventory.ts';
import { readDevice } from './read-device.ts';
import { renderJson, renderTable } from './output.ts';

/** What the metrics show of one device now. */
interface ShownDevice {
  readonly target: DeviceSubject;
  readonly newest: Readings;
  readonly values: readonly ShownValue[];
}

/** One value of a metric; without a value it is unknown. */
interface ShownValue {
  readonly metric: string;
  /** The words of the metric. */
  readonly quantity: string;
  readonly value?: number;
  readonly unit: string;
  readonly scale: number;
  readonly labels?: Point['labels'];
  /** Whether the device does not measure it: it was computed from what the device measures. */
  readonly isDerived: boolean;
}

/**
 * Prints the newest readings of one device, or of all: what the metrics would show, read by the same
 * collectors.
 */
export async function readings(
  context: CommandContext,
  { device, has }: Arguments,
): Promise<number> {
  const shown = await withConnection(context, async ({ api }) => {
    const targets =
      device === undefined
        ? await listAllDevices(api, context)
        : [await findDevice(api, context, device)];
    return Promise.all(targets.map((target) => read(context, api, target)));
  });
  context.out(
    has('json')
      ? renderJson({ devices: shown.map(describe) })
      : renderTable(['device', 'quantity', 'value'], shown.flatMap(rowsOf)),
  );
  return EXIT_OK;
}

async function read(
  context: CommandContext,
  api: ServiceApi,
  target: DeviceSubject,
): Promise<ShownDevice> {
  const { newest } = await readDevice(context, api, target);
  return { target, newest, values: isReporting(newest) ? valuesOf(newest) : [] };
}

/** Reads the metrics. The power of a device is always listed; a quantity that few have only when it is known. */
function valuesOf(newest: Readings): readonly ShownValue[] {
  return MEASUREMENT_METRICS.flatMap((metric): readonly ShownValue[] => {
    const { name, read: pointsOf } = metric;
    const points = pointsOf(newest);
    if (points.length === 0)
      return POWER_METRICS.includes(metric)
        ? [{ metric: name, ...wordsOf(name), isDerived: false }]
        : [];
    return points.filter(isTold).map(({ value, labels }) => ({
      metric: name,
      ...wordsOf(name, partsOf(labels)),
      value,
      ...(labels !== undefined && { labels }),
      isDerived: !isMeasured(name, newest, labels),
    }));
  });
}

/** Whether a point tells anything; of all modes only the present one does. */
function isTold({ value, labels }: Point): boolean {
  return labels?.['mode'] === undefined || value === 1;
}

/** The mode is the value itself, and not which of several values it is. */
function partsOf(labels: Point['labels']): Point['labels'] {
  return labels?.['mode'] === undefined ? labels : {};
}

/** Whether the readings have the quantity of a metric themselves: `solar_load_power_watts` is `loadPowerWatts`. */
function isMeasured(metric: string, newest: Readings, labels: Point['labels']): boolean {
  if (labels !== undefined) return true;
  const quantity = metric
    .replace(/^solar_/, '')
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return (newest as Readonly<Record<string, unknown>>)[quantity] !== undefined;
}

function rowsOf({ target, newest, values }: ShownDevice): readonly (readonly string[])[] {
  const { deviceId } = target.device;
  const { measuredAtMs } = newest;
  const measuredAt = [deviceId, 'measured at', instantOf(measuredAtMs) ?? 'unknown'];
  if (!isReporting(newest)) {
    const silence = [deviceId, 'nothing recent enough', ''];
    return measuredAtMs === undefined ? [silence] : [silence, measuredAt];
  }
  return [...values.map((value) => [deviceId, quantityOf(value), textOf(value)]), measuredAt];
}

function quantityOf({ quantity, isDerived }: ShownValue): string {
  return isDerived ? `${quantity} (derived)` : quantity;
}

function textOf({ value, unit, scale, labels }: ShownValue): string {
  const mode = labels?.['mode'];
  if (mode !== undefined) return mode;
  return value === undefined ? 'unknown' : `${Math.round(value * scale * 100) / 100} ${unit}`;
}

/** Describes a device for programs: values in the units of the metrics. */
function describe({ target: { station, device }, newest, values }: ShownDevice): object {
  return {
    stationId: station.stationId,
    deviceId: device.deviceId,
    name: device.name,
    serial: device.serial,
    model: device.model,
    isReporting: isReporting(newest),
    measuredAt: instantOf(newest.measuredAtMs),
    family: newest.dialect?.family,
    source: newest.dialect?.source,
    values: values
      .filter(({ value }) => value !== undefined)
      .map(({ metric, quantity, value, labels, isDerived }) => ({
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
