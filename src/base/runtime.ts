import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from './clock.ts';

/** Time and randomness, which tests replace by their own. */
export interface Runtime {
  readonly clock: Clock;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns 32 lowercase hex characters from 16 random bytes. */
  readonly newNonce: () => string;
}

/** The clock and the random numbers of this machine. */
export const systemRuntime: Runtime = {
  clock: systemClock,
  random: Math.random,
  newNonce: () => randomBytes(16).toString('hex'),
};
