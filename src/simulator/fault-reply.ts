import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Fault } from './faults.ts';

const JSON_TYPE = 'application/json;charset=UTF-8';
const DEFAULT_OVERSIZE_BYTES = 10_000_000;
const DEFAULT_DRIP_INTERVAL_MS = 100;
// The discard port: whoever follows the redirect in earnest gets nowhere.
const DEFAULT_REDIRECT = 'http://127.0.0.1:9/';

/** Answers as the fault says. A dripping answer resolves when it ends or the client has gone. */
export async function sendFault(
  fault: Fault,
  response: ServerResponse,
  clock: Clock,
): Promise<void> {
  switch (fault.kind) {
    case 'status':
      send(response, fault.status, fault.headers ?? {}, fault.body ?? '');
      return;
    case 'html':
      send(response, 200, { 'content-type': 'text/html' }, '<!doctype html><p>Back soon.</p>');
      return;
    case 'truncated':
      sendJson(response, '{"code":0,"message":"Success","data":{"lis');
      return;
    case 'array':
      sendJson(response, '[]');
      return;
    case 'oversize':
      sendJson(response, oversizeEnvelope(fault.bytes ?? DEFAULT_OVERSIZE_BYTES));
      return;
    case 'redirect':
      send(response, 302, { location: fault.location ?? DEFAULT_REDIRECT }, '');
      return;
    case 'empty':
      send(response, 200, {}, '');
      return;
    case 'envelope':
      sendJson(response, JSON.stringify({ code: fault.code, message: fault.message, data: null }));
      return;
    case 'data-null':
      sendJson(response, '{"code":0,"message":"Success","data":null}');
      return;
    case 'reset':
      response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': 1000 });
      response.write('{"code":0,"me', () => response.destroy());
      return;
    case 'refuse':
      response.destroy();
      return;
    case 'hang':
      return;
    case 'drip':
      await drip(response, clock, fault.intervalMs ?? DEFAULT_DRIP_INTERVAL_MS);
  }
}

async function drip(response: ServerResponse, clock: Clock, intervalMs: number): Promise<void> {
  const body = '{"code":0,"message":"Success","data":{"list":[]}}';
  response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': body.length });
  for (const byte of body) {
    await clock.sleep(intervalMs);
    if (response.destroyed) return;
    response.write(byte);
  }
  response.end();
}

function oversizeEnvelope(bytes: number): string {
  const [head, tail] = ['{"code":0,"message":"Success","data":{"padding":"', '"}}'];
  return head + 'x'.repeat(Math.max(0, bytes - head.length - tail.length)) + tail;
}

function sendJson(response: ServerResponse, body: string): void {
  send(response, 200, { 'content-type': JSON_TYPE }, body);
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
