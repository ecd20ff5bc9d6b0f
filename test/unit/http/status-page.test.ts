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
  DeviceStatus,
  FlowStatus,
  StationPageStatus,
  Status,
} from '../../../src/status/status.ts';
import { HOSTILE_NAMES } from '../../support/hostile-names.ts';
import { AT_MS, sampleDevice, sampleStation, sampleStatus } from '../../support/sample-status.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../support/durations.ts';

const ID = '100000000000000001';
const UNLISTED = 'not listed any more since 1970-01-01 03:00:00 Europe/Kyiv';
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

describe('the drawing of the flow', () => {
  /** The page of a station of which only this is known. */
  const drawn = (flow: FlowStatus, batteries = 1): string =>
    pageOf({
      flow,
      devices: Array.from({ length: batteries }, () => sampleDevice({ batterySocRatio: 0.5 })),
    }).replaceAll('\u00A0', ' ');
  const fedIn = { gridImportPowerWatts: 200, gridFeedInPowerWatts: 700 };
  const none = { pvPowerWatts: 0.9, loadPowerWatts: 0, batteryPowerWatts: -19 };
  const all = { pvPowerWatts: 500, loadPowerWatts: 500, batteryPowerWatts: 500 };

  test('has a line to each corner, with a head that says which way it flows', () => {
    const linesOf = (flow: FlowStatus) => {
      const lines = drawn(flow).matchAll(/class="(?:line ([\w ]+)|head \w+".*?rotate\((\d+))/g);
      return [...lines].map(([, line, degrees]) => line ?? Number(degrees));
    };
    expect(linesOf({ ...all, gridImportPowerWatts: 500 })).toEqual([
      ...['sun inward', 90, 'grid inward', 0, 'house outward', 0, 'battery inward', 270],
    ]);
    expect(linesOf({ ...fedIn, batteryPowerWatts: -500 })).toEqual([
      ...['unknown', 'grid outward', 180, 'unknown', 'battery outward', 90],
    ]);
    const idle = { ...none, gridImportPowerWatts: 19, gridFeedInPowerWatts: 0 };
    expect(linesOf(idle)).toEqual(Array(4).fill('idle'));
    expect(linesOf({ batterySocRatio: 0.5, pvPowerWatts: -5 })[0]).toBe('idle');
  });

  test.each<[FlowStatus, holds: readonly string[], lacks?: string]>([
    [{}, [], 'data-value'],
    [{ pvPowerWatts: 1234.56, loadPowerWatts: 0 }, ['data-value="1234.56"', 'data-value="0"']],
    [{ batteryPowerWatts: 100 }, [], 'class="level'],
    [{ batterySocRatio: -1 }, ['height="0.0"']],
    [{ batterySocRatio: 65.535 }, ['height="104.0"']],
    [{ batterySocRatio: 0.5, batteryPowerWatts: -500 }, ['height="52.0"', 'level charging ']],
    [{ batterySocRatio: 0.2, batteryPowerWatts: -500 }, ['level charging']],
    [{ batterySocRatio: 0.19, batteryPowerWatts: -500 }, ['level low "']],
    [{ batterySocRatio: 0.1 }, ['level low "']],
    [{ batterySocRatio: 0.09 }, ['level low empty"']],
  ])('of %j holds %j', (flow, holds, lacks = 'NaN') => {
    const drawing = part(drawn(flow), 'flow');
    for (const text of holds) expect(drawing).toContain(text);
    expect(drawing).not.toContain(lacks);
  });

  const pv = ['PV: power unknown', 'House: power unknown', 'Battery: power unknown'];
  test.each<[FlowStatus, ...sentence: string[]]>([
    [{}, ...pv, 'Grid: power unknown'],
    [all, 'PV: generating 500 W', 'House: using 500 W', 'Battery: discharging 500 W'],
    [{ loadPowerWatts: 12_345, batteryPowerWatts: -2000 }, 'House: using 12.3 kW'],
    [{ batteryPowerWatts: -2000, batterySocRatio: 0 }, 'Battery 0 %: charging 2,000 W'],
    [none, 'PV: idle', 'House: idle', 'Battery: idle'],
    [{ pvPowerWatts: -50 }, 'PV: below zero -50 W'],
    [fedIn, 'Grid: feeding in 700 W and importing 200 W'],
    [{ gridImportPowerWatts: 800, gridFeedInPowerWatts: 19 }, 'Grid: importing 800 W'],
    // Idle only where both ways are known to be.
    [{ gridFeedInPowerWatts: 0 }, 'Grid: power unknown'],
    [{ gridImportPowerWatts: 0 }, 'Grid: not importing'],
    [{ gridImportPowerWatts: 0, gridFeedInPowerWatts: 0 }, 'Grid: idle'],
  ])('of %j says "%s" and "%s"', (flow, ...sentence) => {
    const [, said = ''] = /class="flow"[^>]*aria-label="([^"]*)\."/.exec(drawn(flow)) ?? [];
    expect(said.split('; ')).toHaveLength(4);
    expect(said.split('; ')).toEqual(expect.arrayContaining(sentence));
  });

  test('says of several batteries that it has their mean', () => {
    const page = drawn({ batterySocRatio: 0.12, batteryPowerWatts: 500 }, 2);
    expect(page).toContain('; Battery (mean 12 %): discharging 500 W; ');
    expect(page).toContain('>Mean of 2<');
    expect(drawn({ batterySocRatio: 0.12 })).not.toMatch(/mean/i);
  });
});

