import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderDocument } from '../../../src/http/status-page/document.ts';
import {
  formatDuration,
  formatInstant,
  formatKwh,
  formatRatio,
  formatWatts,
  isoTime,
  zoneOf,
} from '../../../src/http/status-page/format.ts';
import { html } from '../../../src/http/status-page/markup.ts';
import type {
  CollectorStatus,
  CurveStatus,
  DeviceStatus,
  FlowStatus,
  StationPageStatus,
  Status,
} from '../../../src/status/status.ts';
import { HOSTILE_NAMES } from '../../support/hostile-names.ts';
import { AT_MS, sampleDevice, sampleStation, sampleStatus } from '../../support/sample-status.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

const FAILED: CollectorStatus = {
  collector: 'stations',
  code: 'SERVICE_TIMEOUT',
  reason: 'too slow',
  remedy: 'wait',
  durationSeconds: 9,
  isServed: false,
};
const { session: SESSION } = sampleStatus();

const INLINE = /<\/?(?:a|b|bdi|code|data|i|span|strong|time)\b[^>]*>/g;

/** What a reader sees of a piece of HTML: its texts, one blank between any two words. */
function seen(markup: string): string {
  return unescaped(markup.replace(INLINE, '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

function unescaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** The page of a station with these changes. */
function pageOf(station: Partial<StationPageStatus>, status: Partial<Status> = {}): string {
  return renderDocument(sampleStatus({ stations: [sampleStation(station)], ...status }));
}

/** The element of this id or class. */
function part(page: string, name: string): string {
  const element = new RegExp(`<(\\w+)[^>]*(?:id|class)="${name}"[^>]*>[^]*?</\\1>`).exec(page);
  return element?.[0] ?? '';
}

describe('a number', () => {
  test.each<[(value: number) => string, ...[number, string][]]>([
    [formatWatts, [-0.4, '0 W'], [0.5, '1 W'], [9999.4, '9,999 W'], [9999.6, '10.0 kW']],
    [formatWatts, [99_949, '99.9 kW'], [-420, '-420 W'], [-12_345, '-12.3 kW']],
    [formatWatts, [999_940, '999.9 kW'], [1_000_000, '1,000 kW']],
    [formatKwh, [-0.04, '0.0 kWh'], [0.05, '0.1 kWh'], [999.94, '999.9 kWh']],
    [formatKwh, [999.96, '1,000 kWh'], [1_234_567.8, '1,234,568 kWh'], [-12.3, '-12.3 kWh']],
    [formatRatio, [-0.001, '0 %'], [0.005, '1 %'], [0.93, '93 %'], [12.5, '1,250 %']],
    [formatDuration, [-1, '0 s'], [59_999, '59 s'], [MINUTE_MS, '1 min'], [HOUR_MS - 1, '59 min']],
    [formatDuration, [HOUR_MS, '1 h'], [HOUR_MS + MINUTE_MS, '1 h 1 min']],
    [formatDuration, [DAY_MS - 1, '23 h 59 min'], [DAY_MS, '1 day'], [2 * DAY_MS, '2 days']],
    [formatInstant, [Date.parse('2026-06-21T12:00:05.678Z'), '2026-06-21 12:00:05 UTC']],
    [(atMs) => formatInstant(atMs, 'Asia/Manila'), [0, '1970-01-01 08:00:00 Asia/Manila']],
    [formatInstant, [8.64e15, '+275760-09-13 00:00:00 UTC'], [8.64e15 + 1, ''], [NaN, '']],
    [isoTime, [0, '1970-01-01T00:00:00.000Z'], [Infinity, '']],
  ])('is for people by %o: %j', (format, ...rows) => {
    for (const [value, text] of rows)
      expect(format(value).replaceAll(/[\u00A0\u202F]/g, ' ')).toBe(text);
  });
});

/** What stations measure now: at each corner, and of the charge, another case. */
const FLOWS: readonly FlowStatus[] = [
  {},
  {
    pvPowerWatts: 500,
    loadPowerWatts: 500,
    batteryPowerWatts: 500,
    batterySocRatio: 0.12,
    gridImportPowerWatts: 500,
  },
  {
    gridImportPowerWatts: 200,
    gridFeedInPowerWatts: 700,
    batteryPowerWatts: -500,
    batterySocRatio: 0.5,
  },
  {
    pvPowerWatts: 0.9,
    loadPowerWatts: 0,
    batteryPowerWatts: -19,
    batterySocRatio: 0.2,
    gridImportPowerWatts: 19,
    gridFeedInPowerWatts: 0,
  },
  // The grid is idle only where both ways are known to be.
  { pvPowerWatts: -5, batterySocRatio: -1, gridFeedInPowerWatts: 0 },
  { pvPowerWatts: 1234.56, batterySocRatio: 65.535, gridImportPowerWatts: 0 },
  { batterySocRatio: 0.19, gridImportPowerWatts: 0, gridFeedInPowerWatts: 0 },
  { batterySocRatio: 0.1, gridImportPowerWatts: 800, gridFeedInPowerWatts: 19 },
  { loadPowerWatts: 12_345, batteryPowerWatts: -2000, batterySocRatio: 0.09 },
];

const ago = (ageMs: number) => ({ measuredAtMs: AT_MS - ageMs });
const SILENT = { isReporting: false };

/** What is known of devices, each of which has a row of another kind; undefined is not known. */
const DEVICES: readonly object[] = [
  {},
  ...[0, -90_000, 600_000, 600_001, 1e17].map(ago),
  // By the cadence of the device, where that is known.
  { ...ago(2_600_000), lateAfterMs: 2_640_000 },
  { ...ago(2_600_000), lateAfterMs: undefined },
  { measuredAtMs: undefined },
  { ...SILENT, ...ago(HOUR_MS) },
  { ...SILENT, measuredAtMs: undefined },
  { ...SILENT, measuredAtMs: undefined, isOnline: false },
  { isOnline: false },
  { isOnline: undefined },
  { batteryPowerWatts: 100 },
  { batteryPowerWatts: 0 },
  { batteryPowerWatts: undefined },
  { batterySocRatio: undefined },
  { missingQuantities: ['battery_soc', 'load'] },
  { missingQuantities: ['pv_power'], silentKeys: ['pv2Power', 'pv3Power'] },
  {
    missingQuantities: ['load'],
    misread: [
      { key: 'gridVoltage', why: 'says 6553.5 V' },
      { key: 'c', why: 'is d' },
    ],
  },
  ...['notice', 'warning', 'critical'].map((level) => ({ alarms: [{ alarm: 'fan', level }] })),
  { name: undefined, model: undefined, workingMode: undefined, family: 'unknown' },
  { name: undefined, model: undefined, unlistedSinceMs: 0 },
];

/** Every second value of a list is drawn. */
const drawn = (...values: readonly (number | null)[]) => values.flatMap((value) => [value, value]);

/** A day of so many hours, of which 15 have passed; each has twelve steps. */
const day = (hours: number, stepMs = 300_000) => ({
  startsAtMs: AT_MS - 15 * 12 * stepMs,
  endsAtMs: AT_MS + (hours - 15) * 12 * stepMs,
  stepMs,
});
/** That of the demo takes four minutes. */
const DEMO_DAY = {
  ...day(24, (4 * MINUTE_MS) / 288),
  batteryPowerWatts: drawn(-1234),
  loadPowerWatts: drawn(100),
};

/** The days of stations, each of which is drawn in another way. */
const DAYS: readonly CurveStatus[] = [
  {
    ...day(24),
    pvPowerWatts: drawn(100, 100, null, null, 100),
    loadPowerWatts: drawn(400, 500),
    gridImportPowerWatts: drawn(0, 1000),
    gridFeedInPowerWatts: drawn(1000, 0),
    batterySocRatio: drawn(0.2, 0.81),
  },
  // Clocks are changed.
  { ...day(23), loadPowerWatts: drawn(0) },
  { ...day(25), batteryPowerWatts: drawn(12_345), gridImportPowerWatts: drawn(5) },
  { ...day(24), batteryPowerWatts: drawn(90) },
  DEMO_DAY,
];

const SUN = { pvGeneratedKwh: 1 };
const UNREAD: DeviceStatus = { deviceId: 'unread', missingQuantities: [], alarms: [] };
const FIRING = sampleDevice({ alarms: [{ alarm: 'fan', level: 'warning' }] });
const BATTERY = sampleDevice({ batterySocRatio: 0.12 });

/** What is known of stations, each of which is shown in another way. */
const STATIONS: readonly object[] = [
  {
    devices: [
      ...DEVICES.map((changes, index) => sampleDevice({ deviceId: `${index}`, ...changes })),
      UNREAD,
    ],
  },
  { devices: [BATTERY, BATTERY] },
  { month: {}, energy: { today: {}, yesterday: {}, year: {}, lifetime: {} } },
  { month: SUN, energy: { today: SUN, yesterday: SUN, year: SUN, lifetime: {} } },
  { devicesMissing: 1, devices: [sampleDevice(), sampleDevice({ deviceId: '2', ...SILENT })] },
  { isUp: false, devices: [UNREAD] },
  { name: undefined, timeZone: undefined, devices: [] },
  // Nobody calls alarms cleared that could not be read.
  { collectors: [], devices: [sampleDevice(), FIRING] },
  { collectors: [{ ...FAILED, collector: 'alarms' }], devices: [sampleDevice(), FIRING] },
];

test('the page of all kinds of stations and devices is as recorded', async () => {
  const stations = STATIONS.map((changes, index) => {
    const [flow = {}, curve] = [FLOWS[index], DAYS[index]];
    return sampleStation({ stationId: `${index}`, flow, ...(curve && { curve }), ...changes });
  });
  const page = renderDocument(sampleStatus({ stations }), stations);
  expect(page).not.toMatch(/NaN|undefined/);
  await expect(page).toMatchFileSnapshot('../../fixtures/status/page.html');
});

test.each<[hour: number, curve: CurveStatus, said: string]>([
  // Its curve and the page agree on the time.
  [15, DEMO_DAY, ' · in the day of the demo it is 15:00'],
  [24, DEMO_DAY, ''],
  [15, { ...day(24), pvPowerWatts: drawn(100) }, ''],
])('at hour %i, the page says the time of a day of the demo alone', (hour, curve, said) => {
  const atMs = curve.startsAtMs + hour * 12 * curve.stepMs;
  const page = pageOf({ curve }, { atMs });
  expect(seen(part(page, 'as-of')).replace(/^As of .+ Europe\/Kyiv/, '')).toBe(said);
});

describe('the sentence on top', () => {
  const sentenceOf = (...stations: readonly StationPageStatus[]): string =>
    seen(part(renderDocument(sampleStatus({ stations })), 'condition'));
  const empty = sampleDevice({ batterySocRatio: 0.09 });
  const low = sampleDevice({ batterySocRatio: 0.19 });
  const full = { pvPowerWatts: 2800, batterySocRatio: 1, batteryPowerWatts: 0 };
  const ALL = '4.2 kW PV, battery charging at 63 %, feeding in 1.3 kW';

  test.each<[Partial<StationPageStatus>, sentence: string]>([
    [{}, `all is well · ${ALL}`],
    [
      { flow: { ...full, gridFeedInPowerWatts: 2200 } },
      'all is well · 2.8 kW PV, battery full, feeding in 2.2 kW',
    ],
    [{ flow: {} }, 'all is well'],
    [{ flow: { batterySocRatio: 0, batteryPowerWatts: 0 } }, 'all is well · battery at 0 %'],
    [
      { flow: { pvPowerWatts: 4, batterySocRatio: 0.5, gridImportPowerWatts: 416 } },
      'all is well · 0 kW PV, battery at 50 %, importing 0.42 kW',
    ],
    [{ devicesMissing: 1 }, `all is well · ${ALL}, devices missing: 1`],
    [{ isUp: undefined }, `Home: not read yet · ${ALL}`],
    [{ devices: [low, empty] }, `Garage inverter: battery nearly empty and 1 more · ${ALL}`],
  ])('of %j is "%s"', (changes, sentence) => {
    expect(sentenceOf(sampleStation(changes))).toBe(sentence);
  });

  test('adds up several stations, and has the colour of the worst', () => {
    const broken = sampleStation({ stationId: '2', isUp: false });
    const page = renderDocument(sampleStatus({ stations: [sampleStation(), broken] }));
    expect(seen(part(page, 'condition'))).toBe(
      'Home: cannot be refreshed: readings · 8.4 kW PV, battery charging at 63 %, feeding in 2.6 kW',
    );
    const trouble = sampleStation({ stationId: '3', name: 'Barn', devices: [empty] });
    expect(sentenceOf(broken, trouble)).toMatch(
      /^Barn: Garage inverter: battery nearly empty and 1 more · /,
    );
    expect(page).toContain('id="condition" class="warn"');
    expect(page).toContain('badge warn"><bdi>cannot be refreshed: readings<');
    expect(page).toContain('badge good"><bdi>all is well<');
  });

  test.each<[zones: readonly string[], zone: string]>([
    [['Europe/Kyiv', 'Europe/Kyiv'], 'Europe/Kyiv'],
    [['Europe/Kyiv', 'Asia/Manila'], 'UTC'],
    [['no zone'], 'UTC'],
    [[], 'UTC'],
  ])('and the times of a page of stations in %j are in %s', (zones, zone) => {
    expect(zoneOf(zones.map((timeZone) => ({ timeZone })))).toBe(zone);
  });
});

test('more than five stations are a list, the worst first, with a page of each', () => {
  const stations = Array.from({ length: 6 }, (_, index) =>
    sampleStation({
      stationId: `${index}`,
      name: `House ${index}`,
      ...(index === 4 && { isUp: false }),
    }),
  );
  const text = renderDocument(sampleStatus({ stations }));
  expect(text).not.toContain('<article');
  const rows = [...text.matchAll(/<a href="\?target=(\d)"><bdi>House/g)].map(([, id]) => id);
  expect(rows).toEqual(['4', '0', '1', '2', '3', '5']);
  expect(seen(text)).toContain(
    'House 4 cannot be refreshed: readings House 0 all is well House 1 all is well',
  );
  const ofOne = renderDocument(sampleStatus({ stations }), stations.slice(3, 4));
  const [one = '', ...others] = ofOne.split('<article').slice(1);
  expect(others).toEqual([]);
  expect(seen(one)).toContain('House 3');
  expect(seen(ofOne)).toMatch(/^.*all is well · 4\.2 kW PV.*all 6 stations/);
});

test.each([`"'&<>`, '?x=1&target=2#', 'ä ö+%', 'a\uD800b', '../..'])(
  'a station with the id %j links to its own metrics',
  (stationId) => {
    const href = /href="(probe\?[^"]*)"/.exec(pageOf({ stationId }))?.[1] ?? '';
    const address = new URL(unescaped(href), 'http://exporter/solar/');
    expect(address.pathname).toBe('/solar/probe');
    expect([...address.searchParams]).toEqual([['target', Buffer.from(stationId).toString()]]);
  },
);

describe('the notices', () => {
  const noticesOf = (status: Partial<Status>): string =>
    part(renderDocument(sampleStatus(status)), 'notices');

  /** A station with so many devices of an unknown family, and one that is known. */
  const unknown = (count: number, missingQuantities = ['pv_power']): Partial<Status> => {
    const devices = Array.from({ length: count }, (_, index) =>
      sampleDevice({ name: `Shed ${index + 1}`, family: 'unknown', missingQuantities }),
    );
    return { stations: [sampleStation({ devices: [sampleDevice(), ...devices] })] };
  };
  const blocked = (blockedUntilMs: number) => ({ session: { ...SESSION, blockedUntilMs } });
  const everything = { ...blocked(AT_MS + 1), stations: [], account: [FAILED] };
  const demo = { isSimulated: true, areCredentialsIgnored: true };
  const failing = sampleStation({ collectors: [FAILED, { ...FAILED, collector: 'alarms' }] });

  test.each<[Partial<Status>, ...says: RegExp[]]>([
    [{}],
    [{ stations: [], account: [] }, /not read yet\. What to do: wait/],
    [demo, /account is not used.*solar-exporter serve.*EXPORTER_COMMAND=serve/],
    [unknown(3), /^Shed 1: unknown family; Shed 2: .*; Shed 3: unknown family\. .*dialect file/],
    [unknown(5), /^Shed 1: .*; Shed 3: unknown family and 2 more\. .*devices --explain.*issue/],
    [unknown(1, [])],
    [blocked(AT_MS + 330_000), /does not get locked.*15:05:30 Europe\/Kyiv/, /credentials refused/],
    // What helps against both is said once; of several stations, a device is named with its own.
    [
      { account: [FAILED], stations: [failing, sampleStation({ devices: [BATTERY] })] },
      /^cannot be refreshed: stations; Home: cannot be refreshed: stations, alarms\. too slow/,
      /^Home: Garage inverter: battery low\. What to do: switch off/,
    ],
    [
      everything,
      /does not get locked/,
      /credentials refused\. What to do: solar-exporter check/,
      /no station can be read\. too slow \(SERVICE_TIMEOUT\)\. What to do: wait\./,
    ],
  ])('of %j are these, and no others', (status, ...says) => {
    const notices = noticesOf(status).match(/<p .*?<\/p>/g) ?? [];
    expect(notices.map(seen)).toEqual(says.map((pattern) => expect.stringMatching(pattern)));
  });

  test('lead to what to do about an unknown family, and stay as time passes', () => {
    const [, url = ''] = /href="([^"]+)"/.exec(noticesOf(unknown(1))) ?? [];
    const [, path = '', anchor = ''] = /\/blob\/main\/(.*)#(.*)$/.exec(url) ?? [];
    const heading = new RegExp(`^## ${anchor.replaceAll('-', ' ')}$`, 'im');
    expect(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')).toMatch(heading);
    const at = (atMs: number) => noticesOf({ ...everything, atMs });
    expect(at(AT_MS - 10_000)).toBe(at(AT_MS));
  });
});

