import type { FleetDevice } from './fleet.ts';
import { knownDevice } from './inventory.ts';
import type { PlantState } from './plant.ts';
import { illegalArgument, success, type Reply } from './reply.ts';
import { deriveSeed, seededUnit } from './seeded.ts';
import { booleanField, type JsonObject, pagingFields, stringField } from './service-request.ts';
import type { World } from './world.ts';

/** How the inverter reports each measurement: interface 2.4's units, an inverter's resolution. */
const MEASUREMENTS: ReadonlyMap<string, (state: PlantState) => number> = new Map([
  ['pvInputPower', (state) => rounded(state.pvPowerWatts, 1)],
  // In kW, unlike every other power; the house hangs on the AC output.
  ['acOutputActivePower', (state) => rounded(state.loadPowerWatts, 1) / 1000],
  ['batteryDischargeCurrent', (state) => rounded(state.batteryDischargeCurrentAmperes, 10)],
  ['batteryChargingCurrent', (state) => rounded(state.batteryChargingCurrentAmperes, 10)],
  ['batteryVoltage', (state) => rounded(state.batteryVoltageVolts, 10)],
  ['feedInPower', (state) => rounded(state.gridFeedInPowerWatts, 1)],
  ['batterySOC', (state) => rounded(state.batterySocRatio * 100, 1)],
]);

/**
 * Serves a device's time series (interface endpoint 4, field notes 2.4). `count` is the number of
 * points in this page and `total` the number of pages, as the portal means them.
 */
export function readHistory(body: JsonObject, world: World): Reply {
  const device = knownDevice(body, world);
  const { page, count } = pagingFields(body);
  const isAscending = booleanField(body, 'orderByTimeAsc');
  const keys = keysField(body);
  const intervalMs = world.options.sampleIntervalMs;
  const firstSample = Math.ceil(instantField(body, 'fromTime') / intervalMs);
  // What has not happened yet has not been measured.
  const lastAtMs = Math.min(instantField(body, 'toTime'), world.clock.nowMs());
  const samples = Math.max(0, Math.floor(lastAtMs / intervalMs) - firstSample + 1);

  const instants: number[] = [];
  for (let index = (page - 1) * count; index < Math.min(page * count, samples); index += 1) {
    const position = isAscending ? index : samples - 1 - index;
    instants.push((firstSample + position) * intervalMs);
  }
  return success({
    page,
    count: instants.length,
    total: Math.ceil(samples / count),
    payload: {
      timeSeries: instants.map((atMs) => new Date(atMs).toISOString()),
      fields: instants.length === 0 ? {} : fieldsAt(instants, keys, device, world),
      formatters: {},
      fieldInfo: null,
    },
  });
}

function fieldsAt(
  instants: readonly number[],
  keys: readonly string[],
  device: FleetDevice,
  world: World,
): Readonly<Record<string, readonly (number | null)[]>> {
  const { seed, nullReadings, sampleIntervalMs } = world.options;
  const states = instants.map((atMs) => world.deviceState(device, atMs));
  const fields: Record<string, readonly (number | null)[]> = {};
  for (const key of keys) {
    const measure = MEASUREMENTS.get(key);
    // A key the model does not have is left out.
    if (measure === undefined) continue;
    const gapSeed = deriveSeed(seed, 'gaps', device.deviceId, key);
    fields[key] = states.map((state, index) => {
      const sample = (instants[index] ?? 0) / sampleIntervalMs;
      // By instant, not by draw: the same reading is missing however often it is asked for.
      return nullReadings > 0 && seededUnit(gapSeed, sample) < nullReadings ? null : measure(state);
    });
  }
  return fields;
}

/** Reads the keys asked for; without any the portal serves all it has. */
function keysField(body: JsonObject): readonly string[] {
  const keys = body['keys'];
  if (keys === undefined) return [...MEASUREMENTS.keys()];
  if (!Array.isArray(keys)) throw illegalArgument('keys');
  return keys.map((key: unknown) => {
    if (typeof key !== 'string') throw illegalArgument('keys');
    return key;
  });
}

/** Reads an ISO-8601 instant with an offset and whole seconds (interface section 4, endpoint 4). */
function instantField(body: JsonObject, name: string): number {
  const text = stringField(body, name);
  const isWellFormed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(text);
  const atMs = Date.parse(text);
  if (!isWellFormed || Number.isNaN(atMs)) throw illegalArgument(name);
  return atMs;
}

function rounded(value: number, stepsPerUnit: number): number {
  return Math.round(value * stepsPerUnit) / stepsPerUnit;
}
