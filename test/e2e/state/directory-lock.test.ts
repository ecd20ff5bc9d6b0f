import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type DirectoryLock, lockBySocket } from '../../../src/state/directory-lock.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { RunningProcess } from '../../support/running-process.ts';
import { withoutPrivileges } from './unprivileged.ts';

const BUILT_LOCK = fileURLToPath(new URL('../../../dist/state/directory-lock.js', import.meta.url));

function lockPath(): string {
  return join(temporaryDirectory(), 'lock');
}

let nonces = 0;

/** Locks a directory until the end of the test. */
async function locked(path: string): Promise<DirectoryLock | undefined> {
  nonces += 1;
  const lock = await lockBySocket(path, `${nonces}`);
  if (lock !== undefined) onTestFinished(() => lock.release());
  return lock;
}

/** Another program that locks the same path and says so. */
async function lockInAnotherProgram(path: string): Promise<RunningProcess> {
  const script = `
    import { lockBySocket } from ${JSON.stringify(BUILT_LOCK)};
    console.log((await lockBySocket(${JSON.stringify(path)}, 'other')) === undefined ? 'in use' : 'locked');
    setInterval(() => undefined, 1000);`;
  const program = new RunningProcess(process.execPath, ['--input-type=module', '-e', script], {});
  await program.printed('stdout', /locked|in use/);
  return program;
}

describe('the lock of a directory', () => {
  test('is held by one at a time', async () => {
    const path = lockPath();
    expect(await locked(path)).toBeDefined();
    expect(await locked(path)).toBeUndefined();
    expect(await locked(path)).toBeUndefined();
  });

  test('is free again once it is released, and leaves nothing behind', async () => {
    const path = lockPath();
    const first = await locked(path);
    await first?.release();
    expect(existsSync(path)).toBe(false);
    expect(await locked(path)).toBeDefined();
  });

  test('of a directory that was made anew belongs to whoever made it', async () => {
    const path = lockPath();
    const first = await locked(path);
    rmSync(dirname(path), { recursive: true });
    expect(await first?.isHeld()).toBe(false);
    mkdirSync(dirname(path));
    const second = await locked(path);
    expect(await first?.isHeld()).toBe(false);
    await first?.release();
    expect(await second?.isHeld()).toBe(true);
    expect(await locked(path)).toBeUndefined();
  });

  test('is held by another program', async () => {
    const path = lockPath();
    await lockInAnotherProgram(path);
    expect(await locked(path)).toBeUndefined();
  });

  test('is held by another program that is suspended', async () => {
    const path = lockPath();
    const program = await lockInAnotherProgram(path);
    program.kill('SIGSTOP');
    expect(await locked(path)).toBeUndefined();
    program.kill('SIGCONT');
  });

  test('is free when its holder was killed', async () => {
    const path = lockPath();
    const program = await lockInAnotherProgram(path);
    program.kill('SIGKILL');
    await program.exited;
    expect(existsSync(path)).toBe(true);
    expect(await locked(path)).toBeDefined();
    expect(await locked(path)).toBeUndefined();
  });

  test('of a killed program goes to exactly one of many that want it', async () => {
    const path = lockPath();
    const program = await lockInAnotherProgram(path);
    program.kill('SIGKILL');
    await program.exited;
    const locks = await Promise.all(Array.from({ length: 10 }, () => locked(path)));
    expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
    expect(readdirSync(dirname(path))).toEqual(['lock']);
    expect(await locked(path)).toBeUndefined();
  });

  test('is taken where a socket was moved aside and its mover killed', async () => {
    const path = lockPath();
    const program = await lockInAnotherProgram(`${path}.0`);
    program.kill('SIGKILL');
    await program.exited;
    expect(await locked(path)).toBeDefined();
  });

  test('is taken over a file that is no socket', async () => {
    const path = lockPath();
    writeFileSync(path, '');
    expect(await locked(path)).toBeDefined();
  });

  test('does not keep a program alive that has nothing else to do', async () => {
    const script = `
      import { lockBySocket } from ${JSON.stringify(BUILT_LOCK)};
      await lockBySocket(${JSON.stringify(lockPath())}, 'other');`;
    const program = new RunningProcess(process.execPath, ['--input-type=module', '-e', script], {});
    expect(await program.exited).toEqual({ status: 0, signal: null });
  });

  test('is not taken from a program that may not be asked', async () => {
    const path = lockPath();
    chmodSync(dirname(path), 0o755);
    await lockInAnotherProgram(path);
    chmodSync(path, 0o700);
    await withoutPrivileges(async () => {
      if (process.geteuid?.() === statSync(path).uid) chmodSync(path, 0);
      await expect(locked(path)).rejects.toMatchObject({ code: 'EACCES' });
    });
    expect(existsSync(path)).toBe(true);
  });

  test('fails where there is no directory', async () => {
    const path = join(temporaryDirectory(), 'gone', 'lock');
    await expect(locked(path)).rejects.toMatchObject({ code: 'EACCES' });
  });
});
