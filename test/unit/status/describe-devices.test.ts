import { expect, test } from 'vitest';
import { describeDevices } from '../../../src/status/describe-devices.ts';

test('a device of which one setting alone is known is listed, unless the portal hides it', async () => {
  const shown = (setting: object) => ({
    value: new Map([['mode', { value: 'x', ...setting }]]),
    fetchedAtMs: 0,
  });
  const settings = new Map([
    ['set', shown({})],
    ['none', { ...shown({}), value: new Map() }],
    ['hidden', shown({ isHidden: true })],
  ]);
  const devices = await describeDevices({ listed: [], firing: [], readings: new Map(), settings });
  expect(devices.map(({ deviceId }) => deviceId)).toEqual(['set']);
});
