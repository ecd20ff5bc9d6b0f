import { describe, expect, test } from 'vitest';
import { rewriting, startProxy } from '../../support/proxy.ts';
import { startProcess } from '../../commands/command-harness.ts';

/** The rows of a table, by the text of their first columns. */
function rowsOf(out: string): readonly (readonly string[])[] {
  return out.split('\n').map((line) => line.trim().split(/ {2,}/));
}

describe('devices --explain', () => {
  test('lists the key, unit, rule, value and age of every quantity', async () => {
    const { shell, simulator, deviceId } = await startProcess({ family: 'hpvinv02' });
    const { status, out, complaints } = await shell.run('devices', '--explain');
    expect({ status, complaints }).toEqual({ status: 0, complaints: '' });
    expect(out).toContain('family hpvinv02, read from latest\n');
    expect(out).toContain('  looked at: readings ok, latest-state ok');
    expect(out).toContain('  missing: nothing\n');
    const truth = simulator.truth(deviceId, shell.clock.nowMs());
    const rows = rowsOf(out);
    expect(rows).toContainEqual([
      'pvPowerWatts',
      'generationPower',
      'kW',
      expect.stringContaining('hpvinv02'),
      String(Math.round(truth.pvPowerWatts)),
      '0 s',
    ]);
    expect(rows.find(([, key]) => key === 'bmsCurrentSOC')?.[4]).toBe('placeholder');
    expect(out).toContain('every key it sends is known');
  });

  test('prints the keys that no rule describes, with unit and sample, and without any id', async () => {
    const { shell, simulator, stationId, deviceId } = await startProcess({ family: 'undescribed' });
    const { out } = await shell.run('devices', '--explain');
    const rows = rowsOf(out);
    expect(out).toContain(`device …${deviceId.slice(-4)}`);
    expect(rows.find(([key]) => key === 'sunFeedPower')).toEqual([
      'sunFeedPower',
      'kW',
      expect.stringMatching(/^\d+(\.\d+)?$/),
      'unknown',
    ]);
    expect(rows.find(([key]) => key === 'lampColour')?.at(-1)).toBe('unknown');
    for (const secret of [stationId, deviceId, simulator.options.account, 'Inverter 1'])
      expect(out).not.toContain(secret);
  });

  test.each([
    { value: '"amb"', shown: 'amb' },
    { value: '"007"', shown: '007' },
    { value: '-12.5', shown: '-12.5' },
    { value: '"Ivan Petrenko"', shown: 'text of 13 characters' },
    { value: '"SN-123456789 of someone@example.org"', shown: 'text of 35 characters' },
    { value: '"+380671234567"', shown: 'text of 13 characters' },
    { value: '"192.168.1.23"', shown: 'text of 12 characters' },
    { value: '1234567', shown: 'text of 7 characters' },
  ])('shows of a sample $value no more than $shown', async ({ value, shown }) => {
    const { shell } = await startProcess({ family: 'undescribed' });
    const proxyUrl = await startProxy(
      shell.env['SOLAR_BASE_URL'] ?? '',
      rewriting((body) => body.replaceAll('"amber"', value)),
    );
    const { out } = await shell.run('devices', '--explain', `--base-url=${proxyUrl}`);
    expect(rowsOf(out).find(([key]) => key === 'lampColour')?.[1]).toBe(shown);
  });

  test('does not reveal where a device is', async () => {
    const { shell } = await startProcess({ family: 'undescribed' });
    const proxyUrl = await startProxy(
      shell.env['SOLAR_BASE_URL'] ?? '',
      rewriting((body) => body.replaceAll('lampColour', 'latitude').replaceAll('"amber"', '50.45')),
    );
    const { out } = await shell.run('devices', '--explain', `--base-url=${proxyUrl}`);
    expect(rowsOf(out).find(([key]) => key === 'latitude')?.[1]).toBe('text of 5 characters');
  });

  test('says why a value is not read', async () => {
    const { shell } = await startProcess({ family: 'maniy' });
    const { out } = await shell.run('devices', '--explain');
    expect(out).toContain(
      'missing: batteryDischargeCurrentAmperes, batteryChargingCurrentAmperes, gridFeedInPowerWatts',
    );
    const unread = rowsOf(out).filter(([, , , why]) => why === 'sign unconfirmed');
    expect(unread.map(([key]) => key)).toEqual([
      'inputMainsPower',
      'mainsInputRealTimePower',
      'gridConnectedPower',
      'lithiumBatteryChargeDischargeCurrent',
    ]);
  });

  test('shows how a rule of the user reads a key', async () => {
    const { shell, simulator, deviceId } = await startProcess({ family: 'undescribed' });
    shell.files = { 'mine.yml': '- {key: sunFeedPower, quantity: pv_power, unit: kW}' };
    const { out } = await shell.run('devices', '--explain', '--dialect.file=mine.yml');
    const truth = simulator.truth(deviceId, shell.clock.nowMs());
    expect(rowsOf(out)).toContainEqual([
      'pvPowerWatts',
      'sunFeedPower',
      'kW',
      'any family, user',
      String(Math.round(truth.pvPowerWatts)),
      '0 s',
    ]);
  });

  test('names the error code of an endpoint that did not answer', async () => {
    const { shell, simulator } = await startProcess({ family: 'techfine' });
    simulator.setFault('latest-state', { kind: 'status', status: 404 });
    const { status, out } = await shell.run('devices', '--explain');
    expect(status).toBe(0);
    expect(out).toContain('latest-state SERVICE_REQUEST_REJECTED, attributes ok');
  });
});
