import { describe, expect, test } from 'vitest';
import { deviceRow } from '../../../src/http/status-page/device-view.js';
import type { DeviceStatus } from '../../../src/status/status.ts';
import { AT_MS, sampleDevice } from './sample-status.ts';
import { shownText } from './shown-text.ts';

const NOTHING_KNOWN: DeviceStatus = { deviceId: '1', missingQuantities: [], alarms: [] };

/** The text of each cell, by its label; the first is the device itself. */
function cellsOf(device: DeviceStatus, areAlarmsKnown = true): Readonly<Record<string, string>> {
  const { text } = deviceRow(device, AT_MS, areAlarmsKnown);
  const cells = [...text.matchAll(/<t[dh] (?:data-label|scope)="(\w+)">(.*?)<\/t[dh]>/gs)];
  return Object.fromEntries(
    cells.map(([, label = '', cell = '']) => [label, shownText({ text: cell })]),
  );
}

describe('the row of a device', () => {
  test('shows everything that is known', () => {
    expect(cellsOf(sampleDevice())).toEqual({
      row: 'Garage inverter M1 · classic · mode battery · 100000000000000001',
      Reading: '2 min ago',
      PV: '4,200 W',
      Load: '900 W',
      Battery: '63 %, charging 2,000 W',
      Missing: 'none',
      Alarms: 'none',
    });
  });

  test('marks an inverter family that nobody has described', () => {
    const device = sampleDevice({ family: 'unknown' });
    expect(cellsOf(device)['row']).toBe(
      'Garage inverter M1 · unknown family · mode battery · 100000000000000001',
    );
    expect(deviceRow(device, AT_MS, true).text).toContain('class="old">unknown family<');
  });

  test('shows no zero for what is unknown', () => {
    expect(cellsOf(NOTHING_KNOWN)).toEqual({
      row: '1',
      Reading: 'not read yet',
      PV: 'no data',
      Load: 'no data',
      Battery: 'no data',
      Missing: 'not known',
      Alarms: 'not known',
    });
    expect(deviceRow(NOTHING_KNOWN, AT_MS, true).text).not.toContain('<data');
  });

  test('says since when the device list has lacked the device', () => {
    expect(cellsOf({ ...NOTHING_KNOWN, unlistedSinceMs: AT_MS })['row']).toMatch(
      /^1 not listed any more since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    );
  });

  test.each([
    { of: 'a reading just measured', device: { measuredAtMs: AT_MS }, reading: '0 s ago' },
    {
      of: 'one dated ahead of the clock',
      device: { measuredAtMs: AT_MS + 90_000 },
      reading: '0 s ago',
    },
    { of: 'one of ten minutes', device: { measuredAtMs: AT_MS - 600_000 }, reading: '10 min ago' },
    {
      of: 'one of no known age',
      device: { measuredAtMs: undefined },
      reading: 'of unknown age',
    },
    {
      of: 'one that is withdrawn',
      device: { isReporting: false, measuredAtMs: AT_MS - 3_600_000 },
      reading: 'no reading last 1 h ago',
    },
    {
      of: 'none at all',
      device: { isReporting: false, measuredAtMs: undefined },
      reading: 'no reading',
    },
    {
      of: 'none, of a device that is off',
      device: { isReporting: false, isOnline: false, measuredAtMs: undefined },
      reading: 'no reading, offline',
    },
    {
      of: 'one, of a device that is called offline',
      device: { isOnline: false },
      reading: '2 min ago, offline',
    },
    {
      of: 'one, of a device of which nobody says whether it is online',
      device: { isOnline: undefined },
      reading: '2 min ago',
    },
  ])('says of $of: $reading', ({ device, reading }) => {
    expect(cellsOf({ ...sampleDevice(), ...device } as DeviceStatus)['Reading']).toBe(reading);
  });

  test('marks a reading of more than ten minutes, and none younger', () => {
    const marked = (ageMs: number) =>
      deviceRow(sampleDevice({ measuredAtMs: AT_MS - ageMs }), AT_MS, true).text.includes(
        'class="old"',
      );
    expect(marked(600_000)).toBe(false);
    expect(marked(600_001)).toBe(true);
  });

  test('gives machines the instant of a reading, unless no calendar has it', () => {
    const at = (measuredAtMs: number) =>
      deviceRow(sampleDevice({ measuredAtMs }), AT_MS, true).text;
    expect(at(AT_MS - 1)).toContain('datetime="2026-06-21T11:59:59.999Z"');
    expect(at(-1e300)).toContain('datetime=""');
  });

  test.each([
    { battery: { batteryPowerWatts: 100 }, text: '63 %, discharging 100 W' },
    { battery: { batteryPowerWatts: 0 }, text: '63 %, idle 0 W' },
    { battery: { batteryPowerWatts: undefined }, text: '63 %' },
    { battery: { batterySocRatio: undefined }, text: 'charging 2,000 W' },
    { battery: { batterySocRatio: 0, batteryPowerWatts: undefined }, text: '0 %' },
    { battery: { batterySocRatio: undefined, batteryPowerWatts: undefined }, text: 'no data' },
  ])('says of a battery with $battery: $text', ({ battery, text }) => {
    expect(cellsOf({ ...sampleDevice(), ...battery } as DeviceStatus)['Battery']).toBe(text);
  });

  test('keeps the sign of the battery for machines', () => {
    expect(deviceRow(sampleDevice(), AT_MS, true).text).toContain('<data value="-2000">');
  });

  test('does not call alarms cleared that nobody could read', () => {
    expect(cellsOf(sampleDevice(), false)['Alarms']).toBe('not known');
    const firing = sampleDevice({ alarms: [{ alarm: 'fan', level: 'warning' }] });
    expect(cellsOf(firing, false)['Alarms']).toBe('warning: fan');
  });

  test('lists what it has no key for, and the alarms by how serious they are', () => {
    const device = sampleDevice({
      missingQuantities: ['batterySocRatio', 'gridFeedInPowerWatts'],
      alarms: [
        { alarm: 'a', level: 'notice' },
        { alarm: 'b', level: 'warning' },
        { alarm: 'c', level: 'critical' },
        { alarm: 'd', level: '7' },
      ],
    });
    const { Missing, Alarms } = cellsOf(device);
    expect(Missing).toBe('batterySocRatio, gridFeedInPowerWatts');
    expect(Alarms).toBe('notice: a warning: b critical: c 7: d');
    const classes = [...deviceRow(device, AT_MS, true).text.matchAll(/class="badge ?(\w*)"/g)];
    expect(classes.map(([, name]) => name)).toEqual(['', 'warn', 'bad', '']);
  });
});
