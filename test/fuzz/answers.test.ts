import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ZonedCalendar } from '../../src/base/time-zone.ts';
import { decodeAlarmPage } from '../../src/client/alarms/alarm-wire.ts';
import {
  decodeCatalogue,
  decodeEnergyFlow,
  decodeLatestState,
} from '../../src/client/devices/device-samples.ts';
import { decodeTimeSeries } from '../../src/client/devices/time-series.ts';
import type { FieldSample } from '../../src/client/dialects/field-sample.ts';
import { openEnvelope } from '../../src/client/exchange/envelope.ts';
import { decodeDays, decodeYears } from '../../src/client/energy/days-and-years.ts';
import { decodeMonthlyEnergy } from '../../src/client/energy/monthly-summary.ts';
import {
  decodeBatchRead,
  decodeBatchReadId,
} from '../../src/client/settings/settings-batch-read.ts';
import { decodeSettings } from '../../src/client/settings/settings-wire.ts';
import { decodeDevicePage, decodeStationPage } from '../../src/client/stations/inventory-pages.ts';
import { answerIn, anyRecording } from './fixtures.ts';
import { hostileJson, hostileText } from './hostile-values.ts';
import { edited, edits } from './mutations.ts';
import { readOrRefused } from './refusals.ts';
import { FUZZ_TIMEOUT_MS, holds } from './runs.ts';

const PATH = '/apis/path';
const NOW = {
  nowMs: Date.parse('2026-08-24T08:00:00Z'),
  calendar: new ZonedCalendar('UTC'),
  serviceAheadMs: 0,
};

/** Every reader of an answer's `data`, and what holds for all that it reads. */
const READERS: readonly (readonly [string, (data: unknown) => void])[] = [
  ['devices', (data) => expectSound(decodeDevicePage(data, PATH))],
  ['stations', (data) => expectSound(decodeStationPage(data, PATH))],
  ['history', (data) => decodeTimeSeries(data, PATH).forEach(expectSample)],
  ['latest state', (data) => decodeLatestState(data, PATH).samples.forEach(expectSample)],
  ['energy flow', (data) => decodeEnergyFlow(data, PATH).forEach(expectSample)],
  ['catalogue', (data) => decodeCatalogue(data, PATH).forEach(expectSample)],
  ['alarms', (data) => expectSound(decodeAlarmPage(data, PATH))],
  ['firing alarms', (data) => expectSound(decodeLatestState(data, PATH).firingAlarms)],
  ['summary', (data) => expectSound(decodeMonthlyEnergy(data, '2026-08', PATH))],
  ['days', (data) => expectSound(decodeDays(data, PATH, NOW))],
  ['years', (data) => expectSound(decodeYears(data, PATH, NOW))],
  ['settings', (data) => expectSound([...decodeSettings(data, PATH)])],
  ['batch start', (data) => expect(decodeBatchReadId(data, PATH)).not.toBe('')],
  ['batch read', (data) => expectSound([...decodeBatchRead(data, PATH).settings])],
];

describe.each(READERS)(
  'whatever the service answers for %s',
  { timeout: FUZZ_TIMEOUT_MS },
  (...row) => {
    const [, read] = row;

    test('it is read or refused, when it is a recorded answer with faults', () => {
      holds(
        fc.property(anyRecording(), edits, (file, changes) => {
          const answer = edited(answerIn(file), changes);
          readOrRefused(() => read(openEnvelope(answer, PATH, true).data));
        }),
      );
    });

    test('it is read or refused, when it is anything at all', () => {
      holds(
        fc.property(hostileJson, (data) => {
          readOrRefused(() => read(data));
        }),
      );
    });
  },
);

describe('an envelope', { timeout: FUZZ_TIMEOUT_MS }, () => {
  const words = fc.oneof(hostileText, fc.string({ maxLength: 200 }));

  test('is opened or refused, whatever is in it', () => {
    holds(
      fc.property(
        hostileJson,
        fc.boolean(),
        (payload, mayQuote) => void readOrRefused(() => openEnvelope(payload, PATH, mayQuote)),
      ),
    );
  });

  test('of a refusal shows no address, no token and no account, whatever surrounds it', () => {
    const secret = fc.constantFrom('me@example.org', 'a1B2'.repeat(8), '1234567890');
    holds(
      fc.property(words, secret, words, fc.constantFrom('message', 'msg'), (a, shown, b, field) => {
        const payload = { code: 1, [field]: `${a} ${shown} ${b}` };
        try {
          openEnvelope(payload, PATH, true);
        } catch (error) {
          expect((error as Error).message).not.toContain(shown);
          expect((error as Error).message).toMatch(/^[\x20-\x7e…]{1,250}$/);
          return;
        }
        throw new Error('opened');
      }),
    );
  });
});

/** Numbers are finite, and texts are not empty where there is one. */
function expectSound(found: unknown): void {
  JSON.stringify(found, (_key, value: unknown) => {
    if (typeof value === 'number') expect(value).toSatisfy(Number.isFinite);
    return value;
  });
}

function expectSample({ number, text }: FieldSample): void {
  if (number !== undefined) expect(number.value).toSatisfy(Number.isFinite);
  if (text !== undefined) expect(text.value.trim()).not.toBe('');
  for (const { measuredAtMs } of [number ?? text, text ?? number].filter(
    (timed) => timed !== undefined,
  ))
    // What no calendar holds cannot be shown to anybody.
    if (measuredAtMs !== undefined) expect(new Date(measuredAtMs).getTime()).not.toBeNaN();
}
