import { describe, expect, test } from 'vitest';
import { DEVICE_ID, type PortalAnswer, type Script } from '../scripted-service.ts';
import {
  type CommandRun,
  done,
  refused,
  startProcess,
  startScriptedProcess,
} from './fake-process.ts';

const CHARGE_CURRENT = { value: 60, name: 'Current', unit: 'A', min: 10, max: 80, step: 10 };
const FROM_DEVICE = { chargeCurrent: { ...CHARGE_CURRENT, value: 70 } };
const ASKING = 'solar-exporter: asking the inverter itself; this takes up to a minute\n';
const CURRENTS = 'a number from 10 to 80 A in steps of 10';
const NOTHING: Script = { settingsGet: { data: {} } };
const TOO_OFTEN = { envelope: { code: 70_021, message: 'too often' } };

/** Settings of a device, of which one is written under another key than it is read under. */
const portalSettings = () => ({
  priority: { value: '1' as unknown },
  setPriority: {
    value: '',
    isWritableConfigAttribute: true,
    enumValues: ['USO', 'SUB', 'SBU'].map((label, id) => ({ id, value: String(id), text: label })),
  },
  chargeCurrent: { ...CHARGE_CURRENT, value: 60 as unknown },
  firmware: { value: '0103', isWritableConfigAttribute: false },
  buzzer: { value: '1', isHidden: true },
});

/** Starts a process before a portal with one device, which is asked in its query (service.md#settings). */
async function startPortal(script: Script = {}) {
  const settings = portalSettings();
  let polls = 0;
  const started = await startScriptedProcess({
    settingsGet: ({ query }) =>
      query.get('deviceId') === DEVICE_ID ? { data: settings } : { envelope: { code: 20_101 } },
    settingsSet: ({ body }) => {
      const written = body['key'] === 'setPriority' ? settings.priority : settings.chargeCurrent;
      written.value = body['value'];
      return { data: null };
    },
    settingsRead: { data: { id: 'batch-1', isFinished: false } },
    settingsReadDetails: ({ query }) => ({
      data: {
        isFinished: query.get('batchReadId') === 'batch-1' && (polls += 1) === 3,
        configAttributeStates: polls === 3 ? FROM_DEVICE : null,
      },
    }),
    ...script,
  });
  return { ...started, writes: () => started.asked('settingsSet').map(({ body }) => body) };
}

const GET = ['settings', 'get', DEVICE_ID] as const;
const set = (...changes: readonly string[]) => ['settings', 'set', DEVICE_ID, '--yes', ...changes];

test('settings are printed, changed at once, and read back from the service', async () => {
  const { shell, simulator, stationId, deviceId } = await startProcess();
  expect(await shell.run('settings', 'get', 'INVERTER 1')).toEqual(
    done(`setting              value        unit
operatingMode        Self-Use
batteryPriority      Solar First
gridChargingEnabled  false
gridFeedInEnabled    true
backupModeEnabled    false
maxChargingCurrent   60
`),
  );
  const changes = ['operatingMode=Backup', 'gridChargingEnabled=true', 'gridFeedInEnabled=true'];
  expect(await shell.run('settings', 'set', deviceId, '--yes', ...changes)).toEqual(
    done(`setting              old       new
operatingMode        Self-Use  Backup
gridChargingEnabled  false     true
Done: the device reports the new values.
`),
  );
  expect(simulator.requests('settings-set')).toBe(1);
  const { out } = await shell.run('settings', 'get', deviceId, '--json');
  expect(JSON.parse(out)).toMatchObject({
    stationId,
    deviceId,
    settings: expect.arrayContaining([
      { key: 'operatingMode', value: 'Backup' },
      { key: 'gridChargingEnabled', value: true },
    ]) as unknown,
  });
});

