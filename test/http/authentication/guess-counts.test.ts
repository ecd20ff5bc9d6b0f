import { expect, test } from 'vitest';
import { GuessCounts } from '../../../src/http/authentication/guess-counts.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const MINUTE_MS = 60_000;
const connection = {};

function start() {
  const clock = new FakeClock();
  const counts = new GuessCounts(clock);
  const add = (network: string, times = 1): void => {
    for (let time = 0; time < times; time += 1) counts.add({ network, connection });
  };
  return { clock, counts, add };
}

test('wrong guesses are counted by network and by connection', () => {
  const { counts, add } = start();
  add('a', 2);
  add('b');
  expect(['a', 'b', 'c'].map((network) => counts.ofNetwork(network))).toEqual([2, 1, 0]);
  expect(counts.ofConnection(connection)).toBe(3);
  expect(counts.ofConnection({})).toBe(0);
});

test('what was turned away counts for the connection only', () => {
  const { counts, add } = start();
  add('a');
  counts.addTurnedAway(connection);
  expect(counts.ofNetwork('a')).toBe(1);
  expect(counts.ofConnection(connection)).toBe(2);
});

test('those of a network count half after ten minutes, and half of that after ten more', () => {
  const { clock, counts, add } = start();
  add('a', 8);
  clock.advance(10 * MINUTE_MS);
  expect(counts.ofNetwork('a')).toBe(4);
  clock.advance(10 * MINUTE_MS);
  expect(counts.ofNetwork('a')).toBe(2);
  add('a');
  expect(counts.ofNetwork('a')).toBe(3);
});

test('they fade also after the clock was set back', () => {
  const { clock, counts, add } = start();
  add('a', 8);
  clock.advance(-1_000_000 * MINUTE_MS);
  expect(counts.ofNetwork('a')).toBe(8);
  clock.advance(10 * MINUTE_MS);
  expect(counts.ofNetwork('a')).toBe(4);
});

test('the network that has not guessed for longest is forgotten when there are more than 8,192', () => {
  const { counts, add } = start();
  add('a', 5);
  add('b');
  add('a');
  for (let network = 0; network < 8191; network += 1) add(`network ${network}`);
  expect(counts.ofNetwork('a')).toBe(6);
  expect(counts.ofNetwork('b')).toBe(0);
});
