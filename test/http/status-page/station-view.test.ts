import { describe, expect, test } from 'vitest';
import { renderStation } from '../../../src/http/status-page/station-view.js';
import type { StationPageStatus } from '../../../src/status/status.ts';
import { AT_MS, sampleDevice, sampleStation } from './sample-status.ts';
import { shownText } from './shown-text.ts';

const SILENT = sampleDevice({ deviceId: '2', isReporting: false });

function render(changes: Partial<StationPageStatus> = {}): string {
  return renderStation(sampleStation(changes), AT_MS).text;
}

function textOf(changes: Partial<StationPageStatus> = {}): string {
  return shownText(renderStation(sampleStation(changes), AT_MS));
}

describe('a station', () => {
  test('shows its energy by period, and no zero for what is unknown', () => {
    const text = textOf();
    expect(text).toContain('Today Yesterday This month This year');
    expect(text).toContain('Generated 12.4 kWh 20.1 kWh 300.0 kWh 2,400 kWh');
    expect(text).toContain('Consumed 6.2 kWh 0.0 kWh 400.0 kWh 3,000 kWh');
    expect(text).toContain('Imported – – 100.0 kWh –');
    expect(text).toContain('Charged 2.5 kWh – – –');
    expect(text).toContain('Solar in % of consumption – – 75 % –');
    expect(text).not.toContain('Discharged');
  });

  const UNKNOWN = { today: {}, yesterday: {}, year: {}, lifetime: {} };

  test('shows what the inverters counted where the service says nothing of today', () => {
    const partial = ['pvEnergyTodayKwh'] as const;
    const text = textOf({ energy: UNKNOWN, partial });
    expect(text).toContain('Generated 12.3 kWh – 300.0 kWh –');
    expect(text).toContain('Not every device says its PV energy today.');
    expect(textOf({ partial })).not.toContain('Not every device');
  });

  test('shows no figure of which nobody knows anything', () => {
    const { pvEnergyTodayKwh, ...station } = sampleStation({ month: {}, energy: UNKNOWN });
    expect(pvEnergyTodayKwh).toBe(12.3);
    const unknown = shownText(renderStation(station, AT_MS));
    expect(unknown).toContain('Generated – – – –');
    expect(unknown).not.toMatch(/Consumed|kWh/);
  });

  test.each([
    { devices: [], says: '0 of 0 devices reporting', isMarked: false },
    { devices: [sampleDevice()], says: '1 of 1 devices reporting', isMarked: false },
    { devices: [sampleDevice(), SILENT], says: '1 of 2 devices reporting', isMarked: true },
    { devices: [SILENT], says: '0 of 1 devices reporting', isMarked: true },
  ])('says that $says, marked: $isMarked', ({ devices, says, isMarked }) => {
    expect(textOf({ devices })).toContain(says);
    expect(render({ devices }).includes(`<span class="old">${says}`)).toBe(isMarked);
  });

  test('says of which figures it does not know every part', () => {
    expect(textOf()).not.toContain('Not every device');
    const text = textOf({ partial: ['pvPowerWatts', 'gridFeedInPowerWatts', 'batterySocRatio'] });
    expect(text).toContain('Not every device says its PV power, grid feed-in power, battery SOC.');
  });

  test.each([
    {
      when: 'the list of them is too old, or never came',
      collectors: [{ collector: 'alarms', code: 'ok', durationSeconds: 1, isServed: false }],
    },
    { when: 'nobody asked for them', collectors: [] },
  ] as const)('does not say that there are no alarms when $when', ({ collectors }) => {
    expect(textOf()).toContain('none none');
    expect(textOf({ collectors })).toContain('none not known');
  });

  test.each([
    { changes: {}, badge: 'good">readings up to date' },
    { changes: { devices: [sampleDevice(), SILENT] }, badge: 'warn">readings refreshed' },
    { changes: { isUp: false }, badge: 'bad">readings not refreshed' },
  ])('is up to date only while every device reports: $badge', ({ changes, badge }) => {
    expect(render(changes)).toContain(`badge ${badge}`);
  });

  test('counts its batteries, to say that the charge is the lowest', () => {
    const devices = [sampleDevice(), sampleDevice({ deviceId: '2' })];
    expect(textOf({ devices })).toContain('Battery (lowest 63 %)');
    expect(textOf()).not.toContain('Lowest');
  });

  test('is called by its id when it has no name', () => {
    const { name, timeZone, ...nameless } = sampleStation();
    expect([name, timeZone]).toEqual(['Home', 'Europe/Kyiv']);
    const text = shownText(renderStation(nameless, AT_MS));
    expect(text).toContain('Station 100000000000000003');
    expect(text).not.toContain('undefined');
  });

  test.each(['a/b', `"'&<>`, '?x=1&target=2#', 'ä ö+%', 'a\uD800b', '../..'])(
    'with the id %j links to its own metrics',
    (stationId) => {
      const href = /href="(probe\?[^"]*)"/.exec(render({ stationId }))?.[1] ?? '';
      const address = new URL(
        href.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
        'http://exporter/solar/',
      );
      expect(address.pathname).toBe('/solar/probe');
      expect(address.hash).toBe('');
      expect([...address.searchParams]).toEqual([['target', Buffer.from(stationId).toString()]]);
    },
  );
});
