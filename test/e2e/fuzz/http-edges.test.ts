import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptsGzip } from '../../../src/http/reply.ts';
import { pathOf } from '../../../src/http/request-handler.ts';
import { startServer } from '../../support/running-server.ts';
import { hostileText } from '../../fuzz/hostile-values.ts';
import { FUZZ_TIMEOUT_MS, holds, holdsInTime } from '../../fuzz/runs.ts';

/** What a request's target is made of. */
const TARGET_PARTS = [
  '/',
  '//',
  '/probe',
  '/metrics',
  '/sd',
  '?',
  'target=',
  '1001',
  '&',
  '=',
  '%',
  '%ff',
  '%00',
  '#',
  '..',
  '[',
  ']',
  ':',
  '@',
  '*',
  'http://',
  'HTTPS://',
  'x',
  ';',
  '+',
] as const;
const target = fc.oneof(
  fc.array(fc.constantFrom(...TARGET_PARTS), { minLength: 1, maxLength: 8 }).map(joined),
  fc
    .tuple(fc.constantFrom('http://[', 'http://a:b', 'http://x', ''), hostileText)
    .map(([origin, text]) => `${origin}/probe?target=${text}`),
);
/** Only what Node.js lets into a header reaches the routes. */
const headerText = hostileText.map((text) => text.replaceAll(/[^\t\x20-\x7e]/g, ''));

function joined(parts: readonly string[]): string {
  return parts.join('');
}

/** What a server says to these bytes, until it closes. */
function answerTo(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(request, 'latin1'));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

describe('whatever a client asks', { timeout: FUZZ_TIMEOUT_MS }, () => {
  test('it is answered, and never with an internal error', async () => {
    const { server, log } = await startServer();
    const port = Number(new URL(server.url).port);
    const method = fc.constantFrom('GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE');
    const header = fc.tuple(
      fc.constantFrom('accept-encoding', 'x-prometheus-scrape-timeout-seconds', 'authorization'),
      headerText,
    );
    const property = fc.asyncProperty(method, target, header, async (verb, path, [name, value]) => {
      const line = path.replaceAll(/[^\x21-\x7e]/g, '');
      const request = `${verb} ${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${name}: ${value}\r\n\r\n`;
      const answer = await answerTo(port, request);
      expect(answer).toMatch(/^HTTP\/1\.1 (?:200|302|303|400|403|404|405|431|503) /);
    });
    await holdsInTime(property);
    expect(log.messages('error')).toEqual([]);
  });

  test('a path is found in its target without its query', () => {
    holds(
      fc.property(fc.oneof(target, hostileText), (text) => {
        expect(pathOf(text)).not.toContain('?');
        expect(text).toContain(pathOf(text) === '/' ? '' : pathOf(text));
      }),
    );
  });

  test('gzip is accepted only by who names it, or any coding', () => {
    const part = fc.constantFrom('gzip', 'x-gzip', '*', ';', 'q=0', 'q=0.0', 'q=1', ' ', ',', '\t');
    holds(
      fc.property(fc.oneof(hostileText, fc.string({ unit: part })), (text) => {
        expect(acceptsGzip(text) && !/gzip|\*/i.test(text)).toBe(false);
        expect(acceptsGzip(`${text.replaceAll(/gzip|\*/gi, '')},gzip;q=0`)).toBe(false);
      }),
    );
  });
});
