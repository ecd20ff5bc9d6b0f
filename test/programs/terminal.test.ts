import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { credentialsFor, startService } from '../doors/house.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { CLI, RunningProcess, startAtTerminal } from '../support/running-process.ts';

describe.runIf(hasProgram('script'))('at a terminal', () => {
  test.each([
    { answer: 'y and Enter', keys: 'y\r', writes: 1, says: 'Done: the device reports' },
    { answer: 'Ctrl+C', keys: '\u0003', writes: 0, says: 'Nothing was changed.' },
    { answer: 'Ctrl+D', keys: '\u0004', writes: 0, says: 'Nothing was changed.' },
  ])('settings set takes $answer for what it is', async ({ keys, writes, says }) => {
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

  test('history ends after its file at Ctrl+C, and at once at the second', async () => {
    const { simulator, serviceUrl } = await startService({}, systemClock);
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    // What is in work must still be so, however busy the machine is.
    const reached = simulator.hold('summary-days', 'before the service is asked');
    const program = startAtTerminal(
      ['history', `--from=${day(12)}`, `--to=${day(2)}`, `--output=${temporaryDirectory()}`],
      { SOLAR_BASE_URL: serviceUrl, SOLAR_REQUEST_RATE: '1000', ...credentialsFor(simulator) },
    );
    await reached;
    program.type('\u0003');
    await program.printed('stdout', /stopping after the month in work; once more stops at once/);
    program.type('\u0003');
    expect(await program.exited).toEqual({ status: 130, signal: null });
    expect(program.stdout).not.toContain('written');
  });

  test.runIf(hasProgram('bash'))('bash completes options and files', async () => {
    const folder = temporaryDirectory();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const program = join(bin, 'solar-exporter');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'sunny-roof.yaml'), '');
    const shell = 'stty columns 200; exec bash --norc --noprofile -i';
    const bash = new RunningProcess(
      'script',
      ['-qec', shell, '/dev/null'],
      {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        INPUTRC: '/dev/null',
        TERM: 'dumb',
        PS1: '$ ',
        SHELL: '/bin/bash',
        // Nobody reads a wrong configuration while a person types.
        SOLAR_LOG_LEVEL: 'no level',
        SOLAR_CONFIG_FILE: '/nowhere.yaml',
      },
      { folder, isGroup: true },
    );
    bash.type('source <(solar-exporter completion) && echo "is $(complete -p solar-exporter)"\n');
    await bash.printed(
      'stdout',
      /is complete .*-F _solar-exporter_yargs_completions solar-exporter\r\n/,
    );
    for (const [keys, printed] of [
      ['solar-exporter demo --simulator.sp\t', /--simulator\.speed /],
      ['1 --config.file sunny\t', /--config\.file sunny-roof\.yaml /],
    ] as const) {
      bash.type(keys);
      await bash.printed('stdout', printed);
    }
    bash.type('\u0015exit\n');
    await bash.exited;
    expect(bash.stdout + bash.stderr).not.toMatch(/no level|nowhere/);
  });
});
