import { describe, expect, test } from 'vitest';
import { SECOND_MS, startBoth } from '../doors/house.ts';
import {
  type FaultCase,
  type FaultyEndpoint,
  FAULTS_NOW as NOW,
  PROMPT_CASES,
  recoveryMs,
  SLOW_CASES,
} from './fault-matrix/fault-cases.ts';
import { meetPatiently, type Patience } from './fault-matrix/patience.ts';

interface Reach {
  readonly station: boolean;
  readonly readings: boolean;
  readonly summary: boolean;
}

/** How far an exporter gets whose first question to an endpoint fails. */
const REACHED: Readonly<Record<FaultyEndpoint, Reach>> = {
  login: { station: false, readings: false, summary: false },
  stations: { station: false, readings: false, summary: false },
  devices: { station: true, readings: false, summary: true },
  readings: { station: true, readings: false, summary: true },
  summary: { station: true, readings: true, summary: false },
};

function startsAndRecovers(faultCase: FaultCase): Promise<void> {
  return meetPatiently(faultCase.code, (flags) => startAndRecover(faultCase, flags));
}

async function startAndRecover(faultCase: FaultCase, flags: Patience): Promise<void> {
  const { endpoint, fault, code } = faultCase;
  const { simulator, scrape, scrapeAfter, stationId } = await startBoth({ now: NOW, flags });
  simulator.setFault(endpoint, fault);

  const broken = await scrape();
  expect(broken.status).toBe(200);
  expect(broken.requests(endpoint, code)).toBeGreaterThanOrEqual(1);
  expect(broken.requests(endpoint, 'ok')).toBe(0);
  const { station, readings, summary } = REACHED[endpoint];
  const labels = station ? { station_id: stationId } : {};
  expect(broken.all('solar_up')).toEqual([{ name: 'solar_up', labels, value: +readings }]);
  expect(broken.all('solar_pv_power_watts')).toHaveLength(+readings);
  expect(broken.all('solar_month_pv_generated_kwh')).toHaveLength(+summary);

  simulator.setFault(endpoint, undefined);
  const repaired = await scrapeAfter(recoveryMs(faultCase));
  expect(repaired.all('solar_up')).toEqual([
    { name: 'solar_up', labels: { station_id: stationId }, value: 1 },
  ]);
  expect(repaired.value('solar_pv_power_watts')).toBeGreaterThan(0);
  expect(repaired.value('solar_month_pv_generated_kwh')).toBeGreaterThan(0);
  expect(repaired.value('solar_reauthentication_required')).toBe(0);
}

describe('an exporter that starts while', () => {
  test.each(PROMPT_CASES)('$endpoint answers $name shows $code, and recovers', startsAndRecovers);

  test.each(SLOW_CASES)(
    'any endpoint answers $name shows a time-out, and recovers',
    async ({ cases }) => {
      await Promise.all(cases.map(startsAndRecovers));
    },
  );

  test('the service is not there at all shows that, and recovers', async () => {
    const { simulator, scrape, scrapeAfter } = await startBoth({ now: NOW });
    await simulator.stop();

    const broken = await scrape();
    expect(broken.status).toBe(200);
    expect(broken.value('solar_up')).toBe(0);
    expect(broken.requests('login', 'SERVICE_UNREACHABLE')).toBe(1);

    await simulator.start();
    expect((await scrapeAfter(SECOND_MS)).value('solar_up')).toBe(1);
  });
});
