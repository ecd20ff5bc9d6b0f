import { createHash, createHmac, randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { SimulatorOptions } from '../../src/simulator/simulator.ts';
import { createSimulator } from '../support/faulty-simulator.ts';
import { SERVICE_PATHS } from '../support/service-paths.ts';
import { FakeClock } from '../support/fake-clock.ts';

export type EndpointName = keyof typeof SERVICE_PATHS;

/** What an answer holds: the tests say what they expect in it. */
export interface Json {
  readonly [name: string]: Json;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly code: Json | undefined;
  readonly data: Json;
}

/** What goes with a request: an object goes as JSON, a text as it is. */
export interface Asked {
  readonly body?: object | string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a simulator on a clock that stands still, and asks it as a client would. */
export async function startSimulator(
  options: Partial<SimulatorOptions> = {},
  now = '2026-06-21T04:00:00Z',
) {
  const clock = new FakeClock(now);
  const simulator = createSimulator(options, clock);
  const baseUrl = await simulator.start();
  onTestFinished(() => simulator.stop());
  const [stationId = ''] = simulator.stationIds;
  const [deviceId = ''] = simulator.deviceIds(stationId);

  /** Sends a request as it is, without a token. */
  const send = async (endpoint: EndpointName, asked: Asked = {}): Promise<Answer> => {
    const query = new URLSearchParams(asked.query).toString();
    const body = typeof asked.body === 'object' ? JSON.stringify(asked.body) : asked.body;
    const response = await fetch(`${baseUrl}${SERVICE_PATHS[endpoint]}?${query}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json; charset=utf-8', ...asked.headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const envelope = (text.startsWith('{"') && text.endsWith('}') ? JSON.parse(text) : {}) as Json;
    const { status, headers } = response;
    return { status, text, headers, code: envelope['code'], data: envelope['data'] ?? {} };
  };
  const logIn = async (): Promise<Readonly<Record<string, string>>> => {
    const body = loginBody();
    const { text } = await send('login', { body, headers: signedHeaders(body) });
    return (JSON.parse(text) as { data: Record<string, string> }).data;
  };
  let session: { readonly tokens: ReturnType<typeof logIn>; readonly hours: number } | undefined;
  /** Sends a request with a valid token and a time zone. */
  const ask = async (endpoint: EndpointName, asked: Asked = {}): Promise<Answer> => {
    const hours = Math.floor(clock.nowMs() / 7_200_000);
    if (session?.hours !== hours) session = { tokens: logIn(), hours };
    const { accessToken } = await session.tokens;
    const headers = { ...dataHeaders(accessToken), ...asked.headers };
    return send(endpoint, { ...asked, headers });
  };
  return { simulator, clock, baseUrl, stationId, deviceId, send, logIn, ask };
}

export function loginBody(account = 'demo@example.org', password = 'demo-password'): string {
  return JSON.stringify({ account, password: createHash('md5').update(password).digest('hex') });
}

/** Signs as service.md#signature says, step by step; a hash of the body that is left out may be signed or not. */
export function signedHeaders(
  body: string,
  changes: { appId?: string; appSecret?: string; nonce?: string; hash?: 'kept' | 'unsigned' } = {},
): Record<string, string> {
  const { appId = 'demo-app-id', appSecret = 'demo-app-secret', hash } = changes;
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const sent: Record<string, string> = {
    'IOT-Open-AppID': appId,
    'IOT-Open-Nonce': changes.nonce ?? randomBytes(16).toString('hex'),
    ...(hash === undefined ? { 'IOT-Open-Body-Hash': bodyHash } : {}),
  };
  const signed = hash === 'kept' ? { ...sent, 'IOT-Open-Body-Hash': bodyHash } : sent;
  const joined = Object.entries(signed)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('&');
  const mac = createHmac('sha256', appSecret).update(btoa(joined)).digest();
  return { ...sent, 'IOT-Open-Sign': createHash('md5').update(mac).digest('hex') };
}

export function dataHeaders(accessToken = '', timeZone = 'Asia/Manila'): Record<string, string> {
  return { 'IOT-Token': accessToken, 'IOT-Time-Zone': timeZone, Accept: 'application/json' };
}

/** Reads a text of an answer; empty when it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
