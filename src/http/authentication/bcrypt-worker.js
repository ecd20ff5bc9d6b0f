import { constants, platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

// Wrong guesses must not slow down accepted clients. Only Linux has priorities by thread.
if (platform() === 'linux')
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // A sandbox may forbid it. Passwords are then compared at the priority of everything else.
  }

/** @typedef {{ readonly id: number, readonly password: string, readonly hash: string }} Question */
/** @typedef {{ readonly id: number, readonly isRight: boolean }} Answer */

// The messages of a port are handled one after the other, and so are the comparisons.
parentPort?.on('message', (/** @type {Question} */ { id, password, hash }) => {
  /** @type {Answer} */
  const answer = { id, isRight: compareSync(password, hash) };
  parentPort?.postMessage(answer);
});