describe('whatever the service calls things', () => {
  /** The elements of a page, with the names of their attributes, in order. */
  const skeletonOf = (page: string): readonly string[] => {
    const tags = page.match(/<[^"'<>`]*(?:"[^"]*"[^"'<>`]*)*>/g) ?? [];
    expect(page.split('<')).toHaveLength(tags.length + 1);
    return tags.map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));
  };

  /** A page on which everything that a service may choose is one of these. */
  const named = ([first = '', second = '', third = '']: readonly string[]): string => {
    const device = sampleDevice({
      deviceId: first,
      name: second,
      model: third,
      family: first,
      workingMode: second,
      missingQuantities: [third],
      alarms: [{ alarm: first, level: second }],
    });
    return pageOf({ stationId: third, name: first, timeZone: second, devices: [device] });
  };

  test('the page has the elements that it has for harmless names', () => {
    const usual = skeletonOf(named(['~a~', '~b~', '~c~']));
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...HOSTILE_NAMES.map(([, name]) => name)),
      fc.constantFrom('<!--', '<', '"', "'", '`', '&#60;', ' x="'),
    );
    const name = hostile.map((text) => `~${text}~`);
    const property = fc.property(fc.tuple(name, name, name), (names) => {
      expect(skeletonOf(named(names))).toEqual(usual);
      for (const text of names) expect(unescaped(html`${text}`.text)).toBe(text);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('only pieces of HTML are taken as they are', () => {
    const inner = html`<i>${'<'}</i>`;
    expect(html`${['<b>', inner, [inner]]}${undefined}${false}${0}`.text).toBe(
      '&#60;b&#62;<i>&#60;</i><i>&#60;</i>0',
    );
    const forged = { text: '<b>', toString: () => '<b>' } as unknown as typeof inner;
    expect(() => html`${forged}`).toThrow(TypeError);
  });
});
