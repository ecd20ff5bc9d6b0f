import { expect, test } from 'vitest';
import { deviceList, startScriptedService, type Script } from '../scripted-service.ts';
import { FakeProcess } from './fake-process.ts';

const SERVICE: Script = {
  stations: { data: { total: 2, list: [{ id: 'house' }, { id: 'barn' }] } },
  devices: ({ body }) =>
    body['stationId'] === 'house'
      ? deviceList(
          { id: '17', name: 'Roof east', serialNumber: 'SN0017A', dtuDtuid: '9900' },
          { id: '18', name: 'Twin', serialNumber: 'SN0018A' },
        )
      : deviceList(
          { id: '21', name: 'Twin', serialNumber: undefined },
          { id: '22', name: undefined, serialNumber: undefined },
        ),
};

/** Asks such a service for the readings of a device. */
async function readingsOf(typed: string, script: Script = {}, ...flags: readonly string[]) {
  const shell = new FakeProcess();
  const service = await startScriptedService({ ...SERVICE, ...script }, shell.clock);
  shell.env = { SOLAR_BASE_URL: service.serviceUrl, SOLAR_ACCESS_TOKEN: 'made-up' };
  const ran = await shell.run('readings', typed, '--json', ...flags);
  return { ...ran, asked: service.asked('devices').map(({ body }) => body['stationId']) };
}

test.each([
  { typed: '17', deviceId: '17', asked: ['house'] },
  { typed: ' 17 ', deviceId: '17', asked: ['house'] },
  { typed: 'Roof east', deviceId: '17', asked: ['house', 'barn'] },
  { typed: 'ROOF EAST', deviceId: '17', asked: ['house', 'barn'] },
  { typed: 'sn0018a', deviceId: '18', asked: ['house', 'barn'] },
  { typed: '22', deviceId: '22', asked: ['house', 'barn'] },
])('a device is found by $typed', async ({ typed, deviceId, asked }) => {
  const ran = await readingsOf(typed);
  expect(ran).toMatchObject({ status: 0, complaints: '', asked });
  expect(ran.out).toContain(`"deviceId": "${deviceId}"`);
});

const LISTS =
  'accepted: the id, the name or the serial number of a device; solar-exporter devices lists them';
const ROOF = '17 (Roof east, SN0017A)';
const NOBODY: Script = { stations: { data: { total: 0, list: [] } } };
const MANY = Array.from({ length: 9 }, (_, index) => ({
  id: `d${index}`,
  serialNumber: undefined,
}));

test.each<{ typed: string; says: string; script?: Script }>([
  {
    typed: 'twin',
    says: ': 2 devices have this name; accepted: one of the ids 18 (Twin, SN0018A), 21 (Twin)',
  },
  { typed: 'Roof wast', says: `: unknown device; did you mean ${ROOF}? ${LISTS}` },
  { typed: 'SN0017B', says: `: unknown device; did you mean ${ROOF}? ${LISTS}` },
  { typed: 'roof', says: `: unknown device; did you mean ${ROOF}? ${LISTS}` },
  { typed: 'something else', says: `: unknown device; ${LISTS}` },
  {
    typed: 'house',
    says: ` is the id of a station; accepted: a device of it, ${ROOF}, 18 (Twin, SN0018A)`,
  },
  { typed: '9900', says: ` is the id of a datalogger; accepted: a device of it, ${ROOF}` },
  {
    typed: 'house',
    says: ` is the id of a station; accepted: a device of it, ${[0, 1, 2, 3, 4].map((id) => `d${id} (Garage inverter)`).join(', ')}, …`,
    script: { devices: deviceList(...MANY) },
  },
  { typed: '17', says: ': the account shows no device at all', script: NOBODY },
])('$typed is refused$says', async ({ typed, says, script }) => {
  expect(await readingsOf(typed, script)).toMatchObject({
    status: 2,
    out: '',
    complaints: `solar-exporter: "${typed}"${says}\n`,
  });
});

test('a device that several stations list is found once, and looked for in the configured stations only', async () => {
  const both = { devices: deviceList({ id: '17', name: 'Roof east' }) };
  expect((await readingsOf('roof east', both)).out).toContain('"stationId": "house"');
  expect((await readingsOf('twin', {}, '--station=barn')).asked).toEqual(['barn']);
});
