import fc from 'fast-check';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, test, vi } from 'vitest';
import { dropLog } from '../../../src/base/limits.ts';
import type { MetricDefinition, Sample } from '../../../src/collectors/metric.ts';
import type { Shown } from '../../../src/collectors/target.ts';
import type { RenderedMetrics } from '../../../src/metrics/self.ts';
import { StationPages } from '../../../src/metrics/station-pages.ts';
import { parseExposition, samplesOf } from '../../support/exposition.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { turnsDuring } from '../../support/turns-during.ts';

const height: MetricDefinition = {
  name: 'solar_height_metres',
  type: 'gauge',
  help: 'Height above the ground.',
  labelNames: ['station_id', 'note'],
};
const depth: MetricDefinition = { ...height, name: 'solar_depth_metres', type: 'counter' };

const at = (value: number, labels: Sample['labels'] = {}): Sample => ({
  name: height.name,
  labels,
  value,
});

/** Pages of these metrics, and what is left out of them. */
function pages({
  maxSeries = Infinity,
  definitions = [depth, height],
  renderRest = () => Promise.resolve({ text: '', series: 0 }),
} = {}) {
  const drops: (readonly [reason: string, count: number])[] = [];
  const noteDropped = dropLog(new SilentLog(), (...dropped) => drops.push(dropped));
  const made = new StationPages({ maxSeries, noteDropped, renderRest }, definitions);
  return {
    drops,
    shownOf: (samples: () => readonly Sample[], untilMs = Infinity) => ({ samples, untilMs }),
    render: async (targets: readonly Shown[]) => {
      const content = { name: 'page', statuses: [], problems: [], stations: [targets] };
      const { value, untilMs } = await made.make(content);
      return { text: value.toString(), untilMs };
    },
  };
}

/** The page of these samples alone. */
async function renderSamples(definitions: MetricDefinition[], samples: readonly Sample[]) {
  const { render, shownOf } = pages({ definitions });
  return (await render([shownOf(() => samples)])).text;
}

describe('the page', () => {
  test('shows every metric with its help, its type and its samples', async () => {
    const samples: Sample[] = [
      at(2, { station_id: 'house', note: 'roof' }),
      { name: depth.name, labels: {}, value: 3 },
      at(1, { station_id: 'barn' }),
    ];
    expect(await renderSamples([depth, height], samples)).toBe(`\
# HELP solar_depth_metres Height above the ground.
# TYPE solar_depth_metres counter
solar_depth_metres 3
# HELP solar_height_metres Height above the ground.
# TYPE solar_height_metres gauge
solar_height_metres{station_id="house",note="roof"} 2
solar_height_metres{station_id="barn"} 1
`);
  });

  test('leaves out metrics without samples, unknown samples and empty labels', async () => {
    expect(await renderSamples([depth, height], [at(1)])).not.toContain(depth.name);
    expect([await renderSamples([height], []), await renderSamples([depth], [at(1)])]).toEqual([
      '',
      '',
    ]);
    const lineOf = (labels: Sample['labels']) => renderSamples([height], [at(1, labels)]);
    expect(await lineOf({ station_id: undefined, note: '' })).toContain(
      '\nsolar_height_metres{note=""} 1',
    );
    expect(await lineOf({ station_id: undefined })).toContain('\nsolar_height_metres 1\n');
  });

  test.each([
    [-0, '0'],
    [1_780_000_000.123, '1780000000.123'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ])('writes %d as %s', async (value, expected) => {
    expect(await renderSamples([height], [at(value)])).toContain(
      `solar_height_metres ${expected}\n`,
    );
  });
});

// Arbitrary texts seldom hold what has a meaning in the format.
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', '\r', '\0', ',', '{', '}', '=', ' ') }),
);
const anyValue = fc.double({ noNaN: false });
const anySamples = fc.uniqueArray(
  fc.record({ station: hostileText, note: hostileText, value: anyValue }),
  { selector: ({ station, note }) => JSON.stringify([station, note]), maxLength: 8 },
);

