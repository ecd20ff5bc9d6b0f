import { describe, expect, test } from 'vitest';
import type { MetricDefinition, Sample } from '../../../src/collectors/metric.ts';
import { type PageLimits, PageWriter } from '../../../src/metrics/page-writer.ts';
import { renderSamples } from '../../../src/metrics/render.ts';
import { ShownTexts } from '../../../src/metrics/shown-texts.ts';
import type { Shown } from '../../../src/collectors/target.ts';
import { turnsDuring } from '../../support/turns-during.ts';

const METRICS = ['solar_a', 'solar_b', 'solar_c'].map((name): MetricDefinition => ({
  name: name as MetricDefinition['name'],
  type: 'gauge',
  help: 'Made up.',
  labelNames: [],
}));

/** Something of which these samples are shown for good. */
const asShown = (samples: readonly Sample[]): Shown => ({
  untilMs: Infinity,
  samples: () => samples,
});

/** Each station has one series of its own and two of each device, in the order of a collection. */
function stationsOf(stations: number, devices: number, note = ''): readonly (readonly Sample[])[] {
  return Array.from({ length: stations }, (_, index) => {
    const station = { station_id: `s${index}` };
    const labelsOf = (at: number) => ({ ...station, device_id: `d${at}`, note });
    const all = Array.from({ length: devices }, (__, at) => labelsOf(at));
    return [
      { name: 'solar_a', labels: station, value: 1 },
      ...all.map((labels) => ({ name: 'solar_b', labels, value: 2 })),
      ...all.map((labels) => ({ name: 'solar_c', labels, value: 3 })),
    ];
  });
}

function writerOf(limits: Partial<PageLimits> = {}): PageWriter {
  return new PageWriter(new ShownTexts(METRICS), { series: Infinity, bytes: Infinity, ...limits });
}

async function write(stations: readonly (readonly Sample[])[], limits: Partial<PageLimits> = {}) {
  const writer = writerOf(limits);
  for (const samples of stations) await writer.add([asShown(samples)]);
  const text = (await writer.written('')).body.toString();
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { writer, text, series };
}

describe('a page', () => {
  const alone = (name: string) => [[{ name, labels: {}, value: 1 }]];
  test.each([
    ['nothing', []],
    ['two stations', stationsOf(2, 3)],
    ['more than is written in one turn', stationsOf(3, 2500, '☀')],
    ['what is not of a station', alone('solar_a')],
    ['a metric that nobody defined', alone('solar_x')],
  ])('of %s is what renderSamples makes of it', async (_, stations) => {
    const { text, writer } = await write(stations);
    expect(text).toBe(renderSamples(METRICS, stations.flat()));
    expect([writer.fullBy, writer.dropped]).toEqual([undefined, 0]);
  });

  test('renders what a page has left out again, once the memory of the one before is given back', async () => {
    const texts = new ShownTexts(METRICS);
    const stations = stationsOf(2, 3);
    const [first, second] = stations.map(asShown);
    const pageOf = async (...shown: readonly (Shown | undefined)[]) => {
      const writer = new PageWriter(texts, { series: Infinity, bytes: Infinity });
      for (const one of shown) if (one !== undefined) await writer.add([one]);
      return writer.written('');
    };
    const before = await pageOf(first, second);
    await pageOf(first);
    before.letGo();
    expect((await pageOf(first, second)).body.toString()).toBe(
      renderSamples(METRICS, stations.flat()),
    );
  });

  test('is written in slices, between which others have their turn', async () => {
    const stations = stationsOf(1, 5000);
    expect(await turnsDuring(() => write(stations))).toBeGreaterThan(5);
  });
});

describe('a page that is full', () => {
  test.each([
    [10, 's0, s0 d0, s0 d1, s1, s1 d0, s1 d1', 0],
    [9, 's0, s0 d0, s0 d1, s1, s1 d0', 2],
    [8, 's0, s0 d0, s0 d1, s1, s1 d0', 2],
    [7, 's0, s0 d0, s0 d1, s1', 4],
    [4, 's0, s0 d0', 7],
    [0, '', 10],
  ])('with %i series has devices as a whole or not at all: %s', async (most, kept, dropped) => {
    const { series, writer } = await write(stationsOf(2, 2), { series: most });
    const units = series.map((line) => line.match(/(?<=_id=")\w+/g)?.join(' '));
    expect([...new Set(units)].sort().join(', ')).toBe(kept);
    expect(writer.dropped).toBe(dropped);
    expect(writer.fullBy).toBe(dropped === 0 ? undefined : 'series');
  });

  test.each(['☀', 'x'])('never has more bytes than it may, of %j as well', async (character) => {
    const stations = stationsOf(3, 20, character.repeat(100));
    const bytes = 10_000;
    const { text, writer } = await write(stations, { bytes });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
    expect(Buffer.byteLength(text)).toBeGreaterThan(bytes - 1000);
    expect(writer.fullBy).toBe('page_bytes');
  });

  test('stays full: what comes later is left out, however little it is', async () => {
    const writer = writerOf({ series: 3 });
    await writer.add([asShown(stationsOf(1, 2).flat())]);
    const { body: before } = await writer.written('');
    await writer.add([asShown(stationsOf(1, 0).flat())]);
    expect((await writer.written('')).body).toEqual(before);
    expect(writer.dropped).toBe(3);
  });
});
