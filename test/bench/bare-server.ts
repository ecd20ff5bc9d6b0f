import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The limit that the exporter is measured against: nothing but node:http and the same bytes.
const source = process.argv[2];
const encoding = process.argv[3] ?? 'identity';

const headers: Record<string, string | number> = {};
let body = Buffer.from('idle\n');
if (source !== undefined) {
  const answer = await fetch(source, { headers: { 'accept-encoding': encoding } });
  body = Buffer.from(await answer.arrayBuffer());
  for (const name of ['content-type', 'vary']) headers[name] = answer.headers.get(name) ?? '';
  if (encoding === 'gzip') {
    // What fetch has unpacked is packed again as the exporter packs it.
    const { gzipSync } = await import('node:zlib');
    body = gzipSync(body);
    headers['content-encoding'] = 'gzip';
  }
}
headers['content-length'] = body.length;

const server = createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}/metrics\n`);
});
