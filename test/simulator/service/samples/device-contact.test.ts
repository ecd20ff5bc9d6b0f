import { describe, expect, test } from 'vitest';
import { completeOptions, type SimulatorOptions } from '../../../../src/simulator/options.ts';
import { StationCalendar } from '../../../../src/simulator/physics/station-calendar.ts';
import { Fleet } from '../../../../src/simulator/physics/fleet.ts';
import { DeviceContact } from '../../../../src/simulator/service/samples/device-contact.ts';
import { countSamples } from '../../../../src/simulator/service/samples/sample-spans.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NOW = '2026-06-21T04:02:30Z';
const NOW_MS = Date.parse(NOW);

function contactOf(options: Partial<SimulatorOptions> = {}) {
  const clock = new FakeClock(NOW);
  const complete = completeOptions(options);
  const [station] = new Fleet(1, 1, 2).stations;
  const [device, neighbour] = station?.devices ?? [];
  if (device === undefined || neighbour === undefined) throw new Error('a station without devices');
  const contact = new DeviceContact(complete, new StationCalendar(complete.timeZone), clock);
  const samplesIn = (from: string, to: string) =>
    contact
      .samplesWithin(device, Date.parse(from), Date.parse(to))
      .flatMap(({ first, last }) => [
        new Date(first * complete.sampleIntervalMs).toISOString(),
        new Date(last * complete.sampleIntervalMs).toISOString(),
      ]);
  return { contact, clock, device, neighbour, samplesIn };
}

describe('the samples of a device', () => {
  test('begin on the day on which it was installed, in the zone of the station', () => {
    const { samplesIn } = contactOf();
    expect(samplesIn('1970-01-01T00:00:00Z', '2024-01-01T00:00:00Z')).toEqual([
      '2023-12-31T16:00:00.000Z',
      '2024-01-01T00:00:00.000Z',
    ]);
    expect(samplesIn('1970-01-01T00:00:00Z', '2023-12-31T15:59:59Z')).toEqual([]);
  });

  test('end now', () => {
    const { samplesIn } = contactOf();
    expect(samplesIn('2026-06-21T03:58:00Z', '2030-01-01T00:00:00Z')).toEqual([
      '2026-06-21T04:00:00.000Z',
      '2026-06-21T04:00:00.000Z',
    ]);
  });

  test('are forgotten when they are as old as the service keeps them, while time goes on', () => {
    const { contact, clock, device, samplesIn } = contactOf({ historyDays: 105 });
    const count = () => countSamples(contact.samplesWithin(device, 0, NOW_MS + DAY_MS));
    expect(count()).toBe(105 * 288);
    expect(samplesIn('2020-01-01T00:00:00Z', '2026-03-08T04:10:00Z')).toEqual([
      '2026-03-08T04:05:00.000Z',
      '2026-03-08T04:10:00.000Z',
    ]);
    clock.advance(5 * MINUTE_MS);
    expect(count()).toBe(105 * 288);
    expect(samplesIn('2020-01-01T00:00:00Z', '2026-03-08T04:09:00Z')).toEqual([]);
  });
});

describe('a gap', () => {
  test('takes out the samples from its start up to its end, of one device', () => {
    const { contact, device, neighbour, samplesIn } = contactOf();
    const [fromMs, toMs] = ['2026-05-01T10:00:00Z', '2026-05-01T10:20:00Z'].map(Date.parse);
    contact.addGap(device, { fromMs: fromMs ?? 0, toMs: toMs ?? 0 });
    expect(samplesIn('2026-05-01T09:50:00Z', '2026-05-01T10:30:00Z')).toEqual([
      '2026-05-01T09:50:00.000Z',
      '2026-05-01T09:55:00.000Z',
      '2026-05-01T10:20:00.000Z',
      '2026-05-01T10:30:00.000Z',
    ]);
    const beside = contact.samplesWithin(neighbour, fromMs ?? 0, toMs ?? 0);
    expect(countSamples(beside)).toBe(5);
    expect(contact.isOnline(device)).toBe(true);
    expect(contact.lastSampleAtMs(device)).toBe(Date.parse('2026-06-21T04:00:00Z'));
  });

  test('that lasts leaves the sample before it as the newest, and the device offline', () => {
    const { contact, clock, device, neighbour } = contactOf();
    const fromMs = NOW_MS - 31 * MINUTE_MS;
    contact.addGap(device, { fromMs, toMs: NOW_MS + MINUTE_MS });
    expect(contact.isOnline(device)).toBe(false);
    expect(contact.heardAtMs(device)).toBe(fromMs);
    expect(contact.lastSampleAtMs(device)).toBe(Date.parse('2026-06-21T03:30:00Z'));
    expect(contact.isOnline(neighbour)).toBe(true);
    clock.advance(MINUTE_MS);
    expect(contact.isOnline(device)).toBe(true);
    // It is back, and its next sample is yet to come.
    expect(contact.lastSampleAtMs(device)).toBe(Date.parse('2026-06-21T03:30:00Z'));
  });

  test('may begin where another ends', () => {
    const { contact, device } = contactOf();
    for (const minutes of [20, 40])
      contact.addGap(device, {
        fromMs: NOW_MS - minutes * MINUTE_MS,
        toMs: NOW_MS - (minutes - 20) * MINUTE_MS,
      });
    expect(contact.lastSampleAtMs(device)).toBe(Date.parse('2026-06-21T03:20:00Z'));
  });
});

test('an offline device has no samples after it left, and all of them when it is back', () => {
  const { contact, device, samplesIn } = contactOf();
  const window = ['2026-06-21T03:20:00Z', '2026-06-21T04:00:00Z'] as const;
  contact.setOffline(device, Date.parse('2026-06-21T03:32:00Z'));
  expect(samplesIn(...window)).toEqual(['2026-06-21T03:20:00.000Z', '2026-06-21T03:30:00.000Z']);
  contact.setOffline(device, undefined);
  expect(samplesIn(...window)).toEqual(['2026-06-21T03:20:00.000Z', '2026-06-21T04:00:00.000Z']);
});