describe('whatever a name on the page is', () => {
  const samplesWith = (given: readonly { station: string; note: string; value: number }[]) =>
    given.map(({ station, note, value }) => at(value, { station_id: station, note }));

  test('it reads as prom-client would write it', async () => {
    const property = fc.asyncProperty(anySamples, hostileText, async (given, text) => {
      const help = `.${text}`;
      const registry = new Registry();
      const { name, labelNames } = height;
      const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
      for (const { station, note, value } of given) gauge.set({ station_id: station, note }, value);
      const page = await renderSamples([{ ...height, help }], samplesWith(given));
      const oracle = parseExposition(await registry.metrics());
      expect(parseExposition(page)).toEqual(oracle.filter(({ samples }) => samples.length > 0));
    });
    await fc.assert(property);
  });
});

/** Each station is one target: a series of its own, and two of each device. */
function stationsOf(stations: number, devices: number, note = ''): readonly (readonly Sample[])[] {
  return Array.from({ length: stations }, (_, index) => {
    const station = { station_id: `s${index}` };
    const labelsOf = (device: number) => ({ ...station, device_id: `d${device}`, note });
    const all = Array.from({ length: devices }, (__, device) => labelsOf(device));
    return [
      at(1, station),
      ...all.map((labels) => at(2, labels)),
      ...all.map((labels) => ({ name: depth.name, labels, value: 3 })),
    ];
  });
}

describe('a page of stations', () => {
  test('keeps the lines of a target that is shown still', async () => {
    const { render, shownOf } = pages();
    const [samples = []] = stationsOf(1, 2);
    const [kept, other] = [vi.fn(() => samples), vi.fn(() => [at(7)])];
    await render([shownOf(kept)]);
    const shown = shownOf(kept);
    await render([shown]);
    const { text } = await render([shown, shownOf(other)]);
    expect(text).toContain('solar_height_metres 7\n');
    expect(samplesOf(text)).toHaveLength(6);
    expect([kept.mock.calls.length, other.mock.calls.length]).toEqual([2, 1]);
  });

  test('is right until the first of its targets changes', async () => {
    const { render, shownOf } = pages();
    const untilMs = [300, 100, 200];
    const page = await render(untilMs.map((until) => shownOf(() => [at(until)], until)));
    expect(page.untilMs).toBe(100);
  });

  test('is made in slices, between which others have their turn', async () => {
    const { render, shownOf } = pages();
    const [samples = []] = stationsOf(1, 40);
    const many = Array.from({ length: 80 }, () => shownOf(() => samples));
    expect(await turnsDuring(() => render(many))).toBeGreaterThan(5);
  });
});

describe('a page that is full', () => {
  test.each([
    [15, 's0, s1, s2', 0],
    [14, 's0, s1', 5],
    [10, 's0, s1', 5],
    [9, 's0', 10],
    [4, '', 15],
  ])('with %i series has targets as a whole or not at all: %s', async (most, kept, dropped) => {
    const { render, shownOf, drops } = pages({ maxSeries: most });
    const { text } = await render(stationsOf(3, 2).map((samples) => shownOf(() => samples)));
    const stations = samplesOf(text).map(({ labels }) => labels['station_id']);
    expect([...new Set(stations)].sort().join(', ')).toBe(kept);
    expect(drops).toEqual(dropped === 0 ? [] : [['series', dropped]]);
  });

  test('stays full: what comes later is left out; what ends it has its place', async () => {
    const renderRest = (): Promise<RenderedMetrics> =>
      Promise.resolve({ text: `solar_rest ${drops.length}\n`, series: 1 });
    const { render, shownOf, drops } = pages({ maxSeries: 7, renderRest });
    const targets = [...stationsOf(1, 2), ...stationsOf(1, 3), [at(1)]];
    const { text } = await render(targets.map((samples) => shownOf(() => samples)));
    expect(text).toMatch(/^solar_rest 1$/m);
    expect(text.match(/^solar_/gm)).toHaveLength(6);
    expect(drops).toEqual([['series', 8]]);
  });

  test.each(['☀', 'x'])('never has more bytes than it may, of %j as well', async (character) => {
    const { render, shownOf, drops } = pages();
    const long = at(1, { note: character.repeat(1_000_000) });
    const targets = Array.from({ length: 64 }, () => shownOf(() => [long]));
    const { text } = await render(targets);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeLessThanOrEqual(63_000_000);
    expect(bytes).toBeGreaterThan(59_000_000);
    expect(drops).toEqual([['series', expect.any(Number)]]);
  });
});
