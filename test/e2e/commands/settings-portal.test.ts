import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { bodyOf, serve } from '../client/exchange/tiny-server.ts';
import { settled } from '../../support/deferred.ts';
import { type CommandRun, FakeProcess } from '../../commands/command-harness.ts';

const DEVICE = '100000000000000001';
const PRIORITY = {
  value: '1' as string | number,
  valueDisplay: 'SUB',
  unit: '',
  isWritableConfigAttribute: true,
  enumValues: [
    { id: '1', value: '0', text: 'USO' },
    { id: '2', value: '1', text: 'SUB' },
    { id: '3', value: '2', text: 'SBU' },
  ],
};
const CHARGE_CURRENT = { value: 60 as string | number, unit: 'A', min: 10, max: 80, step: 10 };
const LISTS: Readonly<Record<string, object>> = {
  'station/list': { code: 0, data: { list: [{ id: '7', name: 'House' }], total: 1 } },
  'device/list': {
    code: 0,
    data: { list: [{ id: DEVICE, name: 'Roof', model: 'R5' }], total: 1 },
  },
};
const FIRMWARE = { value: '0103', isHidden: true, isWritableConfigAttribute: false };

/** Starts a portal with one device (field notes 1.5, 2.8), and a process that reaches it. */
async function startPortal() {
  const shell = new FakeProcess();
  const portal = {
    settings: {
      priority: { ...PRIORITY },
      chargeCurrent: { ...CHARGE_CURRENT },
      firmware: FIRMWARE,
    } as Record<string, { value: string | number }>,
    asked: [] as string[],
    /** What the write of a setting is refused with, by its name. */
    refusals: new Map<string, number>(),
    /** How often a batch read is followed before it has ended. */
    pollsLeft: 3,
    batchStart: { code: 0, data: { id: 'batch-1', isFinished: false } } as object,
  };
  const url = await serve((request, response) => {
    void answer(request).then((payload) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(payload));
    });
  });

  async function answer(request: IncomingMessage): Promise<object> {
    const { pathname, searchParams } = new URL(request.url ?? '', url);
    const list = LISTS[pathname.replace('/apis/', '')];
    if (list !== undefined) return list;
    const name = pathname.replace('/apis/remote/device/', '');
    const text = String(await bodyOf(request));
    portal.asked.push(`${request.method ?? ''} ${name} ${text}`.trim());
    if (name === 'configs/read/details') return details(searchParams.get('batchReadId'));
    if (searchParams.get('deviceId') !== DEVICE) return { code: 20_101 };
    if (name === 'configs/cache/get') return { code: 0, data: portal.settings };
    if (name === 'configs/read') return portal.batchStart;
    const { key, value } = JSON.parse(text) as { key: string; value: string };
    const code = portal.refusals.get(key) ?? 0;
    const setting = portal.settings[key];
    if (code === 0 && setting !== undefined) setting.value = value;
    return { code };
  }

  function details(batchReadId: string | null): object {
    portal.pollsLeft -= 1;
    const isFinished = portal.pollsLeft <= 0;
    const states = isFinished ? { chargeCurrent: { ...CHARGE_CURRENT, value: 70 } } : null;
    return batchReadId === 'batch-1'
      ? { code: 0, data: { isFinished, configAttributeStates: states } }
      : { code: 20_101 };
  }

  shell.env = { SOLAR_BASE_URL: url, SOLAR_ACCESS_TOKEN: 'made-up' };
  const writes = () => portal.asked.filter((question) => question.includes('config/write'));
  return { shell, portal, writes };
}

/** Runs a command while the fake clock advances. */
async function runInTime(shell: FakeProcess, ...argv: readonly string[]): Promise<CommandRun> {
  let ended: CommandRun | undefined;
  const running = shell.run(...argv).then((run) => (ended = run));
  while (ended === undefined) {
    if (shell.clock.sleeperCount > 0) shell.clock.advance(2000);
    await settled();
  }
  return running;
}

const set = (...changes: readonly string[]) => ['settings', 'set', DEVICE, '--yes', ...changes];

describe('settings get from the portal', () => {
  test('shows labels with the raw values, units, and what is hidden', async () => {
    const { shell, portal } = await startPortal();
    expect(await shell.run('settings', 'get', DEVICE)).toEqual({
      status: 0,
      complaints: '',
      out: [
        'setting        value    unit  accepted',
        'priority       SUB (1)        USO (0), SUB (1), SBU (2)',
        'chargeCurrent  60       A     a number from 10 to 80 A in steps of 10',
        'firmware       0103           read only',
        '',
      ].join('\n'),
    });
    expect(portal.asked).toEqual([
      `POST configs/cache/get {"deviceId":"${DEVICE}"}`,
      'POST configs/cache/get {}',
    ]);
  });

  test('says where settings come from when the portal holds none', async () => {
    const { shell, portal } = await startPortal();
    portal.settings = {};
    expect(await shell.run('settings', 'get', DEVICE)).toEqual({
      status: 0,
      complaints:
        'solar-exporter: the service holds no settings of this device: it remembers them once the device was asked; --from-device asks it\n',
      out: 'setting  value  unit\n',
    });
  });
});

