import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../../src/simulator/simulator.ts';
import { envelopeOf, PATHS, startSimulator, type Answer } from '../running-simulator.ts';

const page = { page: 1, count: 1 };

async function answerUnder(fault: Fault): Promise<Answer> {
  const { simulator, ask } = await startSimulator();
  simulator.setFault('stations', fault);
  return ask(PATHS.stations, page);
}

describe('a fault', () => {
  test('of a status carries its headers and body', async () => {
    const headers = { 'retry-after': '7' };
    const answer = await answerUnder({ kind: 'status', status: 429, headers, body: 'slow down' });
    expect(answer).toMatchObject({ status: 429, text: 'slow down' });
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  test('of a bare status has neither', async () => {
    expect(await answerUnder({ kind: 'status', status: 503 })).toMatchObject({
      status: 503,
      text: '',
    });
  });

  test('of a web page is a web page', async () => {
    const answer = await answerUnder({ kind: 'html' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html');
    expect(answer.text).toMatch(/^<!doctype html>/);
  });

  test('of truncated JSON breaks off', async () => {
    const { status, text } = await answerUnder({ kind: 'truncated' });
    expect(status).toBe(200);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  test('of an array is one', async () => {
    expect((await answerUnder({ kind: 'array' })).text).toBe('[]');
  });

  test('of an oversize answer has the size asked for and is well-formed', async () => {
    const answer = await answerUnder({ kind: 'oversize', bytes: 5000 });
    expect(answer.text).toHaveLength(5000);
    expect(envelopeOf(answer).code).toBe(0);
    expect((await answerUnder({ kind: 'oversize' })).text).toHaveLength(10_000_000);
  });

  test('of a redirect points to the loopback or where it is told', async () => {
    const answer = await answerUnder({ kind: 'redirect' });
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('http://127.0.0.1:9/');
    const elsewhere = await answerUnder({ kind: 'redirect', location: '/elsewhere' });
    expect(elsewhere.headers.get('location')).toBe('/elsewhere');
  });

  test('of an empty answer has no body', async () => {
    expect(await answerUnder({ kind: 'empty' })).toMatchObject({ status: 200, text: '' });
  });

  test('of other data is a success with it', async () => {
    const answer = await answerUnder({ kind: 'data', data: 'none' });
    expect(envelopeOf(answer)).toMatchObject({ code: 0, data: 'none' });
  });

  test('of an altered answer rewrites the honest one', async () => {
    const alter = (body: string): string => body.replace('"total":1', '"total":2');
    expect((await answerUnder({ kind: 'altered', alter })).text).toContain('"total":2');
  });

  test('of a gzip bomb is small on the wire and large unpacked', async () => {
    const answer = await answerUnder({ kind: 'gzip-bomb', bytes: 3_000_000 });
    expect(Number(answer.headers.get('content-length'))).toBeLessThan(10_000);
    expect(answer.text.length).toBeGreaterThan(3_000_000);
    expect(envelopeOf(answer).code).toBe(0);
  });

  test('of an envelope carries its code', async () => {
    const answer = await answerUnder({ kind: 'envelope', code: 9, message: 'Token expired' });
    expect(envelopeOf(answer)).toEqual({ code: 9, message: 'Token expired', data: null });
  });

  test('of null data succeeds with nothing', async () => {
    expect(envelopeOf(await answerUnder({ kind: 'data-null' }))).toMatchObject({
      code: 0,
      data: null,
    });
  });

  test('of a reset breaks the body off', async () => {
    const { simulator, baseUrl } = await startSimulator();
    simulator.setFault('login', { kind: 'reset' });
    const response = await fetch(baseUrl + PATHS.login, { method: 'POST', body: '{}' });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('of a refusal breaks the connection before any answer', async () => {
    await expect(answerUnder({ kind: 'refuse' })).rejects.toThrow('fetch failed');
  });

  test('of hanging lasts until the simulator stops', async () => {
    const { simulator, ask } = await startSimulator();
    await ask(PATHS.stations, page);
    simulator.setFault('stations', { kind: 'hang' });
    let isSettled = false;
    const hanging = ask(PATHS.stations, page).finally(() => {
      isSettled = true;
    });
    const failure = expect(hanging).rejects.toThrow('fetch failed');
    // A later request comes through, so the hanging one has had its turn.
    while (simulator.requests('stations') < 2) await ask(PATHS.devices, page);
    expect(isSettled).toBe(false);
    await simulator.stop();
    await failure;
  });

  test('of dripping waits on the clock for every byte', async () => {
    const { simulator, ask, clock } = await startSimulator();
    simulator.setFault('stations', { kind: 'drip' });
    const answer = await ask(PATHS.stations, page);
    expect(envelopeOf(answer).code).toBe(0);
    expect(clock.sleptMs).toEqual(new Array(answer.text.length).fill(100));
  });

  test('of dripping ends when the simulator stops', async () => {
    const { simulator, baseUrl, clock } = await startSimulator();
    simulator.setFault('login', { kind: 'drip', intervalMs: 5 });
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => {
      clock.sleep = () =>
        new Promise((wakeUp) => {
          wake = wakeUp;
          resolve();
        });
    });
    const failure = expect(
      fetch(baseUrl + PATHS.login, { method: 'POST', body: '{}' }).then((response) =>
        response.text(),
      ),
    ).rejects.toThrow();
    await asleep;
    await simulator.stop();
    wake();
    await failure;
  });
});

describe('setting faults', () => {
  test('strikes the next so many requests', async () => {
    const { simulator, ask } = await startSimulator();
    simulator.setFault('stations', { kind: 'status', status: 401, times: 2 });
    const statuses = [];
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await ask(PATHS.stations, page)).status);
    expect(statuses).toEqual([401, 401, 200]);
    expect(simulator.requests('stations')).toBe(3);
  });

  test('strikes only what names a station or a device', async () => {
    const { simulator, ask, look, stationId, deviceId } = await startSimulator({ stations: 2 });
    const [, other = ''] = simulator.stationIds;
    simulator.setFault('devices', { kind: 'status', status: 502, about: other });
    expect((await ask(PATHS.devices, { ...page, stationId })).status).toBe(200);
    expect((await ask(PATHS.devices, { ...page, stationId: other })).status).toBe(502);
    simulator.setFault('latest-state', { kind: 'status', status: 502, about: deviceId });
    expect((await look(PATHS.latestState, { deviceId })).status).toBe(502);
  });

  test('strikes until cleared, and only where it was set', async () => {
    const { simulator, ask, stationId } = await startSimulator();
    const devices = { ...page, stationId };
    simulator.setFault('devices', { kind: 'status', status: 502 });
    expect((await ask(PATHS.devices, devices)).status).toBe(502);
    expect((await ask(PATHS.stations, page)).status).toBe(200);
    simulator.setFault('devices', undefined);
    expect((await ask(PATHS.devices, devices)).status).toBe(200);
  });

  test('everywhere yields to an endpoint with a fault of its own', async () => {
    const { simulator, ask, stationId } = await startSimulator();
    const devices = { ...page, stationId };
    await ask(PATHS.stations, page);
    simulator.setFault('*', { kind: 'status', status: 503, times: 1 });
    simulator.setFault('devices', { kind: 'status', status: 502 });
    expect((await ask(PATHS.devices, devices)).status).toBe(502);
    expect((await ask(PATHS.stations, page)).status).toBe(503);
    expect((await ask(PATHS.stations, page)).status).toBe(200);
  });
});
