import { expect, test } from 'vitest';
import { MAX_VALUES } from '../../src/client/exchange/decode.ts';
import { EARLIEST_MS, LATEST_MS } from '../../src/base/instant.ts';
import { ANSWER_LIMITS, LIST_LIMITS } from '../../src/base/limits.ts';
import { MOST_CALENDARS } from '../../src/base/calendars.ts';
import { MOST_REMEMBERED } from '../../src/base/recent-map.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { MAX_PAGE_BYTES } from '../../src/metrics/station-pages.ts';
import { tableRows, textOf } from './markdown.ts';

test('docs/operations.md gives the limits on what the service sends as they are', () => {
  const maxSeries = OPTIONS.find(({ flag }) => flag === 'limit.series')?.default;
  const rows = tableRows(textOf('docs/operations.md'), 'limit');
  const shown = Object.fromEntries(rows.map(([name = '', value = '']) => [name, value]));

  expect(shown).toEqual({
    'bytes of an answer': '8 MiB',
    ...withThousands({
      'values of an answer': MAX_VALUES,
      'stations of the account': LIST_LIMITS.stations,
      'devices of a station': LIST_LIMITS.devices,
      'devices of all stations': LIST_LIMITS.devicesInAll,
      'records of a page of stations or devices': ANSWER_LIMITS.recordsPerPage,
      'records of a page of alarms': ANSWER_LIMITS.alarmsPerPage,
      'alarms of a device': ANSWER_LIMITS.alarmsPerDevice,
      'alarms of a station': LIST_LIMITS.alarms,
      'alarms of all stations': LIST_LIMITS.alarmsInAll,
      'settings of a device': ANSWER_LIMITS.settingsPerDevice,
      'settings of all devices': LIST_LIMITS.settingsInAll,
      'choices of a setting': ANSWER_LIMITS.choicesPerSetting,
      'keys of a device in an answer': ANSWER_LIMITS.keysPerDevice,
      'values of a key': ANSWER_LIMITS.valuesPerKey,
      'series of a page (`--limit.series`)': Number(maxSeries),
      'bytes of a page': MAX_PAGE_BYTES,
      'devices and stations that are remembered': MOST_REMEMBERED,
      'calendars of time zones': MOST_CALENDARS,
    }),
    'a time in an answer': `${yearOf(EARLIEST_MS)} – ${yearOf(LATEST_MS - 1)}`,
  });
});

test('what is remembered of devices and stations is more than the limits of the lists', () => {
  const { stations, devicesInAll } = LIST_LIMITS;
  expect(MOST_REMEMBERED).toBeGreaterThan(Math.max(stations, devicesInAll));
});

function withThousands(limits: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, value.toLocaleString('en-US')]),
  );
}

function yearOf(instantMs: number): number {
  return new Date(instantMs).getUTCFullYear();
}
