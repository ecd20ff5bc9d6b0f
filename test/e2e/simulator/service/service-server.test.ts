import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../src/simulator/simulator.ts';
import { PATHS, startSimulator } from '../running-simulator.ts';
import { SteppingClock } from '../stepping-clock.ts';

const page = { page: 1, count: 1 };

describe('the server', () => {
  test.each([undefined, { kind: 'status', status: 500 }, { kind: 'html' }] as const)(
    'says with every answer that the service is simulated, also with the fault %o',
    async (fault) => {
      const { baseUrl, simulator } = await startSimulator();
      simulator.setFault('*', fault);
      for (const path of [PATHS.devices, '/no/such/path'])
        expect((await fetch(baseUrl + path)).headers.get('x-simulated-service')).toBe(
          'solar-exporter',
        );
    },
  );

  test('answers an unknown path with status 404, as its framework does', async () => {
    const { post, clock } = await startSimulator();
    const answer = await post('/login/refresh/access/token', {});
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toEqual({
      timestamp: new Date(clock.nowMs()).toISOString(),
      status: 404,
      error: 'Not Found',
      path: '/login/refresh/access/token',
    });
  });

  test.each(['GET', 'PUT', 'DELETE'])('answers %s with status 405', async (method) => {
    const { baseUrl } = await startSimulator();
    const response = await fetch(baseUrl + PATHS.devices, { method });
    expect(response.status).toBe(405);
    expect(await response.json()).toMatchObject({ error: 'Method Not Allowed' });
  });

  test.each([
    { what: 'no body', body: '' },
    { what: 'broken JSON', body: '{"page":' },
    { what: 'a list', body: '[]' },
    { what: 'null', body: 'null' },
    { what: 'text', body: '"page"' },
  ])('answers $what with status 400', async ({ body }) => {
    const { ask } = await startSimulator();
    const answer = await ask(PATHS.stations, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ status: 400, error: 'Bad Request' });
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
  ])('answers content type %s with status 400', async (contentType) => {
    const { post } = await startSimulator();
    const answer = await post(PATHS.login, {}, { 'content-type': contentType });
    expect(answer.status).toBe(400);
  });

  test('answers a missing content type and bytes that are not UTF-8 with status 400', async () => {
    const { baseUrl } = await startSimulator();
    const url = baseUrl + PATHS.login;
    const untyped = await fetch(url, { method: 'POST', body: new TextEncoder().encode('{}') });
    expect(untyped.status).toBe(400);
    const garbled = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Uint8Array.from([0x22, 0xff, 0x22]),
    });
    expect(garbled.status).toBe(400);
  });

  test('answers an enormous body with status 413', async () => {
    const { post } = await startSimulator();
    expect((await post(PATHS.login, 'x'.repeat(1_500_000))).status).toBe(413);
  });

  test('waits on the clock before every answer', async () => {
    const { ask, clock } = await startSimulator({ latencyMs: 50 });
    await ask(PATHS.stations, page);
    expect(clock.sleptMs).toEqual([50, 50]);
  });

  test('fails a share of the data requests, the same ones in every run', async () => {
    const statuses = async (): Promise<number[]> => {
      const { ask } = await startSimulator({ errorRate: 0.3 });
      const answers: number[] = [];
      for (let turn = 0; turn < 40; turn += 1)
        answers.push((await ask(PATHS.stations, page)).status);
      return answers;
    };
    const first = await statuses();
    const failed = first.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(4);
    expect(failed).toBeLessThan(22);
    expect(await statuses()).toEqual(first);
  });

  test('answers a mistake of its own with status 500', async () => {
    const { ask, stationId } = await startSimulator({ sampleIntervalMs: NaN });
    const answer = await ask(PATHS.devices, { ...page, stationId });
    expect(answer.status).toBe(500);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'Internal Server Error' });
  });

  test('counts what arrives, by endpoint and in all', async () => {
    const { simulator, ask, post } = await startSimulator();
    await ask(PATHS.stations, page);
    await ask(PATHS.stations, page);
    await post('/unknown', {});
    expect(simulator.requests('stations')).toBe(2);
    expect(simulator.requests('login')).toBe(1);
    expect(simulator.requests('summary')).toBe(0);
    expect(simulator.requests()).toBe(3);
  });

  test('survives a client that leaves in the middle of its request', async () => {
    const { baseUrl, post } = await startSimulator();
    await new Promise<void>((resolve) => {
      const leaving = request(baseUrl + PATHS.login, { method: 'POST' });
      leaving.on('error', () => {
        resolve();
      });
      leaving.setHeader('content-length', 100);
      leaving.write('{', () => leaving.destroy(new Error('gone')));
    });
    expect((await post('/unknown', {})).status).toBe(404);
  });
});

describe('starting and stopping', () => {
  test('come back at the same address, with sessions intact', async () => {
    const { simulator, ask, baseUrl } = await startSimulator();
    await ask(PATHS.stations, page);
    await simulator.stop();
    await expect(ask(PATHS.stations, page)).rejects.toThrow();
    expect(await simulator.start()).toBe(baseUrl);
    expect((await ask(PATHS.stations, page)).status).toBe(200);
  });

  test('refuse a second start and a port that is taken, and allow a second stop', async () => {
    const { simulator, baseUrl, clock } = await startSimulator();
    await expect(simulator.start()).rejects.toThrow('running already');
    const port = Number(new URL(baseUrl).port);
    await expect(createSimulator({ port }, clock).start()).rejects.toThrow('EADDRINUSE');
    await simulator.stop();
    await simulator.stop();
  });

  test('write an IPv6 host in brackets', async () => {
    const simulator = createSimulator({ host: '::1' }, new SteppingClock('2026-06-21T04:00:00Z'));
    expect(await simulator.start()).toMatch(/^http:\/\/\[::1\]:\d+$/);
    await simulator.stop();
  });
});