describe('settings set on a device with bare values', () => {
  const MODE = 'operatingMode=Backup';
  const DOUBT =
    'operatingMode, maxChargingCurrent cannot be judged: no limits or choices are known.';
  const HELD = { operatingMode: 'Self-Use', gridChargingEnabled: false, maxChargingCurrent: 60 };

  test.each([
    ['--yes', undefined, false],
    ['--force', undefined, false],
    ['--yes --force', undefined, true],
    ['--yes', 'n', true],
    ['', 'y', true],
    ['', ' YES ', true],
    ['', '', false],
    ['', 'yep', false],
    ['', 'nay', false],
  ])('writes what cannot be judged with "%s" at the answer "%s": %s', async (...row) => {
    const [flags, answer, isWritten] = row;
    const { shell, writes } = await startPortal({ settingsGet: { data: HELD } });
    shell.answer = answer;
    const changes = ['operatingMode=Turbo', 'gridChargingEnabled=true', 'maxChargingCurrent=500'];
    const words = ['settings', 'set', DEVICE_ID, ...flags.split(' ').filter(Boolean), ...changes];
    const { status, out, complaints } = await shell.run(...words);
    expect(writes()).toHaveLength(isWritten ? 1 : 0);
    const question = `${DOUBT} Write this to device Garage inverter? [y/N] `;
    expect(shell.questions).toEqual(flags === '' ? [question] : []);
    if (flags === '') expect(out.includes('Nothing was changed.\n')).toBe(!isWritten);
    else if (isWritten) expect(complaints).toContain(DOUBT);
    else expect(status).toBe(2);
    if (flags === '--yes' && !isWritten)
      expect(complaints).toBe(
        `solar-exporter: ${DOUBT} Accepted: --force, which writes it all the same\n`,
      );
  });

  const NO_CHANGE =
    '"nonsense": is no change of a setting; accepted: key=value, such as operatingMode=Backup; put words with blanks into quotes';
  const NOBODY =
    'settings set asks before it writes, and there is no terminal to ask at; accepted: --yes, which writes without asking';
  test('refuses before it sends a request', async () => {
    const { shell, requests } = await startPortal();
    expect(await shell.run('settings', 'set', '1', 'nonsense')).toEqual(refused(NO_CHANGE));
    expect(await shell.run('settings', 'set', '1', MODE)).toEqual(refused(NOBODY));
    expect(requests).toEqual([]);
  });

  test('fails when the device still reports other values afterwards', async () => {
    const { shell } = await startPortal({ settingsGet: { data: HELD } });
    shell.answer = 'y';
    const { status, out, complaints } = await shell.run('settings', 'set', DEVICE_ID, MODE);
    expect(shell.questions).toEqual(['Write this to device Garage inverter? [y/N] ']);
    expect({ status, complaints }).toEqual({ status: 1, complaints: '' });
    expect(out).toContain('but the device still reports other values:');
    expect(out).toMatch(/setting +reported +wanted\noperatingMode +Self-Use +Backup\n$/);
  });

  test('does not write again when the answer to the first write is lost', async () => {
    const script: Script = { settingsGet: { data: HELD }, settingsSet: 'hang up' };
    const { shell, writes } = await startPortal(script);
    const { status, complaints } = await shell.run(...set(MODE));
    expect(status).toBe(1);
    expect(complaints).toContain('SERVICE_UNREACHABLE');
    expect(writes()).toHaveLength(1);
  });
});

describe('settings get from the portal', () => {
  test('shows labels with the raw values, units, and what is hidden', async () => {
    const { shell, asked } = await startPortal();
    expect(await shell.run(...GET)).toEqual(
      done(`setting        name     value    unit  accepted
priority                SUB (1)        USO (0), SUB (1), SBU (2)
chargeCurrent  Current  60       A     ${CURRENTS}
firmware                0103           read only
buzzer                  1              hidden by the portal
`),
    );
    expect(asked('settingsGet').map(({ body }) => body)).toEqual([{ deviceId: DEVICE_ID }, {}]);
  });

  test('says where settings come from when the portal holds none', async () => {
    const { shell } = await startPortal(NOTHING);
    expect(await shell.run(...GET)).toEqual({
      ...done('setting  value  unit\n'),
      complaints:
        'solar-exporter: the service holds no settings of this device: it remembers them once the device was asked; --from-device asks it\n',
    });
  });

  test('asks the inverter itself if it is told to, waits for it, and says so', async () => {
    const { shell, requests } = await startPortal();
    const startedAtMs = shell.clock.nowMs();
    expect(await shell.runInTime(...GET, '--from-device')).toEqual({
      ...done(
        `setting        name     value  unit  accepted\nchargeCurrent  Current  70     A     ${CURRENTS}\n`,
      ),
      complaints: ASKING,
    });
    expect(shell.clock.nowMs() - startedAtMs).toBe(6000);
    const asked = requests.map(({ endpoint }) => endpoint).filter((name) => /setting/.test(name));
    expect(asked).toEqual(['settingsRead', ...Array<string>(3).fill('settingsReadDetails')]);
  });

  test('gives up when the inverter does not answer', async () => {
    const { shell } = await startPortal({ settingsReadDetails: { data: { isFinished: false } } });
    const { status, out, complaints } = await shell.runInTime(...GET, '--from-device');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(complaints).toContain(
      `SERVICE_TIMEOUT: device ${DEVICE_ID} has not reported its settings within 60 s`,
    );
  });
});

