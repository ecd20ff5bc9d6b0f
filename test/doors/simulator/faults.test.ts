import { describe, expect, test } from 'vitest';
import { startSimulator } from './simulated-service.ts';

const PAGE = { body: { page: 1, count: 1 } };
const FAILING = { kind: 'reply', status: 502 } as const;

describe('a fault', () => {
  test('may be an honest answer, altered, or one that is large, and small on the wire', async () => {
    const { simulator, ask } = await startSimulator();
    const alter = (body: string, { path }: { path: string }) => body.replace('total', path);
    simulator.setFault('stations', { kind: 'altered', alter });
    expect((await ask('stations', PAGE)).text).toContain('"/apis/station/list":1');
    simulator.setFault('stations', { kind: 'oversize', bytes: 3e6, isZipped: true });
    const { text, headers } = await ask('stations', PAGE);
    expect(text.length).toBeGreaterThanOrEqual(3e6);
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  test('of dripping waits on the clock for every byte, and ends when the simulator stops', async () => {
    const { simulator, ask, clock } = await startSimulator();
    const sleptMs: number[] = [];
    clock.sleep = (durationMs) => {
      sleptMs.push(durationMs);
      return Promise.resolve();
    };
    simulator.setFault('stations', { kind: 'drip', intervalMs: 100 });
    const { code, text } = await ask('stations', PAGE);
    expect(code).toBe(0);
    expect(sleptMs).toEqual(new Array(text.length).fill(100));
    let stopped: Promise<void> | undefined;
    clock.sleep = () => (stopped ??= simulator.stop());
    simulator.setFault('stations', { kind: 'drip', intervalMs: 5 });
    await expect(ask('stations', PAGE)).rejects.toThrow();
  });
});

describe('setting faults', () => {
  test('strikes the next so many requests, or until it is cleared', async () => {
    const { simulator, ask } = await startSimulator();
    const status = async () => (await ask('stations', PAGE)).status;
    simulator.setFault('stations', { ...FAILING, times: 2 });
    expect([await status(), await status(), await status()]).toEqual([502, 502, 200]);
    simulator.setFault('stations', FAILING);
    expect([await status(), await status(), await status()]).toEqual([502, 502, 502]);
    simulator.setFault('stations', undefined);
    expect(await status()).toBe(200);
    expect(simulator.requests('stations')).toBe(7);
    // The log-in counts too.
    expect(simulator.requests()).toBe(8);
  });

  test('everywhere yields to an endpoint with a fault of its own', async () => {
    const { simulator, ask } = await startSimulator();
    await ask('stations', PAGE);
    simulator.setFault('*', { kind: 'reply', status: 503, times: 1 });
    simulator.setFault('devices', FAILING);
    expect(await ask('devices', PAGE)).toMatchObject({ status: 502 });
    expect(await ask('stations', PAGE)).toMatchObject({ status: 503 });
    expect(await ask('stations', PAGE)).toMatchObject({ status: 200 });
  });

  test('sleeps before every answer', async () => {
    const { ask, clock } = await startSimulator({ latencyMs: 250 });
    clock.sleep = (durationMs) => {
      clock.advance(durationMs);
      return Promise.resolve();
    };
    const before = clock.nowMs();
    await ask('stations', PAGE);
    expect(clock.nowMs() - before).toBe(2 * 250);
  });
});

test('the simulator takes its port again, is started once, and names no unknown ids', async () => {
  const { simulator, baseUrl, ask } = await startSimulator();
  await expect(simulator.start()).rejects.toThrow('running already');
  const answer = await ask('stations', PAGE);
  expect(answer.headers.get('x-simulated-service')).toBe('solar-exporter');
  expect(answer.headers.get('date')).toBe('Sun, 21 Jun 2026 04:00:00 GMT');
  await simulator.stop();
  expect(await simulator.start()).toBe(baseUrl);
  expect(() => simulator.deviceIds('1')).toThrow(RangeError);
  expect(() => simulator.truth('1', 0)).toThrow(RangeError);
  expect(() => simulator.setDeviceCount('1', 1)).toThrow(RangeError);
});
