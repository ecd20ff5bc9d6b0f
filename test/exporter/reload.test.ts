import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { InstanceOptions } from '../../src/exporter/options.ts';
import { parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { Collection } from '../../src/collectors/collection.ts';
import { AccountStates } from '../../src/exporter/account-states.ts';
import { ReloadableInstance, type ReloadParts, type Reread } from '../../src/exporter/reload.ts';
import { SelfMetrics } from '../../src/metrics/self.ts';
import { deferred, settled } from '../support/deferred.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';

async function optionsOf(flags: Readonly<Record<string, string>> = {}): Promise<InstanceOptions> {
  const { config } = await parseConfig({
    flags: { 'base-url': 'http://127.0.0.1:9', ...flags },
    env: { SOLAR_ACCESS_TOKEN: 'planted' },
    readFile: () => '',
  });
  return config;
}

/** A reloadable instance that sends no requests, and its parts. */
async function createReloadable(changes: Partial<ReloadParts> = {}) {
  const log = new SilentLog();
  const self = new SelfMetrics();
  const reread = vi.fn<() => Promise<Reread>>(async () => ({ options: await optionsOf() }));
  const reloadWebConfig = vi.fn();
  const clock = new FakeClock();
  const instance = new ReloadableInstance({
    runtime: { clock, random: () => 0.5, newNonce: () => 'nonce' },
    build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
    log,
    self,
    states: new AccountStates({ directory: undefined, clock, log }),
    processMetrics: () => Promise.resolve(() => Promise.resolve('process_ 1\n')),
    reread,
    reloadWebConfig,
    ...changes,
  });
  onTestFinished(() => instance.close());
  await instance.use(await optionsOf());
  return { instance, log, self, reread, reloadWebConfig };
}

describe('a reloadable instance', () => {
  test('has no routes before its first configuration', () => {
    const instance = new ReloadableInstance({} as ReloadParts);
    expect([...instance.routes.keys()]).toEqual([]);
  });

  test('is not replaced when nothing changes', async () => {
    const { instance } = await createReloadable();
    const { routes } = instance;
    expect(routes.size).toBeGreaterThan(5);
    await instance.reload();
    expect(instance.routes).toBe(routes);
  });

  test('is replaced when something changes', async () => {
    const { instance, reread, log, self } = await createReloadable();
    const { routes } = instance;
    const onApplied = vi.fn(() => expect(instance.routes).not.toBe(routes));
    const options = await optionsOf({ 'cache.max-age': '1h' });
    reread.mockResolvedValueOnce({ options, onApplied });
    await instance.reload();
    expect(instance.routes).not.toBe(routes);
    expect(onApplied).toHaveBeenCalledOnce();
    expect(self.isLastReloadSuccessful).toBe(true);
    expect(log.messages('info')).toEqual(['configuration reloaded']);
  });

  test.each<
    [string, (parts: Awaited<ReturnType<typeof createReloadable>>) => Promise<void> | void]
  >([
    ['cannot be read', ({ reread }) => void reread.mockRejectedValueOnce(new ConfigError(['no']))],
    [
      'has an unusable web configuration',
      ({ reloadWebConfig }) =>
        void reloadWebConfig.mockImplementationOnce(() => {
          throw new ConfigError(['no']);
        }),
    ],
  ])('stays in use when the new configuration %s', async (_, spoil) => {
    const parts = await createReloadable();
    const { instance, self, reread, log } = parts;
    const { routes } = instance;
    const onApplied = vi.fn();
    reread.mockResolvedValue({ options: await optionsOf({ 'cache.max-age': '1h' }), onApplied });
    await spoil(parts);
    await expect(instance.reload()).rejects.toThrow(ConfigError);
    expect(instance.routes).toBe(routes);
    expect(onApplied).not.toHaveBeenCalled();
    expect(self.isLastReloadSuccessful).toBe(false);
    expect(log.messages('error')).toEqual(['configuration not reloaded: the one before goes on']);
    await instance.reload();
    expect(self.isLastReloadSuccessful).toBe(true);
  });

  test('leaves the web configuration alone when the rest cannot be used', async () => {
    const { instance, reread, reloadWebConfig } = await createReloadable();
    const options = await optionsOf({ 'app-id': 'app' });
    const { appSecretEncrypted } = { ...options, appSecretEncrypted: options.accessToken };
    reread.mockResolvedValueOnce({ options: { ...options, appSecretEncrypted } });
    await expect(instance.reload()).rejects.toThrow(ConfigError);
    expect(reloadWebConfig).not.toHaveBeenCalled();
  });

  test('keeps its session when a part of the new one cannot be loaded', async () => {
    const processMetrics = vi
      .fn<ReloadParts['processMetrics']>()
      .mockRejectedValueOnce(new Error('the module is gone'));
    const { instance, reread } = await createReloadable({ processMetrics });
    const { routes } = instance;
    const options = await optionsOf({ 'collect.process': 'true', 'request.timeout': '1s' });
    reread.mockResolvedValueOnce({ options });
    await expect(instance.reload()).rejects.toThrow('the module is gone');
    expect(instance.routes).toBe(routes);
  });
});

describe('many reloads at once', () => {
  test('are one, and one more for all calls after it had read the files', async () => {
    const { instance, reread, log } = await createReloadable();
    const reply = deferred<Reread>();
    reread.mockReturnValueOnce(reply.promise);
    const first = instance.reload();
    await settled();
    const others = Array.from({ length: 10 }, () => instance.reload());
    await settled();
    expect(reread).toHaveBeenCalledOnce();
    reply.resolve({ options: await optionsOf() });
    await Promise.all([first, ...others]);
    expect(reread).toHaveBeenCalledTimes(2);
    expect(log.messages('info')).toHaveLength(2);
  });

  test('continue after one that fails, and each call gets its own outcome', async () => {
    const { instance, reread } = await createReloadable();
    const reply = deferred<Reread>();
    reread.mockReturnValueOnce(reply.promise);
    const first = instance.reload();
    await settled();
    const second = instance.reload();
    reply.reject(new ConfigError(['no']));
    await expect(first).rejects.toThrow('no');
    await expect(second).resolves.toBeUndefined();
  });
});

test('a replaced instance is released', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { instance, reread } = await createReloadable();
  const replaced: WeakRef<object>[] = [];
  const adopt = vi
    .spyOn(Collection.prototype, 'adopt')
    .mockImplementation((previous) => void replaced.push(new WeakRef(previous)));
  onTestFinished(() => adopt.mockRestore());
  for (let round = 0; round < 20; round += 1) {
    replaced.push(new WeakRef(instance.routes));
    const changed = round % 2 === 0 ? 'cache.max-age' : 'request.timeout';
    const options = await optionsOf({ [changed]: `${round + 400}s` });
    reread.mockResolvedValueOnce({ options });
    await instance.reload();
  }
  reread.mockReset();
  adopt.mockReset();
  expect(replaced).toHaveLength(40);
  await eventually(() => {
    collectGarbage();
    expect(replaced.filter((part) => part.deref() !== undefined)).toEqual([]);
  });
});