describe('settings get --from-device', () => {
  test('asks the inverter, waits for it, and says so', async () => {
    const { shell, portal } = await startPortal();
    const startedAtMs = shell.clock.nowMs();
    expect(await runInTime(shell, 'settings', 'get', DEVICE, '--from-device')).toEqual({
      status: 0,
      complaints: 'solar-exporter: asking the inverter itself; this takes up to a minute\n',
      out: 'setting        value  unit  accepted\nchargeCurrent  70     A     a number from 10 to 80 A in steps of 10\n',
    });
    expect(shell.clock.nowMs() - startedAtMs).toBe(6000);
    expect(portal.asked).toEqual([
      'POST configs/read {}',
      'GET configs/read/details',
      'GET configs/read/details',
      'GET configs/read/details',
    ]);
  });

  test('gives up after a minute', async () => {
    const { shell, portal } = await startPortal();
    portal.pollsLeft = 31;
    const { status, out, complaints } = await runInTime(
      ...([shell, 'settings', 'get', DEVICE, '--from-device'] as const),
    );
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toContain(
      `SERVICE_TIMEOUT: device ${DEVICE} has not reported its settings within 60 s`,
    );
  });

  test('asks for a minute of patience when the portal was asked a moment ago', async () => {
    const { shell, portal } = await startPortal();
    portal.batchStart = { code: 70_021, message: 'too often' };
    const { status, complaints } = await runInTime(
      ...([shell, 'settings', 'get', DEVICE, '--from-device'] as const),
    );
    expect(status).toBe(1);
    expect(complaints).toContain('code 70021');
    expect(complaints).toContain('wait a minute and try again');
  });

  test.each([
    { argv: ['readings'], command: 'readings' },
    { argv: ['serve'], command: 'serve' },
    { argv: [], command: 'serve' },
    { argv: ['settings', 'set', '1', 'a=b'], command: 'settings set' },
  ])('is refused by $command', async ({ argv, command }) => {
    const { shell, portal } = await startPortal();
    const { status, complaints } = await shell.run(...argv, '--from-device');
    expect(status).toBe(2);
    expect(complaints).toContain(
      `solar-exporter: --from-device belongs to settings get; ${command} does not take it\n`,
    );
    expect(portal.asked).toEqual([]);
  });
});

