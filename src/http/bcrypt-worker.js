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

/** @typedef {{ readonly password: string, readonly hash: string }} Question */

parentPort?.on('message', (/** @type {Question} */ { password, hash }) => {
  parentPort?.postMessage(compareSync(password, hash));
});
