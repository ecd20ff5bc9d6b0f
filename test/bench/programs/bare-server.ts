import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rawAnswer } from '../raw-answer.ts';

// What the exporter is measured against: nothing but node:http, and the very bytes and headers that it sends.
const [, , source, encoding = 'identity'] = process.argv;

/** What Node.js adds itself. */
const ADDED = new Set(['date', 'connection', 'keep-alive']);

const { rawHeaders, body } =
  source === undefined
    ? { rawHeaders: ['content-length', '5'], body: Buffer.from('idle\n') }
    : await rawAnswer(source, { 'accept-encoding': encoding });

const headers: Record<string, string> = {};
let keepAliveSeconds = 5;
for (let at = 0; at < rawHeaders.length; at += 2) {
  const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
  if (!ADDED.has(name.toLowerCase())) headers[name] = value;
  if (name.toLowerCase() === 'keep-alive') keepAliveSeconds = Number(/\d+/.exec(value)?.[0]);
}

const server = createServer({ keepAliveTimeout: keepAliveSeconds * 1000 }, (_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}/metrics\n`);
});
