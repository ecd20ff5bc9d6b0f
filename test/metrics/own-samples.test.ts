import { describe, expect, test } from 'vitest';
import { collectionSamples, exporterSamples } from '../../src/metrics/definitions.ts';
import { seriesOf } from '../collectors/collection-harness.ts';
import { NEW_SESSION } from './scraper-harness.ts';

const stations = { collector: 'stations', durationSeconds: 0.5 };
const account = { stationId: undefined, outcomes: [] };
const house = { stationId: 'house', isUp: true, outcomes: [] };

describe('the status of the collection', () => {
  test('is one value per question', () => {
    const outcome = {
      collector: 'readings',
      isSuccess: true,
      code: 'ok' as const,
      durationSeconds: 1.5,
      isServed: true,
    };
    const samples = collectionSamples([
      { ...house, outcomes: [{ ...outcome, lastSuccessAtMs: 1_780_000_000_500 }] },
    ]);
    expect(seriesOf(samples)).toEqual({
      'solar_up{house}': 1,
      'solar_collector_success{house,readings}': 1,
      'solar_collector_duration_seconds{house,readings}': 1.5,
      'solar_collector_last_success_timestamp_seconds{house,readings}': 1_780_000_000.5,
    });
  });

  test('knows no last success of a collector that never succeeded', () => {
    const outcomes = [
      {
        ...stations,
        isSuccess: false,
        code: 'SERVICE_TIMEOUT' as const,
        lastSuccessAtMs: undefined,
        isServed: false,
      },
    ];
    expect([...collectionSamples([{ ...account, isUp: false, outcomes }])]).toEqual([
      { name: 'solar_up', labels: { station_id: undefined }, value: 0 },
      {
        name: 'solar_collector_success',
        labels: { station_id: undefined, collector: 'stations' },
        value: 0,
      },
      {
        name: 'solar_collector_duration_seconds',
        labels: { station_id: undefined, collector: 'stations' },
        value: 0.5,
      },
    ]);
  });

  test.each([
    { when: 'discovery failed', statuses: [{ ...account, isUp: false }], expected: { '': 0 } },
    { when: 'it has no stations', statuses: [{ ...account, isUp: true }], expected: { '': 1 } },
    {
      when: 'a station is known',
      statuses: [{ ...account, isUp: true }, house],
      expected: { house: 1 },
    },
    {
      when: 'a station is known and discovery fails by now',
      statuses: [{ ...account, isUp: false }, house],
      expected: { house: 1 },
    },
  ])('says of the account itself only what no station says: $when', ({ statuses, expected }) => {
    const up = Object.entries(expected).map(([id, value]) => [`solar_up{${id}}`, value] as const);
    expect(seriesOf(collectionSamples(statuses))).toEqual(Object.fromEntries(up));
  });
});

describe('the status of the session and the program', () => {
  const build = { version: '1.2.3', revision: 'abc', nodeVersion: 'v20' };

  test.each([
    {
      session: { ...NEW_SESSION, accessExpiresAtMs: 1_780_000_000_000 },
      expected: {
        'solar_token_expiry_timestamp_seconds{}': 1_780_000_000,
        'solar_reauthentication_required{}': 0,
      },
    },
    {
      session: {
        ...NEW_SESSION,
        isReauthenticationRequired: true,
        blockedUntilMs: 1_780_000_060_000,
      },
      expected: {
        'solar_reauthentication_required{}': 1,
        'solar_login_blocked_until_timestamp_seconds{}': 1_780_000_060,
      },
    },
  ])('leaves out what is unknown: $session', ({ session, expected }) => {
    const account = {
      labels: {},
      session,
      isSimulated: false,
      droppedSeries: new Map([['devices' as const, 1]]),
    };
    const program = {
      isLastReloadSuccessful: true,
      droppedLogLines: 2,
      droppedSeries: new Map([['series' as const, 3]]),
      build,
    };
    expect(seriesOf(exporterSamples([account], program))).toEqual({
      ...expected,
      'solar_session_info{account}': 1,
      'solar_config_last_reload_successful{}': 1,
      'solar_log_lines_dropped_total{}': 2,
      'solar_series_dropped_total{devices}': 1,
      'solar_series_dropped_total{series}': 3,
      'solar_exporter_build_info{1.2.3,abc,v20}': 1,
    });
  });

  test.each([
    { of: 'the simulated service', isSimulated: true, expected: { 'solar_simulated{}': 1 } },
    { of: 'a real service', isSimulated: false, expected: {} },
  ])('mark the page of $of', ({ isSimulated, expected }) => {
    const droppedSeries = new Map<never, number>();
    const account = { labels: {}, session: NEW_SESSION, isSimulated, droppedSeries };
    const program = { isLastReloadSuccessful: true, droppedLogLines: 0, droppedSeries, build };
    const marks = exporterSamples([account], program).filter(
      ({ name }) => name === 'solar_simulated',
    );
    expect(seriesOf(marks)).toEqual(expected);
  });
});
