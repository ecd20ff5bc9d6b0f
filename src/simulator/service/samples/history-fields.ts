import { keysOf, type Field } from '../../families/family-model.ts';
import type { FleetDevice } from '../../physics/fleet.ts';
import { deriveSeed, seededUnit } from '../../physics/seeded.ts';
import type { World } from '../world.ts';

type Element = number | string | null;

/** Measures the series of the keys asked for at some instants; gaps and late keys are null. */
export function historyFields(
  instants: readonly number[],
  keys: readonly string[],
  device: FleetDevice,
  world: World,
): Readonly<Record<string, readonly Element[]>> {
  const { lacking } = world.family.history;
  const states = instants.map((atMs) => world.inverterState(device, atMs));
  const fields: Record<string, readonly Element[]> = {};
  for (const key of keys) {
    const field = historyField(key, world);
    if (field === undefined) {
      if (lacking === 'all-null') fields[key] = instants.map(() => null);
      continue;
    }
    const isMissing = gaps(key, device, world);
    fields[key] = states.map((state, index) =>
      isMissing(instants[index] ?? 0) ? null : field.measure(state),
    );
  }
  return fields;
}

/** Measures the series of a record list: texts in objects, without the text where there is a gap. */
export function recordFields(
  instants: readonly number[],
  keys: readonly string[],
  device: FleetDevice,
  world: World,
): Readonly<Record<string, readonly { readonly vd?: string }[]>> {
  const states = instants.map((atMs) => world.inverterState(device, atMs));
  return Object.fromEntries(
    keys.flatMap((key) => {
      const field = world.family.fields[key];
      if (field === undefined) return [];
      const isMissing = gaps(key, device, world);
      const elements = states.map((state, index) =>
        isMissing(instants[index] ?? 0) ? {} : { vd: String(field.measure(state)) },
      );
      return [[key, elements]];
    }),
  );
}

/** Lists the units of the keys, for the families that have them here. */
export function historyFormatters(
  keys: readonly string[],
  world: World,
): Readonly<Record<string, { readonly unit: string }>> {
  if (!world.family.history.hasUnits) return {};
  return Object.fromEntries(
    keys.flatMap((key) => {
      const field = historyField(key, world);
      return field === undefined ? [] : [[key, { unit: field.unit }]];
    }),
  );
}

function historyField(key: string, { family }: World): Field | undefined {
  return keysOf(family, family.history.keys).includes(key) ? family.fields[key] : undefined;
}

/** Tells at which instants a key has no reading. */
function gaps(key: string, device: FleetDevice, world: World): (atMs: number) => boolean {
  const { seed, nullReadings, sampleIntervalMs } = world.options;
  const gapSeed = deriveSeed(seed, 'gaps', device.deviceId, key);
  const lateSamples = world.family.history.lateKeys[key] ?? 0;
  const lastOnTimeMs = world.lastSampleAtMs(device) - lateSamples * sampleIntervalMs;
  return (atMs) =>
    atMs > lastOnTimeMs ||
    // Chance depends on the instant, so that the same reading is missing in every answer.
    (nullReadings > 0 && seededUnit(gapSeed, atMs / sampleIntervalMs) < nullReadings);
}
