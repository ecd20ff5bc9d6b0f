import { describe, expect, test } from 'vitest';
import { startProcess } from '../../commands/command-harness.ts';

describe('settings get', () => {
  test('prints every setting of a device', async () => {
    const { shell, deviceId } = await startProcess();
    expect(await shell.run('settings', 'get', deviceId)).toEqual({
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

  test('of an unknown device fails with the code', async () => {
    const { shell } = await startProcess();
    const { status, complaints } = await shell.run('settings', 'get', '12345');
    expect(status).toBe(2);
    expect(complaints).toContain('"12345": unknown device; accepted: ');
  });

  test.each(['Inverter 1', 'INVERTER 1'])('takes the name of a device: %s', async (name) => {
    const { shell } = await startProcess();
    const { status, out } = await shell.run('settings', 'get', name);
    expect(status).toBe(0);
    expect(out).toContain('operatingMode');
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
  test('--yes shows the change, writes it once and reads it back', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    const { status, out, complaints } = await shell.run(
      ...['settings', 'set', deviceId, '--yes'],
      ...['operatingMode=Backup', 'gridChargingEnabled=true', 'gridFeedInEnabled=true'],
    );
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toBe(
      [
        'setting              old       new',
        'operatingMode        Self-Use  Backup',
        'gridChargingEnabled  false     true',
        'Done: the device reports the new values.',
        '',
      ].join('\n'),
    );
    expect(simulator.requests('settings-set')).toBe(1);
    const { out: after } = await shell.run('settings', 'get', deviceId);
    expect(after).toMatch(/operatingMode +Backup\n/);
    expect(after).toMatch(/gridChargingEnabled +true\n/);
  });

  test.each(['y', 'Y', 'yes', ' YES '])('writes when the person answers %j', async (answer) => {
    const { shell, simulator, deviceId } = await startProcess();
    shell.answer = answer;
    const { status, out } = await shell.run('settings', 'set', deviceId, 'operatingMode=Backup');
    expect(status).toBe(0);
    expect(out).toContain('Done');
    expect(shell.questions).toEqual(['Write this to device Inverter 1? [y/N] ']);
    expect(simulator.requests('settings-set')).toBe(1);
  });

  test.each(['n', '', 'no', 'yep', 'q'])('writes nothing when the answer is %j', async (answer) => {
    const { shell, simulator, deviceId } = await startProcess();
    shell.answer = answer;
    const { status, out } = await shell.run('settings', 'set', deviceId, 'operatingMode=Backup');
    expect(status).toBe(0);
    expect(out).toContain('Nothing was changed.');
    expect(simulator.requests('settings-set')).toBe(0);
  });

  test('refuses to write without a terminal to ask at', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    expect(await shell.run('settings', 'set', deviceId, 'operatingMode=Backup')).toEqual({
      status: 2,
      out: '',
      complaints:
        'solar-exporter: settings set asks before it writes, and there is no terminal to ask at; accepted: --yes, which writes without asking\n',
    });
    expect(simulator.requests()).toBe(0);
  });

  test('refuses unreadable arguments before it sends a request', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    const { status, complaints } = await shell.run(
      ...['settings', 'set', deviceId, '--yes', 'gridChargingEnabled', 'nonsense'],
    );
    expect(status).toBe(2);
    expect(complaints.trimEnd().split('\n')).toHaveLength(2);
    expect(complaints).toContain('"nonsense": is no change of a setting; accepted: key=value');
    expect(simulator.requests()).toBe(0);
  });

  test('refuses a change without = by that, with and without a terminal', async () => {
    const { shell } = await startProcess();
    const { complaints } = await shell.run('settings', 'set', 'Inverter 1', 'operatingMode');
    expect(complaints).toMatch(/^solar-exporter: "operatingMode": is no change of a setting;/);
  });

  test('has nothing to do when the device has the values already', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    shell.answer = 'y';
    expect(
      await shell.run(
        'settings',
        'set',
        deviceId,
        'operatingMode=Self-Use',
        'maxChargingCurrent=60',
      ),
    ).toMatchObject({
      status: 0,
      out: 'Nothing to change: the device has these values already.\n',
    });
    expect(shell.questions).toEqual([]);
    expect(simulator.requests('settings-set')).toBe(0);
  });

  test('takes any setting that the device lists, in the type that it has', async () => {
    const { shell, deviceId } = await startProcess();
    const { status, out, complaints } = await shell.run(
      ...['settings', 'set', deviceId, '--yes', 'maxChargingCurrent=50'],
    );
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toMatch(/maxChargingCurrent +60 +50\n/);
  });

  test('refuses a setting that the device does not list, and writes none', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    const { status, complaints } = await shell.run(
      ...['settings', 'set', deviceId, '--yes', 'operatingMode=Backup', 'operatingMod=Backup'],
    );
    expect(status).toBe(2);
    expect(complaints).toContain(
      '"operatingMod": the device has no such setting; did you mean operatingMode?',
    );
    expect(simulator.requests('settings-set')).toBe(0);
  });

  test('fails when the device still reports other values afterwards', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    simulator.setFault('settings-set', { kind: 'data-null' });
    const { status, out } = await shell.run(
      ...['settings', 'set', deviceId, '--yes', 'operatingMode=Backup'],
    );
    expect(status).toBe(1);
    expect(out).toContain('but the device still reports other values:');
    expect(out).toMatch(/setting +reported +wanted\noperatingMode +Self-Use +Backup\n$/);
  });

  test('does not write again when the answer to the first write is lost', async () => {
    const { shell, simulator, deviceId } = await startProcess();
    simulator.setFault('settings-set', { kind: 'reset' });
    const { status, complaints } = await shell.run(
      ...['settings', 'set', deviceId, '--yes', 'operatingMode=Backup'],
    );
    expect(status).toBe(1);
    expect(complaints).toContain('SERVICE_UNREACHABLE');
    expect(simulator.requests('settings-set')).toBe(1);
  });
});
