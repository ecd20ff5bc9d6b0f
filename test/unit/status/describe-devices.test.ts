import { expect, test } from 'vitest';
import type { StationTargets } from '../../../src/collectors/station-targets.ts';
import { describeDevices } from '../../../src/status/describe.ts';

test('a device of which one setting alone is known is listed, if shown', () => {
  const withSetting = (setting: object) => ({
    value: new Map([['mode', { value: 'x', ...setting }]]),
  });
  const settings = new Map([
    ['set', withSetting({})],
    ['none', { value: new Map() }],
    ['hidden', withSetting({ isHidden: true })],
  ]);
  const shown = ({ name }: { readonly name: string }) =>
    name === 'settings' ? settings : new Map();
  const devices = [...describeDevices({ shown } as unknown as StationTargets)];
  expect(devices.map(({ deviceId }) => deviceId)).toEqual(['set']);
});
