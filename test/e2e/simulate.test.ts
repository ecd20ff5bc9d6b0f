import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/prometheus.ts';
import { scrapePage } from '../doors/house.ts';
import { startServe, startSimulate } from '../support/running-process.ts';

test('the credentials that simulate prints are all that an exporter needs', async () => {
  const { env } = await startSimulate();
  expect(Object.keys(env)).toEqual([
    'SOLAR_BASE_URL',
    'SOLAR_ACCOUNT',
    'SOLAR_PASSWORD',
    'SOLAR_APP_ID',
    'SOLAR_APP_SECRET',
  ]);
  const { url } = await startServe([], env);
  expect((await scrapePage(url)).value('solar_up')).toBe(1);
});

test('an exporter reads its secrets from files', async () => {
  const { env } = await startSimulate();
  const { SOLAR_PASSWORD = '', SOLAR_APP_SECRET = '', ...rest } = env;
  const directory = temporaryDirectory();
  const files = {
    SOLAR_PASSWORD_FILE: join(directory, 'password'),
    SOLAR_APP_SECRET_FILE: join(directory, 'app-secret'),
  };
  writeFileSync(files.SOLAR_PASSWORD_FILE, `${SOLAR_PASSWORD}\n`);
  writeFileSync(files.SOLAR_APP_SECRET_FILE, `${SOLAR_APP_SECRET}\n`);
  const { url } = await startServe([], { ...rest, ...files });
  expect((await scrapePage(url)).value('solar_up')).toBe(1);
});

test('stations, devices and seed are those asked for', async () => {
  const { env } = await startSimulate([
    '--simulator.stations=2',
    '--simulator.devices=3',
    '--simulator.seed=5',
    '--simulator.omit-total',
  ]);
  const { url } = await startServe([], env);
  const page = await scrapePage(url);
  expect(page.all('solar_up').map(({ value }) => value)).toEqual([1, 1]);
  expect(page.all('solar_device_info')).toHaveLength(6);
});

test('the stations stand in the time zone that was asked for', async () => {
  const { env } = await startSimulate(['--time-zone=Atlantic/Azores']);
  const { url } = await startServe([], env);
  const [station] = (await scrapePage(url)).all('solar_station_info');
  expect(station?.labels['time_zone']).toBe('Atlantic/Azores');
});

test('the classic family can be on the portal, which says in an answer that a token has expired', async () => {
  const { env } = await startSimulate(['--simulator.portal', '--family=classic']);
  const answer = await fetch(`${env['SOLAR_BASE_URL']}/apis/station/list`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'IOT-Token': 'old' },
    body: '{"page":1,"count":1}',
  });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ code: 9, message: 'Token expired' });
});
