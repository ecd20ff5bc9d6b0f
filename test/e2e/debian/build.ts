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

const PIPED: ExecFileSyncOptionsWithStringEncoding = {
  cwd: repositoryPath(''),
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
};

/** Packs what npm publishes, and returns the path of the archive. */
export function packProgram(folder: string): string {
  const options = ['--silent', '--ignore-scripts', '--pack-destination', folder];
  return join(folder, execFileSync('npm', ['pack', ...options], PIPED).trim());
}

/** Builds the package of such an archive, and returns its path. */
export function buildPackage(
  folder: string,
  archive = packProgram(folder),
  env: Readonly<Record<string, string>> = {},
): string {
  const script = repositoryPath('deploy/debian/build.sh');
  const quick = { SOURCE_DATE_EPOCH: '1700000000', DPKG_DEB_COMPRESSOR_LEVEL: '1' };
  const options = { ...PIPED, env: { ...process.env, ...quick, ...env } };
  return execFileSync('sh', [script, folder, archive], options).trim();
}
