import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AssemblyOptions } from '../src/assembly.ts';
import { parseConfig } from '../src/config/config.ts';
import { ConfigError } from '../src/errors.ts';
import { LiveAssembly, type LiveAssemblyParts, type Reread } from '../src/live-assembly.ts';
import { SelfMetrics } from '../src/metrics/self.ts';
import { deferred, settled } from './support/deferred.ts';
import { FakeClock } from './support/fake-clock.ts';
import { SilentLog } from './support/silent-log.ts';

async function optionsOf(flags: Readonly<Record<string, string>> = {}): Promise<AssemblyOptions> {
  const { config } = await parseConfig({
    flags: { 'base-url': 'http://127.0.0.1:9', ...flags },
    env: { SOLAR_ACCESS_TOKEN: 'planted' },
    readFile: () => '',
  });
  return config;
}

/** A live assembly that asks nobody, and what it is made of. */
async function createLive(changes: Partial<LiveAssemblyParts> = {}) {
  const log = new SilentLog();
  const self = new SelfMetrics();
  const reread = vi.fn<() => Promise<Reread>>(async () => ({ options: await optionsOf() }));
  const alsoReload = vi.fn();
  const live = new LiveAssembly({
    surroundings: { clock: new FakeClock(), random: () => 0.5, newNonce: () => 'nonce' },
    build: { version: '1.2.3', revision: 'test', nodeVersion: '20.0.0' },
    log,
    self,
    sessionFile: undefined,
    processMetrics: () => Promise.resolve(() => Promise.resolve('process_ 1\n')),
    reread,
    alsoReload,
    ...changes,
  });
  onTestFinished(() => live.close());
  await live.use(await optionsOf());
  return { live, log, self, reread, alsoReload };
}

describe('a live assembly', () => {
  test('has no routes before it is told what to use', () => {
    const live = new LiveAssembly({} as LiveAssemblyParts);
    expect([...live.routes.keys()]).toEqual([]);
  });

  test('stays the very same when nothing changes', async () => {
    const { live } = await createLive();
    const { routes } = live;
    expect(routes.size).toBeGreaterThan(5);
    await live.reload();
    expect(live.routes).toBe(routes);
  });

  test('is another one when something changes', async () => {
    const { live, reread, log, self } = await createLive();
    const { routes } = live;
    const wasTaken = vi.fn(() => expect(live.routes).not.toBe(routes));
    const options = await optionsOf({ 'cache.max-age': '1h' });
    reread.mockResolvedValueOnce({ options, wasTaken });
    await live.reload();
    expect(live.routes).not.toBe(routes);
    expect(wasTaken).toHaveBeenCalledOnce();
    expect(self.isLastReloadSuccessful).toBe(true);
    expect(log.messages('info')).toEqual(['configuration reloaded']);
  });

  test.each<[string, (parts: Awaited<ReturnType<typeof createLive>>) => Promise<void> | void]>([
    ['cannot be read', ({ reread }) => void reread.mockRejectedValueOnce(new ConfigError(['no']))],
    [
      'has a web configuration that is no good',
      ({ alsoReload }) =>
        void alsoReload.mockImplementationOnce(() => {
          throw new ConfigError(['no']);
        }),
    ],
  ])('goes on when the new one %s', async (_, spoil) => {
    const parts = await createLive();
    const { live, self, reread, log } = parts;
    const { routes } = live;
    const wasTaken = vi.fn();
    reread.mockResolvedValue({ options: await optionsOf({ 'cache.max-age': '1h' }), wasTaken });
    await spoil(parts);
    await expect(live.reload()).rejects.toThrow(ConfigError);
    expect(live.routes).toBe(routes);
    expect(wasTaken).not.toHaveBeenCalled();
    expect(self.isLastReloadSuccessful).toBe(false);
    expect(log.messages('error')).toEqual(['configuration not reloaded: the one before goes on']);
    await live.reload();
    expect(self.isLastReloadSuccessful).toBe(true);
  });

  test('leaves the web configuration alone when the rest cannot be used', async () => {
    const { live, reread, alsoReload } = await createLive();
    const options = await optionsOf({ 'app-id': 'app' });
    const { appSecretEncrypted } = { ...options, appSecretEncrypted: options.accessToken };
    reread.mockResolvedValueOnce({ options: { ...options, appSecretEncrypted } });
    await expect(live.reload()).rejects.toThrow(ConfigError);
    expect(alsoReload).not.toHaveBeenCalled();
  });

  test('goes on with its session when a part of the new one cannot be loaded', async () => {
    const processMetrics = vi
      .fn<LiveAssemblyParts['processMetrics']>()
      .mockRejectedValueOnce(new Error('the module is gone'));
    const { live, reread } = await createLive({ processMetrics });
    const { routes } = live;
    const options = await optionsOf({ 'collect.process': 'true', 'request.timeout': '1s' });
    reread.mockResolvedValueOnce({ options });
    await expect(live.reload()).rejects.toThrow('the module is gone');
    expect(live.routes).toBe(routes);
  });
});

describe('many reloads at once', () => {
  test('are one, and one more for all that came after it had read', async () => {
    const { live, reread, log } = await createLive();
    const reply = deferred<Reread>();
    reread.mockReturnValueOnce(reply.promise);
    const first = live.reload();
    await settled();
    const others = Array.from({ length: 10 }, () => live.reload());
    await settled();
    expect(reread).toHaveBeenCalledOnce();
    reply.resolve({ options: await optionsOf() });
    await Promise.all([first, ...others]);
    expect(reread).toHaveBeenCalledTimes(2);
    expect(log.messages('info')).toHaveLength(2);
  });

  test('go on after one that fails, and each hears how its own went', async () => {
    const { live, reread } = await createLive();
    const reply = deferred<Reread>();
    reread.mockReturnValueOnce(reply.promise);
    const first = live.reload();
    await settled();
    const second = live.reload();
    reply.reject(new ConfigError(['no']));
    await expect(first).rejects.toThrow('no');
    await expect(second).resolves.toBeUndefined();
  });
});

test('what was replaced is let go of', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { live, reread } = await createLive();
  const replaced: WeakRef<object>[] = [];
  for (let round = 0; round < 20; round += 1) {
    replaced.push(new WeakRef(live.routes));
    const changed = round % 2 === 0 ? 'cache.max-age' : 'request.timeout';
    const options = await optionsOf({ [changed]: `${round + 400}s` });
    reread.mockResolvedValueOnce({ options });
    await live.reload();
  }
  reread.mockReset();
  await vi.waitFor(() => {
    collectGarbage();
    expect(replaced.filter((routes) => routes.deref() !== undefined)).toEqual([]);
  }, 10_000);
});