describe('the drawing of the day', () => {
  const startsAtMs = AT_MS - 15 * HOUR_MS;
  const steps = (length: number, value: number | null) => Array<number | null>(length).fill(value);

  /** Draws a day of so many hours in which every value of a list is of five minutes, at an hour of it. */
  function drawn(
    lists: Partial<StationPageStatus['curve']>,
    { atHour = 23, hours = 24 } = {},
    station: Partial<StationPageStatus> = {},
  ): string {
    const endsAtMs = startsAtMs + hours * HOUR_MS;
    const curve = { startsAtMs, endsAtMs, stepMs: 300_000, ...lists };
    return pageOf({ curve, flow: {}, ...station }, { atMs: startsAtMs + atHour * HOUR_MS });
  }

  const lineOf = (page: string, kind: string): string | undefined =>
    new RegExp(`class="curve ${kind}" d="([^"]*)"`).exec(page)?.[1];

  test('has a line of what is known, gaps where nothing is, and is left out without any', () => {
    expect(pageOf({})).not.toContain('class="curve');
    const page = drawn({ loadPowerWatts: [400, 400, 500, 500] });
    expect(lineOf(page, 'house')).toBe('M56 60 59 40h0');
    for (const kind of ['sun', 'grid', 'battery', 'charge'])
      expect(lineOf(page, kind), kind).toBeUndefined();
    const gap = drawn({ pvPowerWatts: [...steps(4, 100), ...steps(4, null), ...steps(2, 100)] });
    expect(lineOf(gap, 'sun')?.match(/M\d+/g)).toEqual(['M56', 'M68']);
    expect(lineOf(gap, 'sun')?.match(/V140H\d+Z/g)).toEqual(['V140H56Z', 'V140H68Z']);
  });

  test('has what flows the other way below 0', () => {
    const page = drawn({
      gridImportPowerWatts: [0, 0, 1000, 1000],
      gridFeedInPowerWatts: [1000, 1000, 0, 0],
      loadPowerWatts: steps(4, 0),
    });
    expect(lineOf(page, 'grid')).toBe('M56 140 59 20h0');
    expect(lineOf(page, 'house')).toBe('M56 80 59 80h0');
    expect(page).toContain('>-1</text>');
  });

  test.each([
    ['sun', 1.5, 83],
    ['sun', 1.6, 74],
    ['sun', 24.1, 74],
    // A sum that lacks a device is not drawn; neither is a feed-in of which the day says nothing.
    ['house', 1.5, 74],
    ['grid', 1.5, 83],
  ] as const)('leads the line of the %s at %d h to now only where it follows closely', (...row) => {
    const [kind, atHour, end] = row;
    const flow = { pvPowerWatts: 100, loadPowerWatts: 100, gridImportPowerWatts: 0 };
    const [known, zero] = [steps(13, 100), steps(13, 0)];
    const page = drawn(
      { pvPowerWatts: known, loadPowerWatts: known, gridImportPowerWatts: zero },
      { atHour },
      { partial: ['loadPowerWatts'], flow: { ...flow, gridFeedInPowerWatts: 8000 } },
    );
    expect(lineOf(page, kind)).toMatch(new RegExp(` ${end} \\d+(?:h0|V140H56Z)$`));
  });

  test.each([
    [23, '12:40'],
    [24, '11:40'],
    [25, '10:40'],
  ])('of %i hours says the most of it, and when that was at the station', (hours, at) => {
    const pvPowerWatts = [...steps(140, 0), ...steps(2, 4200), 0, 0];
    const batterySocRatio = [0.2, 0.2, 0.81, 0.81];
    const page = drawn({ pvPowerWatts, loadPowerWatts: steps(10, 0), batterySocRatio }, { hours });
    expect(page.replaceAll('\u00A0', ' ')).toContain(
      `aria-label="Today (Europe/Kyiv): PV up to 4,200 W, at ${at}; house idle; battery between 20 % and 81 %."`,
    );
    const places = [...page.matchAll(/<text x="(\d+)"[^>]*>\d+:00</g)].map(([, x]) => Number(x));
    const change = hours - 24;
    expect(places).toEqual(
      [0, 6, 12, 18, 24].map((hour) => 56 + 18 * (hour === 0 ? 0 : hour + change)),
    );
  });

  test.each([
    // A day of four minutes: its curve and the page agree on the time.
    [{ hours: 1 / 15, atHour: 1 / 20 }, ' · in the day of the demo it is 18:00'],
    [{ hours: 1 / 15, atHour: 1 / 15 }, ''],
    [{ hours: 24, atHour: 18 }, ''],
  ])('of %j is at the time that the page says', (day, said) => {
    const stepMs = (day.hours * HOUR_MS) / (24 * 12);
    const page = drawn({ stepMs, pvPowerWatts: [100, 100] }, day);
    expect(seen(part(page, 'as-of')).replace(/^As of .+ Europe\/Kyiv/, '')).toBe(said);
  });

  test.each([
    [90, ['0', '0.05', '0.1']],
    [950, ['0', '0.5', '1']],
    [12_345, ['0', '5', '10', '15']],
  ])('has round numbers of kilowatts beside it: up to %i W', (watts, ticks) => {
    const page = drawn({ pvPowerWatts: [watts, watts] });
    const shown = [...page.matchAll(/text-anchor="end">([\d.-]+)</g)].map(([, text]) => text);
    expect(shown).toEqual(ticks);
  });
});

