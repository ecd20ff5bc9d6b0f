import { expect, test } from 'vitest';
import { completeOptions } from '../../../src/simulator/options.ts';
import { World } from '../../../src/simulator/service/world.ts';
import { FakeClock } from '../../support/fake-clock.ts';

test('thousands of stations have a hundred plants, and every station devices of its own', () => {
  const world = new World(completeOptions({ stations: 2_000 }), new FakeClock());
  const { stations } = world.fleet;
  const plants = new Set(stations.map((station) => world.plant(station)));
  expect(plants.size).toBe(100);
  expect(new Set(stations.slice(0, 100).map((station) => world.plant(station)))).toEqual(plants);
  const weights = stations.flatMap(({ devices }) => devices.map(({ weight }) => weight));
  expect(new Set(weights).size).toBe(2_000);
});
