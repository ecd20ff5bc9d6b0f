import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { openHouse } from './house.ts';
import { deviceList } from './scripted-service.ts';

const UTC = { 'time-zone': 'UTC', 'collect.alarms': 'false' };

test('a list that is due again before it has come is not asked for on and on', async () => {
  const slow = deferred<undefined>();
  const house = await openHouse(
    {
      devices: async () => {
        if (house.asked('devices').length > 50) await slow.promise;
        house.clock.advance(2000);
        return deviceList({});
      },
    },
    { flags: { ...UTC, 'cache.devices-ttl': '1s' } },
  );
  await house.scrape();
  expect(house.asked('devices')).toHaveLength(1);
  await house.scrape();
  // The list of stations is due as well, and whatever is due then is asked for once more.
  expect(house.asked('devices').length).toBeLessThanOrEqual(3);
  slow.resolve(undefined);
});
