import { describe, expect, test } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { credentialsFor, startService } from '../../doors/house.ts';
import { startAtTerminal } from '../../support/running-process.ts';

describe.skipIf(!hasProgram('script'))('settings set at a terminal', () => {
  test.each([
    { answer: 'y and Enter', keys: 'y\r', writes: 1, says: 'Done: the device reports' },
    { answer: 'Enter alone', keys: '\r', writes: 0, says: 'Nothing was changed.' },
    { answer: 'Ctrl+C', keys: '\u0003', writes: 0, says: 'Nothing was changed.' },
    { answer: 'Ctrl+D', keys: '\u0004', writes: 0, says: 'Nothing was changed.' },
  ])('takes $answer for what it is', async ({ keys, writes, says }) => {
    const { simulator, serviceUrl, deviceId } = await startService();
    const program = startAtTerminal(['settings', 'set', deviceId, 'operatingMode=Backup'], {
      SOLAR_BASE_URL: serviceUrl,
      ...credentialsFor(simulator),
    });
    await program.printed('stdout', /\[y\/N\] /);
    program.type(keys);
    expect(await program.exited).toEqual({ status: 0, signal: null });
    expect(program.stdout).toContain(says);
    expect(program.stdout).not.toMatch(/\n\s+at /);
    expect(simulator.requests('settings-set')).toBe(writes);
  });
});
