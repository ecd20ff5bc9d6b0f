import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { CLI, RunningProcess } from '../support/running-process.ts';

const MEGABYTE = 1024 * 1024;
/** Far less than a container allows. */
const MEMORY = '--max-old-space-size=96';

/** Sends bytes one by one, each a piece of its own, for as long as somebody reads them. */
function crumble(response: ServerResponse): void {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
  const pieces = Buffer.from('1\r\n1\r\n'.repeat(10_000));
  let left = 150;
  const go = (): void => {
    while (left > 0 && socket?.writable === true) {
      left -= 1;
      if (!socket.write(pieces)) return void socket.once('drain', go);
    }
    socket?.end('0\r\n\r\n');
  };
  go();
}

test.each<[what: string, answer: (response: ServerResponse) => void]>([
  [
    'is cut within a text',
    (response) => response.end(`{"id":1234567890123456,"a":"${'\\"'.repeat(200_000)}`),
  ],
  ['is full of quotes', (response) => response.end('"'.repeat(7.9 * MEGABYTE))],
  ['is full of long numbers', (response) => response.end('[1234567890123456'.repeat(400_000))],
  ['comes byte by byte', crumble],
])('the program lives on and answers when what it asked for %s', async (_what, answer) => {
  const asked = deferred<undefined>();
  const server = createServer((_request, response) => {
    answer(response);
    asked.resolve(undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exporter = new RunningProcess(
    process.execPath,
    [MEMORY, CLI, 'serve', '--web.listen-address=127.0.0.1:0', `--base-url=${serviceUrl}`],
    { SOLAR_ACCESS_TOKEN: 'made-up' },
  );
  const url = await exporter.printed('stderr', /"url":"([^"]+)"/);
  const scrape = fetch(new URL('/metrics', url));
  await asked.promise;
  expect((await fetch(new URL('/-/healthy', url))).status).toBe(200);
  const page = await (await scrape).text();
  expect(page).toContain('operation="stations",outcome="SERVICE_PAYLOAD_INVALID"');
  exporter.kill('SIGTERM');
  expect(await exporter.exited).toEqual({ status: 0, signal: null });
});
