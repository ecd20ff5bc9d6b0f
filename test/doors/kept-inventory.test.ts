import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, openHouse } from './house.ts';
import {
  deviceList,
  liveHistory,
  type PortalAnswer,
  type Script,
  stationList,
} from './scripted-service.ts';

const SCRIPT: Script = {
  stations: stationList('1', '2'),
  devices: ({ body: { stationId } }) =>
    deviceList({ id: `${String(stationId)}-1` }, { id: `${String(stationId)}-2` }),
  readings: liveHistory(),
};
const DEVICES = ['1-1', '1-2', '2-1', '2-2'];

/** An exporter with a state directory, which was scraped once. */
async function openKept() {
  const directory = temporaryDirectory();
  const house = await openHouse(SCRIPT, { flags: { 'state.dir': directory } });
  const before = await house.scrape();
  return Object.assign(house, {
    file: join(directory, 'inventory.json'),
    before,
    scrapeAndCount: async () => {
      const asked = house.requests.length;
      const page = await house.scrape();
      return { page, asked: house.requests.slice(asked) };
    },
  });
}

type Kept = Awaited<ReturnType<typeof openKept>>;
const infos = (page: Kept['before']) => page.all('solar_device_info');

describe('a restart with --state.dir', () => {
  test('asks every device once and for no list, and shows what it showed', async () => {
    const house = await openKept();
    await house.restart();
    expect(statSync(house.file).mode & 0o777).toBe(0o600);
    expect(readFileSync(house.file, 'utf8')).not.toContain('made-up-token');
    const { page, asked } = await house.scrapeAndCount();
    const readings = asked.filter(({ endpoint }) => endpoint === 'readings');
    const live = readings.map(({ body }) => String(body['deviceId']));
    expect(live.toSorted()).toEqual(DEVICES);
    for (const list of ['stations', 'devices'] as const)
      expect(asked.map(({ endpoint }) => endpoint)).not.toContain(list);
    expect(page.all('solar_pv_power_watts')).toEqual(house.before.all('solar_pv_power_watts'));
    expect(page.all('solar_up').map(({ value }) => value)).toEqual([1, 1]);
    expect(infos(page)).toEqual(infos(house.before));
    const line = house.log.lines.find(({ message }) => message.endsWith('is taken up'));
    expect(line?.fields).toEqual({ stations: 2, devices: 4 });
  });

  test('after hours does not wait for lists with the readings; what has left meanwhile vanishes', async () => {
    const house = await openKept();
    await house.stop();
    house.clock.advance(3 * HOUR_MS);
    house.answers.devices = ({ body }) => deviceList({ id: `${String(body['stationId'])}-1` });
    await house.restart();
    const stations = deferred<PortalAnswer>();
    house.answers.stations = () => stations.promise;
    const asked = house.asked('readings').length;
    const scraped = house.scrape();
    await eventually(() => expect(house.asked('readings')).toHaveLength(asked + DEVICES.length));
    stations.resolve(stationList('1', '2'));
    await scraped;
    house.answers.stations = SCRIPT.stations;
    house.answers.readings = { data: { payload: { timeSeries: [], fields: {} } } };
    for (let minute = 0; minute < 90; minute += 5) await house.scrapeAfter(5 * MINUTE_MS);
    const left = infos(await house.scrape()).map(({ labels }) => labels['device_id']);
    expect(left).toEqual(['1-1', '2-1']);
  });

  test.each<[string, (house: Kept) => void, string, Readonly<Record<string, string>>]>([
    ['of a day ago', ({ clock }) => clock.advance(DAY_MS), 'is too old', {}],
    ['of another account', () => undefined, 'is not used', { SOLAR_ACCESS_TOKEN: 'another' }],
    ['that is broken', ({ file }) => writeFileSync(file, '{"version":1}'), 'set aside', {}],
  ])('with an inventory %s lists everything anew', async (_, spoil, message, env) => {
    const house = await openKept();
    await house.stop();
    spoil(house);
    await house.restart({ env });
    const { page, asked } = await house.scrapeAndCount();
    expect(asked[0]?.endpoint).toBe('stations');
    expect(infos(page)).toEqual(infos(house.before));
    expect(house.log.lines.map((line) => line.message).join()).toContain(message);
    await house.restart();
    const again = await house.scrapeAndCount();
    expect(again.asked.map(({ endpoint }) => endpoint)).not.toContain('stations');
  });
});