describe('settings set on the portal', () => {
  const write = (key: string, value: string) => ({ id: DEVICE_ID, key, value });

  test('takes labels and values, writes by key and reads back by value', async () => {
    const { shell, writes } = await startPortal();
    expect(await shell.run(...set('priority=sbu', 'chargeCurrent=70'))).toEqual(
      done(`setting        old      new
priority       SUB (1)  SBU (2)
chargeCurrent  60       70
Done: the device reports the new values.
`),
    );
    expect(writes()).toEqual([write('setPriority', '2'), write('chargeCurrent', '70')]);
  });

  test.each<[changes: readonly string[], ends: CommandRun]>([
    [['priority=SUB'], done('Nothing to change: the device has these values already.\n')],
    [
      ['priority=SBU', 'chargeCurrent=85', 'chargeCurent=1'],
      refused(
        `chargeCurrent: "85" is not accepted; accepted: ${CURRENTS}`,
        '"chargeCurent": the device has no such setting; did you mean chargeCurrent? accepted: a key or a name that solar-exporter settings get prints',
      ),
    ],
  ])('writes nothing for %j, and does not ask', async (changes, ends) => {
    const { shell, writes } = await startPortal();
    shell.answer = 'y';
    expect(await shell.run('settings', 'set', 'SN0001', ...changes)).toEqual(ends);
    expect(shell.questions).toEqual([]);
    expect(writes()).toEqual([]);
  });

  test('stops at the first setting that is refused', async () => {
    const { shell, writes } = await startPortal({
      settingsSet: ({ body }) => ({
        envelope: { code: body['key'] === 'setPriority' ? 70_134 : 0 },
      }),
    });
    const { status, complaints } = await shell.run(...set('chargeCurrent=70', 'priority=SBU'));
    expect(status).toBe(1);
    expect(complaints).toContain('(code 70134); written: chargeCurrent; not written: priority\n');
    expect(writes()).toHaveLength(2);
  });

  test('asks the inverter first when the portal remembers nothing of it', async () => {
    const { shell, writes } = await startPortal(NOTHING);
    const ran = await shell.runInTime(...set('chargeCurrent=75'));
    expect(ran.complaints).toMatch(new RegExp(`^${ASKING}.*accepted: ${CURRENTS}\\n$`));
    expect(ran.status).toBe(2);
    expect(writes()).toEqual([]);
  });

  test.each<[answer: PortalAnswer, written: object[]]>([
    [{ status: 404 }, [{ deviceId: DEVICE_ID, operatingMode: 'Backup' }]],
    [{ envelope: { code: 71_000, message: 'offline' } }, []],
  ])('takes the specified ones where no inverter can be asked: %j', async (answer, written) => {
    const { shell, writes } = await startPortal({ ...NOTHING, settingsRead: answer });
    expect((await shell.run(...set('operatingMode=Backup'))).status).toBe(1);
    expect(writes()).toEqual(written);
  });

  test.each<[change: string, status: number, says: RegExp, script: Script]>([
    ['chargeCurrent=70', 0, /Done: the device reports the new values/, {}],
    ['priority=SBU', 1, /other values:\nsetting +reported +wanted\npriority +SUB \(1\) +SBU/, {}],
    [
      'priority=SBU',
      1,
      /other values:\n[^]*inverter could not be asked: /,
      { settingsRead: TOO_OFTEN },
    ],
  ])(
    'asks the inverter when the portal keeps the old value: %s, %i, %s',
    async (change, status, says, script) => {
      const { shell } = await startPortal({ settingsSet: { data: null }, ...script });
      const ran = await shell.runInTime(...set(change));
      expect(ran.status).toBe(status);
      expect(ran.out + ran.complaints).toMatch(says);
      expect(ran.complaints.startsWith(ASKING), ran.complaints).toBe(true);
    },
  );
});
