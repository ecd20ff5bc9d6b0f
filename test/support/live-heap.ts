import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
// Code that becomes hot is compiled, which takes more of the heap than any leak that is looked for: in a
// process that measures it, everything is interpreted.
for (const flag of ['--no-opt', '--no-sparkplug', '--no-use-osr', '--no-flush-bytecode'])
  setFlagsFromString(flag);
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of this process's heap that are in use once there is no garbage in it. */
export async function liveHeapBytes(): Promise<number> {
  // What is finalized in one turn is let go of in the next.
  for (let turn = 0; turn < 2; turn += 1) {
    collectGarbage();
    await nextTurn();
  }
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
