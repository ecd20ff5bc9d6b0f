import { describe, expect, test } from 'vitest';
import { explainDialect } from '../../src/commands/explain.ts';
import { createReader, type DeviceAnswers } from '../client/dialects/reader-harness.ts';

/** Explains a device that answers so. */
async function explained(answers: DeviceAnswers): Promise<string> {
  const { reader } = createReader({ history: {}, ...answers });
  const deviceId = '100000000000000001';
  return explainDialect({ deviceId, stationId: '3' }, await reader.learn({ deviceId }));
}

describe('a device is explained', () => {
  test('with the sums that are unknown, the keys that they want, and what to do', async () => {
    const out = await explained({
      latest: { pv1Power: [500, 'W'], pv2Power: [null, 'W'], batteryPercentage: [76, '%'] },
    });
    expect(out).toContain(
      '  unknown for now: pvPowerWatts, because pv2Power has no value while others have one;',
    );
    expect(out).toContain('"quantity: nothing" in --dialect.file');
  });

  test('without them where every part has a value', async () => {
    const out = await explained({
      latest: { pv1Power: [500, 'W'], pv2Power: [0, 'W'], batteryPercentage: [76, '%'] },
    });
    expect(out).not.toContain('unknown for now');
  });

  test('with the mode by its words, and with what is a placeholder', async () => {
    const out = await explained({
      latest: {
        outputActivePower: [0.4, 'kW'],
        mode: ['L', '', 'Mains Mode'],
        workingMode: ['1', '', 'SBU'],
        bmsCommunicationNormal: ['0', '', 'No'],
        bmsCurrentSOC: [100, '%'],
      },
    });
    const rows = out.split('\n').map((line) => line.trim().split(/ {2,}/));
    const valueOf = (key: string) => rows.find((row) => row[1] === key)?.at(-2);
    expect(valueOf('mode')).toBe('line');
    expect(valueOf('bmsCurrentSOC')).toBe('placeholder');
    expect(valueOf('workingMode')).toBeUndefined();
    expect(out).toContain('every key it sends is known');
  });
});
