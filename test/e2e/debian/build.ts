import { execFileSync, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { hasProgram } from '../../support/programs.ts';
import { repositoryPath } from '../../stack/repository.ts';

/** Packages of Debian 13 that ours depends on. */
export const DEBIAN_13 = { nodejs: '20.19.2+dfsg-1', systemd: '257.7-1' };

/** Whether the package can be installed here: as root, because dpkg gives files to users. */
export function canInstall(): boolean {
  return hasProgram('dpkg-deb') && hasProgram('systemd-sysusers') && process.getuid?.() === 0;
}

/** A folder that goes with the tests of the block. */
export function folderOfBlock(): string {
  const folder = mkdtempSync(join(tmpdir(), 'solar-exporter-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Builds the package from what npm publishes, and returns its path. */
export function buildPackage(folder: string, env: Readonly<Record<string, string>> = {}): string {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: repositoryPath(''),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  };
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const tarball = join(folder, execFileSync('npm', pack, options).trim());
  const script = repositoryPath('deploy/debian/build.sh');
  const quick = { SOURCE_DATE_EPOCH: '1700000000', DPKG_DEB_COMPRESSOR_LEVEL: '1' };
  const environment = { ...process.env, ...quick, ...env };
  return execFileSync('sh', [script, folder, tarball], { ...options, env: environment }).trim();
}
