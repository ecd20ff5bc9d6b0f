import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { settled } from '../../support/deferred.ts';
import { type CommandRun, FakeProcess, startProcess } from './fake-process.ts';

describe('settings get', () => {
  test('prints every setting of a device', async () => {
    const { shell } = await startProcess();
    expect(await shell.run('settings', 'get', 'INVERTER 1')).toEqual({
      status: 0,
      complaints: '',
      out: [
        'setting              value        unit',
        'operatingMode        Self-Use',
        'batteryPriority      Solar First',
        'gridChargingEnabled  false',
        'gridFeedInEnabled    true',
        'backupModeEnabled    false',
        'maxChargingCurrent   60',
        '',
      ].join('\n'),
    });
  });

  test('--json prints one document', async () => {
    const { shell, stationId, deviceId } = await startProcess();
    const { status, out } = await shell.run('settings', 'get', deviceId, '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      stationId,
      deviceId,
      settings: expect.arrayContaining([
        { key: 'operatingMode', value: 'Self-Use' },
        { key: 'gridChargingEnabled', value: false },
      ]) as unknown,
    });
  });
});

describe('settings set', () => {
  const MODE = 'operatingMode=Backup';

  test('--yes shows the change, writes it once and reads it back', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    const changes = [MODE, 'gridChargingEnabled=true', 'gridFeedInEnabled=true'];
    const ran = await shell.run('settings', 'set', deviceId, '--yes', ...changes);
    expect(ran).toEqual({
      status: 0,
      complaints: '',
      out: [
        'setting              old       new',
        'operatingMode        Self-Use  Backup',
        'gridChargingEnabled  false     true',
        'Done: the device reports the new values.',
        '',
      ].join('\n'),
    });
    expect(simulator.requests('settings-set')).toBe(1);
    const { out: after } = await shell.run('settings', 'get', deviceId);
    expect(after).toMatch(/operatingMode +Backup\n(.*\n)*gridChargingEnabled +true\n/);
  });

  test.each([
    ...['y', 'Y', 'yes', ' YES '].map((answer) => ({ answer, says: 'Done', writes: 1 })),
    ...['n', '', 'no', 'yep', 'q'].map((answer) => ({
      ...{ answer, says: 'Nothing was changed.', writes: 0 },
    })),
  ])('takes the answer $answer for what it is', async ({ answer, says, writes }) => {
    const { shell, simulator, deviceId } = await startProcess();
    shell.answer = answer;
    const { status, out } = await shell.run('settings', 'set', deviceId, MODE);
    expect(status).toBe(0);
    expect(out).toContain(says);
    expect(shell.questions).toEqual(['Write this to device Inverter 1? [y/N] ']);
    expect(simulator.requests('settings-set')).toBe(writes);
  });

  const NO_CHANGE = (word: string): string =>
    `"${word}": is no change of a setting; accepted: key=value, such as operatingMode=Backup; put words with blanks into quotes`;
  test.each([
    {
      words: [MODE],
      says: [
        'settings set asks before it writes, and there is no terminal to ask at; accepted: --yes, which writes without asking',
      ],
    },
    {
      words: ['--yes', 'gridChargingEnabled', 'nonsense'],
      says: [NO_CHANGE('gridChargingEnabled'), NO_CHANGE('nonsense')],
    },
    { words: ['operatingMode'], says: [NO_CHANGE('operatingMode')] },
  ])('refuses $words before it sends a request', async ({ words, says }) => {
    const { shell, simulator } = await startProcess();
    expect(await shell.run('settings', 'set', 'Inverter 1', ...words)).toEqual({
      status: 2,
      out: '',
      complaints: says.map((line) => `solar-exporter: ${line}\n`).join(''),
    });
    expect(simulator.requests()).toBe(0);
  });

  test.each([
    {
      changes: ['operatingMode=Self-Use', 'maxChargingCurrent=60'],
      ends: { status: 0, out: 'Nothing to change: the device has these values already.\n' },
    },
    {
      changes: [MODE, 'operatingMod=Backup'],
      ends: {
        status: 2,
        complaints:
          'solar-exporter: "operatingMod": the device has no such setting; did you mean operatingMode? accepted: a key or a name that solar-exporter settings get prints\n',
      },
    },
  ])('writes nothing for $changes', async ({ changes, ends }) => {
    const { shell, simulator, deviceId } = await startProcess();
    shell.answer = 'y';
    expect(await shell.run('settings', 'set', deviceId, ...changes)).toMatchObject(ends);
    expect(shell.questions).toEqual([]);
    expect(simulator.requests('settings-set')).toBe(0);
  });

  test('fails when the device still reports other values afterwards', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    simulator.setFault('settings-set', { kind: 'data-null' });
    const { status, out } = await shell.run('settings', 'set', deviceId, '--yes', MODE);
    expect(status).toBe(1);
    expect(out).toContain('but the device still reports other values:');
    expect(out).toMatch(/setting +reported +wanted\noperatingMode +Self-Use +Backup\n$/);
  });

  test('does not write again when the answer to the first write is lost', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    simulator.setFault('settings-set', { kind: 'reset' });
    const { status, complaints } = await shell.run('settings', 'set', deviceId, '--yes', MODE);
    expect(status).toBe(1);
    expect(complaints).toContain('SERVICE_UNREACHABLE');
    expect(simulator.requests('settings-set')).toBe(1);
  });
});