describe('settings set on the portal', () => {
  test('takes labels and values, writes each, and reads back by value', async () => {
    const { shell, portal, writes } = await startPortal();
    const { status, out, complaints } = await shell.run(...set('priority=sbu', 'chargeCurrent=70'));
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toBe(
      [
        'setting        old      new',
        'priority       SUB (1)  SBU (2)',
        'chargeCurrent  60       70',
        'Done: the device reports the new values.',
        '',
      ].join('\n'),
    );
    expect(writes()).toEqual([
      `POST config/write {"id":"${DEVICE}","key":"priority","value":"2"}`,
      `POST config/write {"id":"${DEVICE}","key":"chargeCurrent","value":"70"}`,
    ]);
    expect(portal.settings['chargeCurrent']?.value).toBe('70');
  });

  test.each(['priority=SUB', 'priority=1', 'chargeCurrent=60'])(
    'has nothing to do for %s, which the device has already',
    async (change) => {
      const { shell, writes } = await startPortal();
      const { status, out } = await shell.run(...set(change));
      expect({ status, out }).toEqual({
        status: 0,
        out: 'Nothing to change: the device has these values already.\n',
      });
      expect(writes()).toEqual([]);
    },
  );

  test.each([
    {
      change: 'priority=BUS',
      problem: 'priority: "BUS" is not accepted; accepted: USO (0), SUB (1), SBU (2)',
    },
    {
      change: 'chargeCurrent=85',
      problem:
        'chargeCurrent: "85" is not accepted; accepted: a number from 10 to 80 A in steps of 10',
    },
    { change: 'firmware=0104', problem: 'firmware: the device does not let it be changed' },
  ])('refuses $change', async ({ change, problem }) => {
    const { shell, writes } = await startPortal();
    const { status, complaints } = await shell.run(...set(change));
    expect({ status, complaints }).toEqual({
      status: 2,
      complaints: `solar-exporter: ${problem}\n`,
    });
    expect(writes()).toEqual([]);
  });

  test('writes nothing at all when one of the settings is unknown', async () => {
    const { shell, writes } = await startPortal();
    const { status, complaints } = await shell.run(...set('chargeCurrent=70', 'chargeCurent=1'));
    expect(status).toBe(2);
    expect(complaints).toContain(
      '"chargeCurent": the device has no such setting; did you mean chargeCurrent?',
    );
    expect(writes()).toEqual([]);
  });

  test('names a setting that the service refuses although it lists it', async () => {
    const { shell, portal } = await startPortal();
    portal.refusals.set('priority', 70_134);
    const { status, complaints } = await shell.run(...set('chargeCurrent=70', 'priority=SBU'));
    expect(status).toBe(1);
    expect(complaints).toContain(
      'this device has no setting priority (code 70134); written: chargeCurrent; not written: priority\n',
    );
  });

  test('writes under the key for writing, and reads back under the one for reading', async () => {
    const { shell, portal, writes } = await startPortal();
    const read = { ...PRIORITY, enumValues: [], isWritableConfigAttribute: false };
    portal.settings = {
      outputSourcePriority: read,
      settingDeviceOutputSourcePriority: {
        ...PRIORITY,
        get value() {
          return '';
        },
        set value(written: string) {
          read.value = written;
        },
      },
    };
    const { status, out } = await shell.run(...set('outputSourcePriority=SBU'));
    expect(out).toContain('outputSourcePriority  SUB (1)  SBU (2)\n');
    expect({ status, written: writes() }).toEqual({
      status: 0,
      written: [
        `POST config/write {"id":"${DEVICE}","key":"settingDeviceOutputSourcePriority","value":"2"}`,
      ],
    });
  });

  test('asks the inverter first when the portal remembers nothing of it', async () => {
    const { shell, portal, writes } = await startPortal();
    portal.settings = {};
    const run = await runInTime(shell, ...set('chargeCurrent=75'));
    expect(run).toEqual({
      status: 2,
      out: '',
      complaints:
        'solar-exporter: asking the inverter itself; this takes up to a minute\n' +
        'solar-exporter: chargeCurrent: "75" is not accepted; accepted: a number from 10 to 80 A in steps of 10\n',
    });
    expect(writes()).toEqual([]);
  });

  test('asks the inverter when the portal goes on remembering the old value', async () => {
    const { shell, portal } = await startPortal();
    Object.freeze(portal.settings['chargeCurrent']);
    portal.settings = new Proxy(portal.settings, {
      get: (settings, key: string) => ({ ...settings[key] }),
    });
    const { status, out, complaints } = await runInTime(shell, ...set('chargeCurrent=70'));
    expect(complaints).toBe(
      'solar-exporter: asking the inverter itself; this takes up to a minute\n',
    );
    expect(out).toContain('Done: the device reports the new values.\n');
    expect(status).toBe(0);
  });

  test('says so when the inverter could not be asked afterwards', async () => {
    const { shell, portal } = await startPortal();
    portal.batchStart = { code: 70_021 };
    Object.freeze(portal.settings['priority']);
    portal.settings = new Proxy(portal.settings, {
      get: (settings, key: string) => ({ ...settings[key] }),
    });
    const { status, out, complaints } = await runInTime(shell, ...set('priority=SBU'));
    expect(status).toBe(1);
    expect(complaints).toContain('solar-exporter: the inverter could not be asked: ');
    expect(out).toContain('but the device still reports other values:\n');
  });

  test('takes the name of the device', async () => {
    const { shell, writes } = await startPortal();
    const { status } = await shell.run('settings', 'set', 'roof', '--yes', 'chargeCurrent=70');
    expect(status).toBe(0);
    expect(writes()).toHaveLength(1);
  });

  test('stops at the first setting that is refused', async () => {
    const { shell, portal, writes } = await startPortal();
    portal.refusals.set('priority', 71_000);
    const { status, complaints } = await shell.run(...set('priority=USO', 'chargeCurrent=70'));
    expect(status).toBe(1);
    expect(complaints).toContain('the device is offline; not written: priority, chargeCurrent\n');
    expect(writes()).toHaveLength(1);
  });

  test('fails when the device still reports other values afterwards', async () => {
    const { shell, portal } = await startPortal();
    Object.freeze(portal.settings['priority']);
    portal.settings = new Proxy(portal.settings, {
      get: (settings, key: string) => ({ ...settings[key] }),
    });
    const { status, out } = await runInTime(shell, ...set('priority=SBU'));
    expect(status).toBe(1);
    expect(out).toMatch(/setting +reported +wanted\npriority +SUB \(1\) +SBU \(2\)\n$/);
  });
});
