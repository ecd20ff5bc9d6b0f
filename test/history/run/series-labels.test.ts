import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OPTION_BY_FLAG } from '../../../src/config/options.ts';
import { DEFAULT_LABELS, seriesLabels } from '../../../src/history/run/series-labels.ts';

interface ScrapeFile {
  readonly scrape_configs: readonly [
    { readonly job_name: string; readonly static_configs: readonly [{ targets: [string] }] },
  ];
}

describe('the labels of the past', () => {
  test('are those that a Prometheus adds by the example, and the option says so', () => {
    const url = new URL('../../../prometheus/scrape.example.yml', import.meta.url);
    const [scrape] = (parse(readFileSync(url, 'utf8')) as ScrapeFile).scrape_configs;
    expect(DEFAULT_LABELS).toEqual({
      job: scrape.job_name,
      instance: scrape.static_configs[0].targets[0],
    });
    expect(OPTION_BY_FLAG.get('label')?.unset).toBe(
      Object.entries(DEFAULT_LABELS)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(', '),
    );
  });

  test('are those of the user over them, and an empty one is none', () => {
    expect(seriesLabels(new Map())).toEqual(DEFAULT_LABELS);
    expect(
      seriesLabels(
        new Map([
          ['job', 'pv'],
          ['place', 'roof'],
          ['instance', ''],
        ]),
      ),
    ).toEqual({ job: 'pv', place: 'roof' });
  });

  test.each(['station_id', 'device_id', 'flow', 'string'])('are never %s', (name) => {
    expect(() => seriesLabels(new Map([[name, 'x']]))).toThrow(
      `--label: ${name} is a label of the metrics; accepted: another name, such as job`,
    );
  });
});