const DEVICE = '100000000000000001';
const PRIORITY = {
  value: '1' as string | number,
  valueDisplay: 'SUB',
  unit: '',
  isWritableConfigAttribute: true,
  enumValues: ['USO', 'SUB', 'SBU'].map((label, id) => ({ id, value: String(id), text: label })),
};
const CHARGE_CURRENT = { value: 60 as string | number, unit: 'A', min: 10, max: 80, step: 10 };
const LISTS: Readonly<Record<string, object>> = {
  'station/list': { code: 0, data: { list: [{ id: '7', name: 'House' }], total: 1 } },
  'device/list': { code: 0, data: { list: [{ id: DEVICE, name: 'Roof', model: 'R5' }], total: 1 } },
};
const FIRMWARE = { value: '0103', isHidden: true, isWritableConfigAttribute: false };
const ASKING = 'solar-exporter: asking the inverter itself; this takes up to a minute\n';
const CURRENTS = 'a number from 10 to 80 A in steps of 10';

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
    /** Whether what is written is forgotten at once. */
    isForgetful: false,
    /** How often a batch read is followed before it has ended. */
    pollsLeft: 3,
    batchStart: { code: 0, data: { id: 'batch-1', isFinished: false } } as object,
  };

  async function answer(request: IncomingMessage): Promise<object> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://portal');
    const list = LISTS[pathname.replace('/apis/', '')];
    if (list !== undefined) return list;
    const name = pathname.replace('/apis/remote/device/', '');
    const body = await text(request);
    portal.asked.push(`${request.method ?? ''} ${name} ${body}`.trim());
    if (name === 'configs/read/details') return details(searchParams.get('batchReadId'));
    if (searchParams.get('deviceId') !== DEVICE) return { code: 20_101 };
    if (name === 'configs/cache/get') return { code: 0, data: portal.settings };
    if (name === 'configs/read') return portal.batchStart;
    const { key, value } = JSON.parse(body) as { key: string; value: string };
    const code = portal.refusals.get(key) ?? 0;
    const setting = portal.settings[key];
    if (code === 0 && setting !== undefined && !portal.isForgetful) setting.value = value;
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

  const server = createServer((request, response) => {
    void answer(request).then((payload) => response.end(JSON.stringify(payload)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  shell.env = { SOLAR_BASE_URL: `http://127.0.0.1:${port}`, SOLAR_ACCESS_TOKEN: 'made-up' };
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

const GET = ['settings', 'get', DEVICE] as const;
const set = (...changes: readonly string[]) => ['settings', 'set', 'roof', '--yes', ...changes];

describe('settings get from the portal', () => {
  test('shows labels with the raw values, units, and what is hidden', async () => {
    const { shell, portal } = await startPortal();
    expect(await shell.run(...GET)).toEqual({
      status: 0,
      complaints: '',
      out: [
        'setting        value    unit  accepted',
        'priority       SUB (1)        USO (0), SUB (1), SBU (2)',
        `chargeCurrent  60       A     ${CURRENTS}`,
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
    expect(await shell.run(...GET)).toEqual({
      status: 0,
      complaints:
        'solar-exporter: the service holds no settings of this device: it remembers them once the device was asked; --from-device asks it\n',
      out: 'setting  value  unit\n',
    });
  });

  test('asks the inverter itself if it is told to, waits for it, and says so', async () => {
    const { shell, portal } = await startPortal();
    const startedAtMs = shell.clock.nowMs();
    expect(await runInTime(shell, ...GET, '--from-device')).toEqual({
      status: 0,
      complaints: ASKING,
      out: `setting        value  unit  accepted\nchargeCurrent  70     A     ${CURRENTS}\n`,
    });
    expect(shell.clock.nowMs() - startedAtMs).toBe(6000);
    const poll = 'GET configs/read/details';
    expect(portal.asked).toEqual(['POST configs/read {}', poll, poll, poll]);
  });

  test.each([
    {
      when: 'after a minute',
      portal: { pollsLeft: 31 },
      says: [`SERVICE_TIMEOUT: device ${DEVICE} has not reported its settings within 60 s`],
    },
    {
      when: 'when the portal was asked a moment ago',
      portal: { batchStart: { code: 70_021, message: 'too often' } },
      says: ['code 70021', 'wait a minute and try again'],
    },
  ])('gives up $when', async ({ portal: changes, says }) => {
    const { shell, portal } = await startPortal();
    Object.assign(portal, changes);
    const { status, out, complaints } = await runInTime(shell, ...GET, '--from-device');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    for (const words of says) expect(complaints).toContain(words);
  });
});

describe('settings set on the portal', () => {
  const write = (key: string, value: string): string =>
    `POST config/write {"id":"${DEVICE}","key":"${key}","value":"${value}"}`;

  test('takes labels and values, writes each, and reads back by value', async () => {
    const { shell, writes } = await startPortal();
    expect(await shell.run(...set('priority=sbu', 'chargeCurrent=70'))).toEqual({
      status: 0,
      complaints: '',
      out: [
        'setting        old      new',
        'priority       SUB (1)  SBU (2)',
        'chargeCurrent  60       70',
        'Done: the device reports the new values.',
        '',
      ].join('\n'),
    });
    expect(writes()).toEqual([write('priority', '2'), write('chargeCurrent', '70')]);
  });

  const HAS_IT = 'Nothing to change: the device has these values already.\n';
  const refused = (...changes: readonly string[]) => ({ changes, status: 2, out: '' });
  test.each([
    ...['priority=SUB', 'priority=1', 'chargeCurrent=60'].map((change) => ({
      ...{ changes: [change], status: 0, out: HAS_IT, complaints: '' },
    })),
    {
      ...refused('priority=BUS'),
      complaints: 'priority: "BUS" is not accepted; accepted: USO (0), SUB (1), SBU (2)',
    },
    {
      ...refused('chargeCurrent=85'),
      complaints: `chargeCurrent: "85" is not accepted; accepted: ${CURRENTS}`,
    },
    {
      ...refused('firmware=0104'),
      complaints: 'firmware: the device does not let it be changed',
    },
    {
      ...refused('chargeCurrent=70', 'chargeCurent=1'),
      complaints:
        '"chargeCurent": the device has no such setting; did you mean chargeCurrent? accepted: a key or a name that solar-exporter settings get prints',
    },
  ])('writes nothing for $changes', async ({ changes, status, out, complaints }) => {
    const { shell, writes } = await startPortal();
    const said = complaints === '' ? '' : `solar-exporter: ${complaints}\n`;
    expect(await shell.run(...set(...changes))).toEqual({ status, out, complaints: said });
    expect(writes()).toEqual([]);
  });

  test.each([
    {
      code: 70_134,
      changes: ['chargeCurrent=70', 'priority=SBU'],
      says: 'this device has no setting priority (code 70134); written: chargeCurrent; not written: priority\n',
      written: 2,
    },
    {
      code: 71_000,
      changes: ['priority=USO', 'chargeCurrent=70'],
      says: 'the device is offline; not written: priority, chargeCurrent\n',
      written: 1,
    },
  ])('stops at the first setting that is refused with $code', async (row) => {
    const { shell, portal, writes } = await startPortal();
    portal.refusals.set('priority', row.code);
    const { status, complaints } = await shell.run(...set(...row.changes));
    expect(status).toBe(1);
    expect(complaints).toContain(row.says);
    expect(writes()).toHaveLength(row.written);
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
    expect(status).toBe(0);
    expect(writes()).toEqual([write('settingDeviceOutputSourcePriority', '2')]);
  });

  test('asks the inverter first when the portal remembers nothing of it', async () => {
    const { shell, portal, writes } = await startPortal();
    portal.settings = {};
    expect(await runInTime(shell, ...set('chargeCurrent=75'))).toEqual({
      status: 2,
      out: '',
      complaints: `${ASKING}solar-exporter: chargeCurrent: "75" is not accepted; accepted: ${CURRENTS}\n`,
    });
    expect(writes()).toEqual([]);
  });

  test.each([
    { change: 'chargeCurrent=70', status: 0, prints: /Done: the device reports the new values/ },
    {
      change: 'priority=SBU',
      status: 1,
      prints: /still reports other values:\nsetting +reported +wanted\npriority +SUB \(1\) +SBU/,
    },
    {
      change: 'priority=SBU',
      batchStart: { code: 70_021 },
      status: 1,
      prints: /but the device still reports other values:\n/,
      says: 'solar-exporter: the inverter could not be asked: ',
    },
  ])(
    'asks the inverter when the portal goes on remembering the old value: $change, $status',
    async ({ change, status, prints, says = '', ...changes }) => {
      const { shell, portal } = await startPortal();
      Object.assign(portal, { isForgetful: true }, changes);
      const ran = await runInTime(shell, ...set(change));
      expect(ran.status).toBe(status);
      expect(ran.out).toMatch(prints);
      expect(ran.complaints.startsWith(ASKING + says), ran.complaints).toBe(true);
    },
  );
});
