import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, test, vi } from 'vitest';
import type { MetricDefinition, Sample } from '../../../src/collectors/metric.ts';
import { Page, renderSamples } from '../../../src/metrics/render.ts';
import { parseExposition, samplesOf } from '../../support/exposition.ts';

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

describe('the page', () => {
  test('shows every metric with its help, its type and its samples in their order', () => {
    const samples: Sample[] = [
      at(2, { station_id: 'house', note: 'roof' }),
      { name: depth.name, labels: {}, value: 3 },
      at(1, { station_id: 'barn' }),
    ];
    expect(renderSamples([depth, height], samples)).toBe(`\
# HELP solar_depth_metres Height above the ground.
# TYPE solar_depth_metres counter
solar_depth_metres 3
# HELP solar_height_metres Height above the ground.
# TYPE solar_height_metres gauge
solar_height_metres{station_id="house",note="roof"} 2
solar_height_metres{station_id="barn"} 1
`);
  });

  test('leaves out a metric without samples, a sample that nobody defined and a label without a value', () => {
    expect(renderSamples([depth, height], [at(1)])).not.toContain(depth.name);
    expect([renderSamples([height], []), renderSamples([depth], [at(1)])]).toEqual(['', '']);
    const lineOf = (labels: Sample['labels']) => renderSamples([height], [at(1, labels)]);
    expect(lineOf({ station_id: undefined, note: '' })).toContain(
      '\nsolar_height_metres{note=""} 1',
    );
    expect(lineOf({ station_id: undefined })).toContain('\nsolar_height_metres 1\n');
  });

  test.each([
    [0, '0'],
    [-0, '0'],
    [-1.5, '-1.5'],
    [1_780_000_000.123, '1780000000.123'],
    [1e21, '1e+21'],
    [5e-7, '5e-7'],
    [NaN, 'NaN'],
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
  ])('writes %d as %s', (value, expected) => {
    expect(renderSamples([height], [at(value)])).toContain(`solar_height_metres ${expected}\n`);
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

  test('it reads back as it was', () => {
    const property = fc.property(anySamples, (given) => {
      const samples = samplesWith(given);
      const page = new Page(renderSamples([height], samples));
      // There is one zero in the text format.
      expect(samplesOf(page.body.toString('utf8'))).toEqual(
        samples.map((sample) => ({ ...sample, value: sample.value + 0 })),
      );
    });
    fc.assert(property);
  });

  test('it reads as prom-client would write it', async () => {
    const property = fc.asyncProperty(anySamples, hostileText, async (given, text) => {
      const help = `.${text}`;
      const registry = new Registry();
      const { name, labelNames } = height;
      const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
      for (const { station, note, value } of given) gauge.set({ station_id: station, note }, value);
      const page = renderSamples([{ ...height, help }], samplesWith(given));
      const oracle = parseExposition(await registry.metrics());
      expect(parseExposition(page)).toEqual(oracle.filter(({ samples }) => samples.length > 0));
    });
    await fc.assert(property);
  });
});

describe('the memory of a page', () => {
  test('is given back once nobody holds it, and not while the page is compressed', async () => {
    const free = vi.fn();
    const page = new Page(Buffer.from('a'.repeat(1_000_000)), free);
    page.hold()();
    const release = page.hold();
    const compressed = page.gzipped();
    page.letGo();
    release();
    expect(free).not.toHaveBeenCalled();
    expect(gunzipSync(await compressed)).toHaveLength(1_000_000);
    expect(free).toHaveBeenCalledOnce();
  });

  test('is that of a text where nobody said how to give it back, and stays', () => {
    const page = new Page('solar_up 1\n');
    page.letGo();
    expect(page.body.toString()).toBe('solar_up 1\n');
  });
});

test('a page is its text in UTF-8, and is compressed once for everybody who asks', async () => {
  const page = new Page('solar_station_info{name="Söller"} 1\n');
  expect(page.body).toEqual(Buffer.from('solar_station_info{name="Söller"} 1\n'));
  const [one, other] = await Promise.all([page.gzipped(), page.gzipped()]);
  expect(gunzipSync(one)).toEqual(page.body);
  expect([other === one, (await page.gzipped()) === one]).toEqual([true, true]);
});
