import { constants, platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

// Guessers must not take the processor from those who are let in. Only Linux has priorities by thread.
if (platform() === 'linux')
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it: passwords are compared at the priority of all else then.
  }

/** @typedef {{ readonly id: number, readonly password: string, readonly hash: string }} Question */
/** @typedef {{ readonly id: number, readonly isRight: boolean }} Answer */

// One after the other: the messages of a port wait for their turn.
parentPort?.on('message', (/** @type {Question} */ { id, password, hash }) => {
  /** @type {Answer} */
  const answer = { id, isRight: compareSync(password, hash) };
  parentPort?.postMessage(answer);
});
