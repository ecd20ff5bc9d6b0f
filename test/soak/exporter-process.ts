import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url));
const COLLECTOR = new URL('collect-on-request.js', import.meta.url).href;

/** Everything is due again within seconds, so that a scrape a second keeps it busy. */
const FLAGS = [
  '--web.listen-address=127.0.0.1:0',
  '--collect.process',
  '--collect.settings',
  '--cache.readings-ttl=1s',
  '--cache.alarms-ttl=2s',
  '--cache.summary-ttl=5s',
  '--cache.settings-ttl=5s',
  '--cache.devices-ttl=5s',
  '--request.timeout=2s',
];

/** The built exporter as a process. */
export interface ExporterProcess {
  readonly url: string;
  readonly pid: number;
  /** Lines logged so far of level `error`: a fault of the service is no more than a warning. */
  readonly errors: readonly string[];
  /** Lets it collect its garbage; resolves to what is left on its heap. */
  heapBytes(): Promise<number>;
  /** Stops it as an orchestrator does; resolves to its exit status. */
  stop(): Promise<number | null>;
}

/** Starts the exporter; resolves when it listens. */
export async function startExporter(
  environment: Readonly<Record<string, string>>,
): Promise<ExporterProcess> {
  const child = spawn(process.execPath, ['--import', COLLECTOR, CLI, 'serve', ...FLAGS], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const { pid, stderr } = child;
  if (pid === undefined || stderr === null) throw new Error('the exporter does not start');
  process.once('exit', () => child.kill('SIGKILL'));
  const errors: string[] = [];
  const ended = once(child, 'exit') as Promise<[status: number | null]>;
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: stderr }).on('line', (line) => {
      if (!line.startsWith('{')) {
        errors.push(line); // Node.js itself has something to say
        return;
      }
      const { level, url } = JSON.parse(line) as { readonly level: string; readonly url?: string };
      if (level === 'error' || level === 'fatal') errors.push(line);
      if (url !== undefined) resolve(url);
    });
    void ended.then(() => reject(new Error('the exporter has ended before it listened')));
  });
  return {
    url,
    pid,
    errors,
    heapBytes: async () => {
      const answered = once(child, 'message') as Promise<[answer: { readonly heapBytes: number }]>;
      child.send('collect');
      const [{ heapBytes }] = await answered;
      return heapBytes;
    },
    stop: async () => {
      child.kill('SIGTERM');
      const [status] = await ended;
      return status;
    },
  };
}
