import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultyRecording } from '../fuzz/faulty-recordings.ts';
import { hostileJson } from '../fuzz/hostile-values.ts';
import { FUZZ_TIMEOUT_MS, holdsInTime } from '../fuzz/runs.ts';
import { devicesAnswering } from './device-answers.ts';
import { type ScrapedPage, scrapeHouse } from './house.ts';
import type { PortalAnswer, Script } from './scripted-service.ts';

const DEVICES = 10;
const PLACES = ['series', 'latest', 'flow', 'catalogue'] as const;
/** Rules of the user's, which meet whatever the devices answer. */
const DIALECT = `
  - {key: pvInputPower, quantity: grid_power, unit: kW, sign: import, part: a, model: value}
  - {key: batterySOC, quantity: battery_soc, unit: '%'}
  - {key: value, quantity: working_mode, model: value}
`;

/** A recorded answer with faults, or anything at all. */
const answerOf = (...prefixes: readonly string[]): fc.Arbitrary<PortalAnswer> =>
  fc.oneof(
    {
      weight: 5,
      arbitrary: faultyRecording(...prefixes).map((answer) => ({ envelope: answer as object })),
    },
    { weight: 1, arbitrary: hostileJson.map((data) => ({ data })) },
  );

const device = fc
  .tuple(
    fc.constantFrom(...PLACES),
    answerOf('family-', 'flow-', 'latest-', 'readings-', 'attributes-'),
  )
  .map(([place, answer]) => ({ [place]: answer, record: { model: 'value' } }));

const service: fc.Arbitrary<Script> = fc
  .tuple(
    fc.array(device, { minLength: DEVICES, maxLength: DEVICES }),
    fc.record(
      {
        devices: answerOf('devices-'),
        stations: answerOf('stations-'),
      },
      { requiredKeys: [] },
    ),
    fc.record({
      alarms: answerOf('alarms-'),
      settingsGet: answerOf('settings-'),
      summary: answerOf('summary-'),
      summaryDays: answerOf('summary-days'),
      summaryYears: answerOf('summary-years'),
    }),
  )
  .map(([devices, lists, others]) => ({
    ...devicesAnswering(Object.fromEntries(devices.map((answers, id) => [id, answers]))),
    ...lists,
    ...others,
  }));

/** Each series comes once and with a number, a share is within its bounds, and a mode is a word. */
function expectSound(page: ScrapedPage): void {
  const lines = page.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  expect(new Set(series).size).toBe(series.length);
  for (const { name, labels, value } of page.samples) {
    if (name.endsWith('_bucket')) continue;
    expect(value, name).toSatisfy(Number.isFinite);
    if (name.endsWith('_ratio') && name !== 'solar_month_solar_ratio')
      expect(Math.abs(value - 0.5), name).toBeLessThanOrEqual(0.5);
    for (const label of ['mode', 'string', 'phase', 'sensor', 'family', 'source'])
      expect(labels[label] ?? '', name).toMatch(/^[\w+-]{0,60}$/);
  }
}

test(
  'whatever a service answers, the page is sound and no bug shows',
  { timeout: FUZZ_TIMEOUT_MS },
  async () => {
    await holdsInTime(
      fc.asyncProperty(service, async (script) => {
        const house = await scrapeHouse(script, {
          flags: { 'collect.settings': 'true', 'dialect.file': 'mine.yml' },
          readFile: () => DIALECT,
        });
        await house.stop();
        expect(house.page.status).toBe(200);
        expectSound(house.page);
        expect(house.log.messages('error')).toEqual([]);
        const outcomes = house.page.all('solar_api_requests_total');
        expect(outcomes.map(({ labels }) => labels['outcome'])).not.toContain('UNEXPECTED');
        for (const { fields } of house.log.lines)
          expect((fields['err'] as Error | undefined)?.message.length ?? 0).toBeLessThan(2000);
      }),
      6,
    );
  },
);
