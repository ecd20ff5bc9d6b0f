import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';

/** What the program takes from the machine it runs on; tests bring their own. */
export interface Surroundings {
  readonly clock: Clock;
  /** A number in 0 to 1. */
  readonly random: () => number;
  /** 32 lowercase hex characters from 16 random bytes, new at each call. */
  readonly newNonce: () => string;
}

/** The real ones. */
export const realSurroundings: Surroundings = {
  clock: systemClock,
  random: Math.random,
  newNonce: () => randomBytes(16).toString('hex'),
};
