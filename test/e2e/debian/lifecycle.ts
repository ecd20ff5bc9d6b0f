import { mkdirSync, readFileSync, rmSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { DEBIAN_13, folderOfBlock } from './build.ts';
import { changedPackage, CleanRoot } from './clean-root.ts';

const NAME = 'solar-exporter';
const ETC = 'etc/solar-exporter';
const ENV_FILE = `${ETC}/solar-exporter.env`;
const STATE = 'var/lib/solar-exporter';

/** Tests what becomes of users, settings and state when the package comes, changes and goes. */
export function describeLifecycle(built: () => string): void {
  const folders = [folderOfBlock(), folderOfBlock()] as const;
  // Without the program, which these tests do not run: dpkg takes seconds to write its 2,000 files.
  let first = '';
  let second = '';
  beforeAll(() => {
    first = changedPackage(built(), folders[0], (inside) => {
      rmSync(join(inside, 'usr/lib/solar-exporter'), { recursive: true });
      rmSync(join(inside, 'DEBIAN/md5sums'));
    });
    second = changedPackage(first, folders[1], (inside) => {
      const control = join(inside, 'DEBIAN/control');
      const text = readFileSync(control, 'utf8');
      writeFileSync(control, text.replace(/^Version: .*$/m, 'Version: 999-1'));
    });
  });

  function installed(): CleanRoot {
    const root = new CleanRoot(temporaryDirectory(), DEBIAN_13);
    expect(root.dpkg('--install', first)).toMatchObject({ status: 0 });
    return root;
  }

  test('is refused where Node.js is too old', () => {
    const debian12 = { nodejs: '18.20.4+dfsg-1', systemd: '252.39-1' };
    const root = new CleanRoot(temporaryDirectory(), debian12);
    const { status, said } = root.dpkg('--install', first);
    expect(said).toContain('solar-exporter depends on nodejs (>= 20.19)');
    expect(status).toBe(1);
  });

  test('makes a user, and files for the secrets that only it and root can read', () => {
    const root = installed();
    const group = root.numberOf('group', NAME);
    expect(root.numberOf('passwd', NAME)).toBeGreaterThan(0);
    expect(root.ownerOf(ETC)).toEqual({ user: 0, group, mode: '750' });
    for (const secret of ['password', 'app-secret'])
      expect(root.ownerOf(`${ETC}/${secret}`)).toEqual({ user: 0, group, mode: '640' });
  });

  test('says where to read what to fill in, until it is filled in', () => {
    const root = new CleanRoot(temporaryDirectory(), DEBIAN_13);
    expect(root.dpkg('--install', first).said).toContain('does not start yet: /usr/share/doc/');
    root.read('usr/share/doc/solar-exporter/README.Debian');
    for (const secret of ['password', 'app-secret']) root.write(`${ETC}/${secret}`, 'mine');
    expect(root.dpkg('--install', second).said).not.toContain('does not start');
  });

  test('keeps what its owner wrote when it is upgraded', () => {
    const root = installed();
    const edited = `${root.read(ENV_FILE)}SOLAR_REQUEST_RATE=1\n`;
    root.write(ENV_FILE, edited);
    root.write(`${ETC}/password`, 'mine');
    expect(root.dpkg('--install', second)).toMatchObject({ status: 0 });
    expect(root.read('var/lib/dpkg/status')).toContain('Version: 999-1');
    expect(root.read(ENV_FILE)).toBe(edited);
    expect(root.read(`${ETC}/password`)).toBe('mine');
  });

  test('leaves settings and state behind when it is removed, and neither when it is purged', () => {
    const root = installed();
    mkdirSync(root.path(STATE), { recursive: true });
    root.write(`${STATE}/session.json`, '{}');
    root.write(`${ETC}/password`, 'mine');
    const files = (folder: string) => readdirSync(root.path(folder)).sort();
    expect(root.dpkg('--remove', NAME)).toMatchObject({ status: 0 });
    expect(files('.')).not.toContain('usr');
    expect(files(ETC)).toEqual(['app-secret', 'password', 'solar-exporter.env']);
    expect(files(STATE)).toEqual(['session.json']);
    expect(root.dpkg('--purge', NAME)).toMatchObject({ status: 0 });
    const inEtc = readdirSync(root.path('etc'), { recursive: true, encoding: 'utf8' });
    expect(inEtc.filter((path) => path.includes(NAME))).toEqual([]);
    expect(files('var/lib')).not.toContain(NAME);
    expect(root.read('var/lib/dpkg/status')).not.toContain(NAME);
    // Files of it may be elsewhere, and must not become those of another user.
    expect(root.numberOf('passwd', NAME)).toBeGreaterThan(0);
  });
}
