import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { scrapePage } from '../support/page.ts';
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

/** Is cut within a text; is full of quotes; is full of long numbers; comes byte by byte. */
const ANSWERS: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.end(`{"id":1234567890123456,"a":"${'\\"'.repeat(200_000)}`),
  (response) => response.end('"'.repeat(7.9 * MEGABYTE)),
  (response) => response.end('[1234567890123456'.repeat(400_000)),
  crumble,
];

test('the program lives on and answers, whatever it is answered', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    ANSWERS[asked % ANSWERS.length]?.(response);
    asked += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const serviceUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = ['--web.listen-address=127.0.0.1:0', `--base-url=${serviceUrl}`];
  // It asks for the devices of each station, one after the other, and for nothing else.
  const stations = ANSWERS.map((_, index) => `--station=${index + 1}`);
  const alone = ['--request.concurrency=1', '--no-collect.alarms', '--no-collect.energy'];
  const patient = '--scrape.timeout=5m';
  const exporter = new RunningProcess(
    process.execPath,
    [MEMORY, CLI, 'serve', ...flags, ...stations, ...alone, patient],
    { SOLAR_ACCESS_TOKEN: 'made-up' },
  );
  const url = await exporter.printed('stderr', /"url":"([^"]+)"/);
  const scrape = scrapePage(url);
  await eventually(() => expect(asked).toBeGreaterThan(0));
  expect((await fetch(new URL('/-/healthy', url))).status).toBe(200);
  expect((await scrape).requests('devices', 'SERVICE_PAYLOAD_INVALID')).toBe(ANSWERS.length);
  exporter.kill('SIGTERM');
  expect(await exporter.exited).toEqual({ status: 0, signal: null });
});
