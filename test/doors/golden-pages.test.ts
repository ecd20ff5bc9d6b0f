import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { parseExposition } from '../support/exposition.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  openHouse,
  type ScrapedPage,
  scrapeHouse,
  startBoth,
} from './house.ts';
import {
  CLASSIC,
  deviceList,
  history,
  latest,
  type PortalAnswer,
  type Script,
} from './scripted-service.ts';
import { summaries } from './summaries.ts';

const NOT_FOUND: PortalAnswer = { status: 404 };
const ON_OFF = [
  { value: '0', text: 'Off' },
  { value: '1', text: 'On' },
];
const HOUR_AGO = '2026-08-24T07:00:00.000Z';

/** A family whose load and battery nobody knows: what depends on them is absent. */
const FEW = latest(
  {
    pvPower: [0.9, 'kW'],
    pv1InputPower: [500, 'W'],
    pv1InputVoltage: [320, 'V'],
    pv1InputCurrent: [1.6, 'A'],
    pv2InputPower: [400, 'W'],
    batteryCapacity: [50, '%'],
    batterySOH: [98, '%'],
    batteryTemperature: [31, '°C'],
    gridVoltage: [229.6, 'V'],
    gridFrequency: [49.98, 'Hz'],
    outputVoltage: [230.2, 'V'],
    outputFrequency: [50, 'Hz'],
    heatSinkTemperature: [41.5, '°C'],
    workingMode: ['Line Mode', ''],
    houseDraw: [1, 'W'],
    lampColour: ['red', ''],
  },
  { firingAlarms: [{ key: 'lineLoss', level: 2 }] },
);

const MEASURED = summaries('Europe/Berlin');

/** Two stations: one with everything, one whose inverter is off and whose summary is empty. */
const TWO_STATIONS: Script = {
  stations: {
    data: {
      list: [
        { id: '1001', name: 'Home "Sunny" \\ 1', timezone: 'Europe/Berlin' },
        { id: '1002', timezone: 'Europe/Berlin' },
      ],
    },
  },
  devices: ({ body }) =>
    body['stationId'] === '1001'
      ? deviceList(
          {
            id: '71',
            name: 'Roof\nSouth',
            serialNumber: 'SN-0071',
            model: 'H5',
            ratedPower: 5,
            dailyProducedQuantity: 12.5,
            totalProducedQuantity: 10_042.5,
          },
          { id: '72', name: 'Söller ☀' },
        )
      : deviceList({ id: '81', isOnline: false, stationName: 'Hut', lastDataAt: HOUR_AGO }),
  readings: ({ body }) =>
    body['deviceId'] === '71' ? history({ ...CLASSIC, feedInPower: 120 }) : history({}, []),
  latestState: ({ query, body }) =>
    (query.get('deviceId') ?? body['deviceId']) === '72' ? FEW : NOT_FOUND,
  ...MEASURED,
  // A month in the specified form: what is missing counts as 0, and the page says so.
  summary: (request) => {
    const isHut = JSON.stringify([request.body, [...request.query]]).includes('1002');
    if (isHut)
      return { data: { properties: [{ key: 'pvGeneratedEnergy', value: 3, unit: 'kWh' }] } };
    return typeof MEASURED.summary === 'function' ? MEASURED.summary(request) : NOT_FOUND;
  },
  alarms: {
    data: { list: [{ key: 'batteryLow', deviceId: '71', level: 3, disappearedAt: null }] },
  },
  settingsGet: {
    data: {
      buzzer: { key: 'buzzer', value: true },
      mode: { key: 'mode', value: '1', enumValues: [{ value: '1', text: 'SUB' }] },
      maxChargeCurrent: { key: 'maxChargeCurrent', value: 60, unit: 'A' },
      cutOffVoltage: { key: 'cutOffVoltage', value: '44.5', unit: 'V' },
      // A choice between on and off is no switch, and what has no label is its value.
      lamp: { key: 'lamp', value: '1', enumValues: ON_OFF },
      inputRange: { key: 'inputRange', value: '011', enumValues: ON_OFF },
      factoryVoltage: { key: 'factoryVoltage', value: 54, unit: 'V', isHidden: true },
    },
  },
};
const TARIFF = 'currency: EUR\nimport: 0.30\n';

const twoStations = () =>
  openHouse(TWO_STATIONS, {
    flags: {
      'collect.settings': 'true',
      'collect.fields': 'true',
      'request.concurrency': '1',
      'tariff.file': 'tariff.yaml',
    },
    readFile: (path) => (path === 'tariff.yaml' ? TARIFF : ''),
  });

/** Compares the page with the one that is recorded, except for the time that requests take and which comes first. */
async function expectRecorded({ text }: ScrapedPage, name: string): Promise<void> {
  const page = text
    .replace(/^(solar_api_request_duration_seconds\w+(?:\{.*\})?) \S+$/gm, '$1 <varies>')
    .replace(/(?:^solar_api_request\w+\{.*\n)+/gm, (lines) =>
      lines.trimEnd().split('\n').sort().join('\n').concat('\n'),
    );
  await expect(page).toMatchFileSnapshot(`../fixtures/metrics/${name}.prom`);
}

describe('the whole page', () => {
  test('is as recorded when all is well, and when an inverter fails', async () => {
    const { scrape, scrapeAfter, answers } = await twoStations();
    await expectRecorded(await scrape(), 'two-stations');
    answers.readings = { status: 500 };
    await expectRecorded(await scrapeAfter(HOUR_MS), 'readings-withdrawn');
  });

  test('is as recorded when the service refuses everything from the start', async () => {
    const { page } = await scrapeHouse({ stations: { status: 401 } });
    await expectRecorded(page, 'nothing-known');
  });

  test('has what the catalogue declares, and no other label', async () => {
    const houses = [
      await twoStations(),
      await startBoth({ simulator: { family: 'hpvinv02' } }),
      await startBoth({ simulator: { family: 'uwb1' } }),
      await startBoth({ env: { SOLAR_PASSWORD: 'mistyped' } }),
    ];
    const seen = new Set<string>();
    for (const house of houses)
      for (const afterMs of [0, 5 * MINUTE_MS, 5 * MINUTE_MS]) {
        const { text } = await house.scrapeAfter(afterMs);
        for (const { name, type, help, samples } of parseExposition(text)) {
          const declared = CATALOGUE.find((metric) => metric.name === name);
          expect(declared, name).toMatchObject({ type, help });
          const labels = samples.flatMap((sample) => Object.keys(sample.labels));
          expect([...(declared?.labelNames ?? []), 'le', 'account']).toEqual(
            expect.arrayContaining(labels),
          );
          seen.add(name);
        }
      }
    expect(CATALOGUE.map(({ name }) => name).filter((name) => !seen.has(name))).toEqual([]);
  });
});
