import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { repositoryPath } from '../../stack/repository.ts';
import { hasProgram } from '../../support/programs.ts';
import { RunningProcess } from '../../support/running-process.ts';

/** Starts a bash at a terminal, in which the program is found by its name and its configuration is wrong. */
function startBash(): RunningProcess {
  const folder = mkdtempSync(join(tmpdir(), 'solar-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const program = join(bin, 'solar-exporter');
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${repositoryPath('dist/cli.js')}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(folder, 'sunny-roof.yaml'), '');
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    INPUTRC: '/dev/null',
    TERM: 'dumb',
    PS1: '$ ',
    SOLAR_LOG_LEVEL: 'no level',
    SOLAR_CONFIG_FILE: '/nowhere.yaml',
  };
  return new RunningProcess(
    'script',
    ['-qec', 'stty columns 200; exec bash --norc --noprofile -i', '/dev/null'],
    env,
    {
      folder,
      isGroup: true,
    },
  );
}

test.runIf(hasProgram('script') && hasProgram('bash'))(
  'bash completes commands, options, their values and files',
  async () => {
    const bash = startBash();
    bash.type(
      'source <(solar-exporter completion bash) && echo "is $(complete -p solar-exporter)"\n',
    );
    await bash.printed('stdout', /is complete -F _solar_exporter solar-exporter\r\n/);

    bash.type('solar-exporter dem\t');
    await bash.printed('stdout', /solar-exporter demo /);
    bash.type('--fam\t');
    await bash.printed('stdout', /demo --family /);
    bash.type('hpv\t');
    await bash.printed('stdout', /--family hpvinv02 /);
    bash.type('--log.level=de\t');
    await bash.printed('stdout', /--log\.level=debug /);
    bash.type('--config.file sunny\t');
    await bash.printed('stdout', /--config\.file sunny-roof\.yaml /);
    bash.type('\u0015exit\n');
    await bash.exited;
    expect(bash.stdout + bash.stderr).not.toMatch(/no level|nowhere/);
  },
);
