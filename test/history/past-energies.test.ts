import { expect, test } from 'vitest';
import type { Patience } from '../../src/client/api.ts';
import { PastEnergies } from '../../src/history/past-energies.ts';
import { FakeServiceApi } from '../support/fake-service-api.ts';
import { collected, partOf, TIME_ZONE } from './past-house.ts';

const STATION = { stationId: 'house', timeZone: TIME_ZONE };
const patiently: Patience = (ask) => ask();

test('asks for the days of the month before only where yesterday lies in it', async () => {
  const api = new FakeServiceApi();
  await new PastEnergies(api, patiently).around(STATION, Date.parse('2026-08-02T00:00:00+08:00'));
  expect(api.questions).toEqual([
    'energies house 2026-08',
    'energies house 2026',
    'energies house 2026',
  ]);
  const other = new FakeServiceApi();
  await new PastEnergies(other, patiently).around(STATION, Date.parse('2026-01-01T00:00:00+08:00'));
  expect(other.questions.slice(0, 2)).toEqual(['energies house 2025-12', 'energies house 2026-01']);
});

test('asks nothing twice in a run', async () => {
  const api = new FakeServiceApi();
  const energies = new PastEnergies(api, patiently);
  for (const month of ['07', '08'])
    await energies.around(STATION, Date.parse(`2026-${month}-01T00:00:00+08:00`));
  expect(api.questions.toSorted()).toEqual([
    'energies house 2026',
    'energies house 2026',
    'energies house 2026-06',
    'energies house 2026-07',
    'energies house 2026-08',
  ]);
});

test('has nothing of what the service refuses', async () => {
  const api = new FakeServiceApi();
  api.pastEnergies = { day: new Map(), month: new Map(), year: new Map([['2026', {}]]) };
  api.fail('energies house 2026-08', 'SERVICE_API_REFUSED');
  const known = await new PastEnergies(api, patiently).around(
    STATION,
    partOf().fromMs + 86_400_000,
  );
  expect(known).toEqual({ days: new Map(), months: new Map(), years: new Map([['2026', {}]]) });
});

test('passes on a failure that may pass, and asks again', async () => {
  const api = new FakeServiceApi();
  api.fail('energies house 2026-08', 'SERVICE_SERVER_ERROR');
  const energies = new PastEnergies(api, patiently);
  const around = () => energies.around(STATION, partOf().fromMs + 86_400_000);
  await expect(around()).rejects.toMatchObject({ code: 'SERVICE_SERVER_ERROR' });
  api.recover('energies house 2026-08');
  await around();
  expect(api.count('energies house 2026-08')).toBe(2);
});

test('asks through what waits and asks again', async () => {
  const api = new FakeServiceApi();
  let asked = 0;
  const counting: Patience = (ask) => {
    asked += 1;
    return ask();
  };
  await new PastEnergies(api, counting).around(STATION, partOf().fromMs);
  expect(asked).toBe(4);
});

test('a month without energies asks for none', async () => {
  const api = new FakeServiceApi();
  await collected({ api, energies: false });
  expect(api.questions).toEqual(['past inverter-1']);
});
