import { describe, expect, test } from 'vitest';
import type { Sample } from '../../src/collectors/metric.ts';
import type { Setting, SettingValue } from '../../src/model/settings.ts';
import { AccountCounts } from '../../src/metrics/account-counts.ts';
import { CATALOGUE, collectionSamples, exporterSamples } from '../../src/metrics/definitions.ts';
import { PRICES_OF_YEAR } from '../../src/model/tariff.ts';
import { createCollection, samplesOf } from '../collectors/collection-harness.ts';
import { openCounts } from '../collectors/energy-counts/counts-harness.ts';
import { parseExposition } from './exposition.ts';
import { NEW_SESSION } from './scraper-harness.ts';
import { CLASSIC, reportOf } from '../support/device-report.ts';

const labelNamesOf = new Map(CATALOGUE.map(({ name, labelNames }) => [name, labelNames]));

const FIXED_PRICE = {
  currency: 'EUR',
  priceLists: { import: [{ prices: Array.from({ length: PRICES_OF_YEAR }, () => 0.3) }] },
};

describe('the catalogue of metrics', () => {
  test('names every metric once', () => {
    expect(labelNamesOf.size).toBe(CATALOGUE.length);
  });

  test.each(CATALOGUE)('$name is named as Prometheus wants it', ({ name, type, labelNames }) => {
    expect(name).toMatch(/^solar_[a-z][a-z0-9_]*[a-z0-9]$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(new Set(labelNames).size).toBe(labelNames.length);
    for (const label of labelNames) expect(label).toMatch(/^[a-z][a-z_]*$/);
  });

  test.each(CATALOGUE)('$name is explained in one line', ({ help }) => {
    expect(help).toMatch(/^[A-Z].*\.$/);
  });

  test('holds every sample of a collection, with exactly its labels', async () => {
    const { counts } = await openCounts();
    const { api, clock, collection, scrape } = createCollection({
      settings: true,
      alarms: true,
      energy: true,
      energyCounts: counts,
      tariff: FIXED_PRICE,
      account: { house: ['inverter', 'broken'] },
    });
    api.devices.set('house', [
      {
        deviceId: 'inverter',
        isOnline: true,
        ratedPowerWatts: 1,
        pvEnergyTodayKwh: 1,
        pvEnergyTotalKwh: 1,
        listedAtMs: clock.nowMs(),
      },
      { deviceId: 'broken', isOnline: false },
    ]);
    api.readings = {
      pvPowerWatts: 1,
      acOutputPowerWatts: 1,
      gridFeedInPowerWatts: 1,
      batteryVoltageVolts: 1,
      batteryChargingCurrentAmperes: 1,
      batteryDischargeCurrentAmperes: 1,
      batterySocRatio: 1,
      batterySohRatio: 1,
      batteryTemperatureCelsius: 1,
      gridVoltageVolts: 1,
      gridFrequencyHertz: 1,
      acOutputVoltageVolts: 1,
      acOutputFrequencyHertz: 1,
      pvStrings: new Map([['1', { powerWatts: 1, voltageVolts: 1, currentAmperes: 1 }]]),
      temperaturesCelsius: new Map([['inverter', 1]]),
      workingMode: 'line',
      dialect: { ...CLASSIC, missing: ['gridFeedInPowerWatts'] },
      measuredAtMs: clock.nowMs(),
    };
    api.settings = new Map<string, Setting | SettingValue>([
      ['operatingMode', 'Self-Use'],
      ['gridChargingEnabled', true],
      ['maxChargeCurrent', { value: 60, unit: 'A', form: 'object' }],
    ]);
    api.alarms = [{ deviceId: 'inverter', key: 'lineLoss', level: 'warning' }];
    const battery = { batteryChargedKwh: 1, batteryDischargedKwh: 1 };
    api.month = { ...api.month, ...battery, gridFeedInKwh: 1, assumed: ['gridImportKwh'] };
    api.fail('readings broken', 'SERVICE_TIMEOUT');
    const measuredAtMs = clock.nowMs();
    api.report = reportOf(api.readings, {
      timesAtMs: [600_000, 300_000, 0].map((agoMs) => measuredAtMs - agoMs),
    });
    api.past = [{ atMs: measuredAtMs, report: api.report }];
    await scrape();

    const status = [...collectionSamples(collection.status())];
    const collected = samplesOf(collection);
    const session = { ...NEW_SESSION, accessExpiresAtMs: 1, blockedUntilMs: 1 };
    const build = { version: '1', revision: 'abc', nodeVersion: '20' };
    const droppedSeries = new Map([['series' as const, 3]]);
    const own = exporterSamples([{ labels: {}, session, isSimulated: true, droppedSeries }], {
      isLastReloadSuccessful: true,
      droppedLogLines: 0,
      droppedSeries,
      build,
    });

    for (const sample of [...collected, ...own]) expectDeclared(sample);
    for (const sample of status) {
      const { station_id: stationId, ...others } = sample.labels;
      expectDeclared({ ...sample, labels: { station_id: stationId ?? 'the account', ...others } });
    }
    const counted = CATALOGUE.filter(({ name }) => /^solar_(api|token_renewals)_/.test(name));
    const seen = new Set([...status, ...collected, ...own].map(({ name }) => name));
    expect([...seen, ...counted.map(({ name }) => name)].toSorted()).toEqual(
      CATALOGUE.map(({ name }) => name).toSorted(),
    );
  });

  test('holds every count, with exactly its labels', async () => {
    const counts = new AccountCounts();
    counts.requestEnded('readings', 'ok', 0.2);
    counts.renewalEnded('login', 'ok');
    for (const { name, type, help, samples } of parseExposition(await counts.render())) {
      expect(CATALOGUE).toContainEqual(expect.objectContaining({ name, type, help }));
      for (const { labels } of samples) {
        const names = Object.keys(labels).filter((label) => label !== 'le');
        expect(names).toEqual(labelNamesOf.get(name));
      }
    }
  });
});

function expectDeclared({ name, labels }: Sample): void {
  expect([name, Object.keys(labels)]).toEqual([name, labelNamesOf.get(name)]);
  for (const value of Object.values(labels)) expect(value).toBeTypeOf('string');
}
