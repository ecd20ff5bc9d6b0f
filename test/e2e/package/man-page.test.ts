import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { repositoryPath } from '../../stack/repository.ts';
import { hasProgram } from '../../support/programs.ts';

const PAGE = repositoryPath('man/solar-exporter.1');

test.runIf(hasProgram('groff'))(
  'groff has nothing to say against the manual page, and shows it',
  () => {
    const { stderr, stdout, status } = spawnSync(
      'groff',
      ['-man', '-ww', '-Tutf8', '-P-cbou', PAGE],
      {
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^NAME\n +solar.exporter . Prometheus exporter/m);
    expect(stdout).toMatch(/^ +--config\.file value\n +YAML file/m);
    expect(stdout).not.toContain('\\');
  },
);
