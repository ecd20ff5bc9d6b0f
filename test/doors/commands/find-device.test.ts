import { expect, test } from 'vitest';
import { deviceList, type Script, stationList } from '../scripted-service.ts';
import { refused, startScriptedProcess } from './fake-process.ts';

const SERVICE: Script = {
  stations: stationList('house', 'barn'),
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
  const { shell, asked } = await startScriptedProcess({ ...SERVICE, ...script });
  const ran = await shell.run('readings', typed, '--json', ...flags);
  return { ran, asked: asked('devices').map(({ body }) => body['stationId']) };
}

test.each([
  [' 17 ', '17'],
  [' ROOF EAST ', '17', 'barn'],
  ['sn0018a', '18', 'barn'],
  ['22', '22', 'barn'],
  // What people take for its id.
  ['9900', '17', 'barn'],
])('a device is found by "%s"', async (typed, deviceId, ...others) => {
  const { ran, asked } = await readingsOf(typed);
  expect(ran).toMatchObject({ status: 0, complaints: '' });
  expect(ran.out).toContain(`"deviceId": "${deviceId}"`);
  expect(asked).toEqual(['house', ...others]);
});

const LISTS =
  'accepted: the id, the name or the serial number of a device; solar-exporter devices lists them';
const ROOF = '17 (Roof east, SN0017A)';
const NOBODY: Script = { stations: stationList() };
const MANY = [0, 1, 2, 3, 4, 5].map((id) => ({ id: `d${id}`, serialNumber: undefined }));
const FIVE = MANY.slice(0, 5).map(({ id }) => `${id} (Garage inverter)`);

test.each<[typed: string, says: string, script?: Script]>([
  ['twin', ': 2 devices have this name; accepted: one of the ids 18 (Twin, SN0018A), 21 (Twin)'],
  ['SN0017B', `: unknown device; did you mean ${ROOF}? ${LISTS}`],
  ['roof', `: unknown device; did you mean ${ROOF}? ${LISTS}`],
  ['something else', `: unknown device; ${LISTS}`],
  ['house', `: 2 devices have this name; accepted: one of the ids ${ROOF}, 18 (Twin, SN0018A)`],
  [
    'house',
    `: 6 devices have this name; accepted: one of the ids ${FIVE.join(', ')}, …`,
    { devices: deviceList(...MANY) },
  ],
  ['17', ': the account shows no device at all', NOBODY],
])('%s is refused%s', async (typed, says, script) => {
  expect((await readingsOf(typed, script)).ran).toEqual(refused(`"${typed}"${says}`));
});

test('a device is found once, in the configured stations only', async () => {
  const both = { devices: deviceList({ id: '17', name: 'Roof east' }) };
  expect((await readingsOf('roof east', both)).ran.out).toContain('"stationId": "house"');
  const named = { devices: deviceList({ id: '17', name: 'Roof east', stationId: 'barn' }) };
  expect((await readingsOf('roof east', named)).ran.out).toContain('"stationId": "barn"');
  expect((await readingsOf('twin', {}, '--station=barn')).asked).toEqual(['barn']);
});