describe('the sentence on top', () => {
  const sentenceOf = (...stations: readonly StationPageStatus[]): string =>
    seen(part(renderDocument(sampleStatus({ stations })), 'condition'));
  const empty = sampleDevice({ batterySocRatio: 0.09 });
  const low = sampleDevice({ batterySocRatio: 0.19 });
  const full = { pvPowerWatts: 2800, batterySocRatio: 1, batteryPowerWatts: 0 };
  const alarm = sampleDevice({ alarms: [{ alarm: 'fan', level: 'warning' }] });
  const FLOWS = '4.2 kW PV, battery charging at 63 %, feeding in 1.3 kW';

  test.each<[Partial<StationPageStatus>, sentence: string]>([
    [{}, `all is well · ${FLOWS}`],
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
    [{ devicesMissing: 1 }, `all is well · ${FLOWS}, devices missing: 1`],
    [{ isUp: undefined }, `Home: not read yet · ${FLOWS}`],
    [{ devices: [low, empty] }, `Garage inverter: battery nearly empty and 1 more · ${FLOWS}`],
    [{ devices: [alarm] }, `Garage inverter: fan (warning) · ${FLOWS}`],
    [{ devices: [sampleDevice({ isBmsSilent: true })] }, `Garage inverter: BMS silent · ${FLOWS}`],
    [
      { devices: [sampleDevice({ unlistedSinceMs: 0 })] },
      `Garage inverter: gone from the list · ${FLOWS}`,
    ],
    [
      { collectors: [{ ...FAILED, collector: 'alarms' }] },
      `Home: cannot be refreshed: alarms · ${FLOWS}`,
    ],
  ])('of %j is "%s"', (changes, sentence) => {
    expect(sentenceOf(sampleStation(changes))).toBe(sentence);
  });

  test('stands above the stations and devices in trouble, which come before the others', () => {
    const deviceId = '100000000000000002';
    const trouble = sampleDevice({ deviceId, name: 'Barn inverter', isReporting: false });
    const barn = { stationId: '2', name: 'Barn', devices: [sampleDevice(), trouble] };
    const page = renderDocument(sampleStatus({ stations: [sampleStation(), sampleStation(barn)] }));
    const inOrder = [...page.matchAll(/<(?:h2|th scope="row")><bdi>([^<]+)/g)].map(
      ([, one]) => one,
    );
    expect(inOrder).toEqual([
      'Barn',
      'Barn inverter',
      'Garage inverter',
      'Home',
      'Garage inverter',
    ]);
  });

  test('adds up several stations, and has the colour of the worst', () => {
    const broken = sampleStation({ stationId: '2', isUp: false });
    const page = renderDocument(sampleStatus({ stations: [sampleStation(), broken] }));
    expect(seen(part(page, 'condition'))).toBe(
      'Home: cannot be refreshed: readings · 8.4 kW PV, battery charging at 63 %, feeding in 2.6 kW',
    );
    expect(page).toContain('id="condition" class="warn"');
    expect(page).toContain('badge warn"><bdi>cannot be refreshed: readings<');
    expect(page).toContain('badge good">all is well<');
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

describe('more than five stations', () => {
  const houses = Array.from({ length: 6 }, (_, index) =>
    sampleStation({
      stationId: `${index}`,
      name: `House ${index}`,
      ...(index === 4 && { isUp: false }),
    }),
  );
  const page = (stationId = '', stations = houses) =>
    renderDocument(
      sampleStatus({ stations }),
      stations.filter((station) => station.stationId === stationId),
    );

  test('are a list, the worst first, whose lines lead to a page of each', () => {
    const text = page();
    expect(text).not.toContain('<article');
    const rows = [...text.matchAll(/<a href="\?target=(\d)"><bdi>House/g)].map(([, id]) => id);
    expect(rows).toEqual(['4', '0', '1', '2', '3', '5']);
    expect(seen(text)).toContain(
      'House 4 cannot be refreshed: readings House 0 all is well House 1 all is well',
    );
    const [one = '', ...others] = page('3').split('<article').slice(1);
    expect(others).toEqual([]);
    expect(seen(one)).toContain('House 3');
    expect(seen(page('3'))).toMatch(/^.*all is well · 4\.2 kW PV.*all 6 stations/);
  });
});

describe('the row of a device', () => {
  const row = (device: DeviceStatus, station: Partial<StationPageStatus> = {}): string =>
    /(?<=Devices<[^]*<tbody>)[^]*?(?=<\/tbody>)/.exec(
      pageOf({ devices: [device], ...station }),
    )?.[0] ?? '';

  /** The text of each cell, by its label; the first is the device itself. */
  function cellsOf(markup: string): Readonly<Record<string, string>> {
    const cells = markup.matchAll(/<t[dh] (?:data-label|scope)="(\w+)">(.*?)<\/t[dh]>/gs);
    return Object.fromEntries([...cells].map(([, label = '', cell = '']) => [label, seen(cell)]));
  }

  test('shows everything that is known, and no zero for what is not', () => {
    const usual = row(sampleDevice());
    expect(seen(usual)).toBe(
      `Garage inverter M1 · classic · mode battery · ${ID} 2 min ago 4,200 W 900 W 63 %, charging 2,000 W none none`,
    );
    // The sign of the battery stays for machines.
    expect(usual).toContain('<data value="-2000">');
    expect(usual).toContain('datetime="2026-06-21T11:58:00.000Z"');
    const unknown = row({ deviceId: '1', missingQuantities: [], alarms: [] });
    expect(seen(unknown)).toBe('1 not read yet no data no data no data not known not known');
    expect(unknown).not.toContain('<data');
  });

  const ago = (ageMs: number) => ({ measuredAtMs: AT_MS - ageMs });
  const silent = { isReporting: false };
  const unaged = { ...silent, measuredAtMs: undefined };
  const alarms = (alarm: string, level: string) => ({ alarms: [{ alarm, level }] });
  const unnamed = { name: undefined, model: undefined, workingMode: undefined };
  test.each<[changes: object, cell: string, text: string, mark?: string]>([
    [ago(0), 'Reading', '0 s ago'],
    [ago(-90_000), 'Reading', '0 s ago'],
    [ago(600_000), 'Reading', '10 min ago'],
    [ago(600_001), 'Reading', '10 min ago', 'class="old"'],
    // By the cadence of the device, where that is known.
    [{ ...ago(2_600_000), lateAfterMs: 2_640_000 }, 'Reading', '43 min ago'],
    [{ ...ago(2_600_000), lateAfterMs: undefined }, 'Reading', '43 min ago'],
    [ago(1e17), 'Reading', '1157407407 days ago', 'class="old"><time datetime=""'],
    [{ measuredAtMs: undefined }, 'Reading', 'of unknown age'],
    [{ ...silent, ...ago(HOUR_MS) }, 'Reading', 'no reading last 1 h ago', 'badge bad'],
    [unaged, 'Reading', 'no reading', 'badge bad'],
    [{ ...unaged, isOnline: false }, 'Reading', 'no reading, offline', 'badge bad'],
    [{ isOnline: false }, 'Reading', '2 min ago, offline'],
    [{ isOnline: undefined }, 'Reading', '2 min ago'],
    [{ batteryPowerWatts: 100 }, 'Battery', '63 %, discharging 100 W'],
    [{ batteryPowerWatts: 0 }, 'Battery', '63 %, idle 0 W'],
    [{ batteryPowerWatts: undefined }, 'Battery', '63 %'],
    [{ batterySocRatio: undefined }, 'Battery', 'charging 2,000 W'],
    [{ missingQuantities: ['battery_soc', 'load'] }, 'Missing', 'battery_soc, load'],
    [
      { missingQuantities: ['pv_power'], silentKeys: ['pv2Power', 'pv3Power'] },
      'Missing',
      'pv_power (without a value: pv2Power, pv3Power)',
    ],
    [
      { misread: [{ key: 'gridVoltage', why: 'says 6553.5 V' }] },
      'Missing',
      'gridVoltage says 6553.5 V',
      'class="old"',
    ],
    [
      {
        missingQuantities: ['load'],
        misread: [
          { key: 'a', why: 'is b' },
          { key: 'c', why: 'is d' },
        ],
      },
      'Missing',
      'load; a is b; c is d',
      'class="old"',
    ],
    [alarms('a', 'notice'), 'Alarms', 'notice: a'],
    [alarms('b', 'warning'), 'Alarms', 'warning: b', 'badge warn'],
    [alarms('c', 'critical'), 'Alarms', 'critical: c', 'badge bad'],
    [{ ...unnamed, family: 'unknown' }, 'row', `${ID} unknown family`, 'class="old">unknown f'],
    [{ ...unnamed, unlistedSinceMs: 0 }, 'row', `${ID} classic ${UNLISTED}`, 'badge warn'],
  ])('of %j says as %s: %s', (changes, cell, text, mark) => {
    const markup = row({ ...sampleDevice(), ...changes });
    expect(cellsOf(markup)[cell]).toBe(text);
    for (const look of ['class="old"', 'badge bad', 'badge warn'])
      expect(markup.includes(look), look).toBe(mark?.includes(look) === true);
    if (mark !== undefined) expect(markup).toContain(mark);
  });

  test('does not call alarms cleared that nobody could read', () => {
    const failed: CollectorStatus = { ...FAILED, collector: 'alarms' };
    for (const collectors of [[], [failed]]) {
      expect(cellsOf(row(sampleDevice(), { collectors }))['Alarms']).toBe('not known');
      const firing = sampleDevice(alarms('fan', 'warning'));
      expect(cellsOf(row(firing, { collectors }))['Alarms']).toBe('warning: fan');
    }
  });
});

describe('a station', () => {
  const silent = sampleDevice({ deviceId: '2', isReporting: false });
  const none = { today: {}, yesterday: {}, year: {}, lifetime: {} };
  const SUN = { pvGeneratedKwh: 1 };
  const unread: DeviceStatus = { deviceId: '2', missingQuantities: [], alarms: [] };

  test('says its energy by period, of the flows that it knows, and how many devices report', () => {
    const text = seen(pageOf({}));
    for (const words of [
      'Energy in kWh (– is unknown) Flow Today Yesterday Month Year',
      'PV 12.4 20.1 300.0 2,400',
      'Consumed 6.2 0.0 400.0 3,000',
      'Imported – – 100.0 –',
      'Charged 2.5 – – –',
      'PV in % of consumption 200 % 0 % 75 % 80 %',
      'Self-sufficiency – – 75 % –',
    ])
      expect(text).toContain(words);
    expect(text).not.toMatch(/Discharged|sums lack/);
  });

  test.each<[changes: Partial<StationPageStatus>, words: string, lacks?: RegExp]>([
    [{ month: {}, energy: none }, 'PV – – – –', /Consumed|Imported/],
    [{ month: SUN, energy: { today: SUN, yesterday: SUN, year: SUN, lifetime: {} } }, 'kWh Flow'],
    [{ devicesMissing: 1 }, '1 of 1 devices reporting · the sums lack values of 1 · Europe/Kyiv'],
    [{ devices: [] }, 'all is well 0 of 0 devices reporting', /Device Reading/],
    [{ devices: [sampleDevice(), silent] }, 'Garage inverter: silent 1 of 2 devices reporting'],
    [{ isUp: false, flow: {}, devices: [unread] }, 'cannot be read 0 of 1'],
    [{ isUp: false, flow: {}, devices: [unread] }, '2 no reading no data', /not read yet/],
  ])('of %j says: %s', (changes, words, lacks = /undefined/) => {
    const text = seen(pageOf(changes));
    expect(text).toContain(words);
    expect(text).not.toMatch(lacks);
  });

  test('without a name is called by its id', () => {
    const text = seen(pageOf({ name: undefined, timeZone: undefined } as object));
    expect(text).toContain('Station 100000000000000003');
    expect(text).not.toContain('undefined');
  });

  test.each(['a/b', `"'&<>`, '?x=1&target=2#', 'ä ö+%', 'a\uD800b', '../..'])(
    'with the id %j links to its own metrics',
    (stationId) => {
      const href = /href="(probe\?[^"]*)"/.exec(pageOf({ stationId }))?.[1] ?? '';
      const address = new URL(unescaped(href), 'http://exporter/solar/');
      expect(address.pathname).toBe('/solar/probe');
      expect([...address.searchParams]).toEqual([['target', Buffer.from(stationId).toString()]]);
    },
  );
});

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
  const refused = { ...SESSION, isReauthenticationRequired: true };
  const everything = { ...blocked(AT_MS + 1), stations: [], account: [FAILED] };
  const demo = { isSimulated: true, areCredentialsIgnored: true };

  test.each<[Partial<Status>, ...says: RegExp[]]>([
    [{}],
    [{ stations: [], account: [] }, /first time; this page fills by itself/],
    [{ stations: [] }, /no stations/],
    [{ stations: [], account: [FAILED] }, /No station is known.*SERVICE_TIMEOUT/],
    [{ account: [FAILED] }, /Cannot be refreshed: stations\..*SERVICE_TIMEOUT.*What to do: wait/],
    [demo, /account is not used.*solar-exporter serve.*EXPORTER_COMMAND=serve/],
    [unknown(1), /Unknown inverter family: Shed 1\. .*devices --explain.*dialect file.*issue/],
    [unknown(5), /family: Shed 1, Shed 2, Shed 3 and 2 more\. /],
    [unknown(1, [])],
    [{ session: refused }, /New credentials are needed.*check SOLAR_ACCOUNT/],
    [blocked(AT_MS + 330_000), /does not get locked.*15:05:30 Europe\/Kyiv/],
    [
      { stations: [sampleStation({ collectors: [FAILED, { ...FAILED, collector: 'alarms' }] })] },
      /Cannot be refreshed: stations, alarms\. too slow \(SERVICE_TIMEOUT\)/,
    ],
    [blocked(AT_MS)],
    [everything, /No station is known/, /does not get locked/],
  ])('of %j are these, and no others', (status, ...says) => {
    const notices = noticesOf(status);
    for (const pattern of says) expect(seen(notices)).toMatch(pattern);
    expect(notices.split('<p ')).toHaveLength(says.length + 1);
  });

  test('lead to what to do about an unknown family, and stay as they are while time passes', () => {
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
