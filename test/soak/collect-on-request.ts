import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Loaded into the exporter before itself: collects garbage when the parent asks, and says what is left.

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
process.on('message', () => {
  collectGarbage();
  process.send?.({ heapBytes: process.memoryUsage().heapUsed });
});
// Nobody who only waits for this keeps a program from ending.
process.channel?.unref();
