import type { FleetDevice } from '../../physics/fleet.ts';
import { deriveSeed, seededUnit } from '../../physics/seeded.ts';
import { knownDevice } from '../device-lookup.ts';
import { countSamples, samplesBetween } from './sample-spans.ts';
import { booleanField, instantField, type JsonObject, pagingFields } from '../service-request.ts';
import type { World } from '../world.ts';

/** One page of a device's samples. */
export interface SamplePage {
  readonly device: FleetDevice;
  readonly instants: readonly number[];
  /** What the answer says of itself. */
  readonly paging: {
    readonly page: number;
    /** Of this page (field notes 1.7). */
    readonly count: number;
    /** Undefined where the answer does not say it. */
    readonly total: number | undefined;
  };
}

/** Cuts the page out of a device's samples that a body asks for. */
export function samplesAsked(body: JsonObject, world: World): SamplePage {
  const device = knownDevice(body, world);
  const { page, count } = pagingFields(body);
  // Which order the portal takes when none is named is not known.
  const isAscending = booleanField(body, 'orderByTimeAsc', true);
  const fromMs = instantField(body, 'fromTime');
  const toMs = instantField(body, 'toTime');
  const { emptyPages, mostPoints, sampleIntervalMs, seed } = world.options;

  const spans = world.contact.samplesWithin(device, fromMs, toMs);
  const samples = countSamples(spans);
  const size = Math.min(count, mostPoints);
  const start = (page - 1) * size;
  const end = Math.min(page * size, samples);
  const seedOfPages = deriveSeed(seed, 'empty pages', device.deviceId, fromMs, toMs, size);
  // Never the last one: a list that ends early is no list with an empty page in it.
  const isLeftEmpty = end < samples && seededUnit(seedOfPages, page) < emptyPages;
  const numbers = isLeftEmpty
    ? []
    : isAscending
      ? samplesBetween(spans, start, end)
      : samplesBetween(spans, samples - end, samples - start).toReversed();
  return {
    device,
    instants: numbers.map((sample) => sample * sampleIntervalMs),
    paging: { page, count: numbers.length, total: totalOf(samples, size, world) },
  };
}

function totalOf(samples: number, size: number, world: World): number | undefined {
  switch (world.options.historyTotal) {
    case 'pages':
      return Math.ceil(samples / size);
    case 'points':
      return samples;
    case 'none':
      return undefined;
  }
}
