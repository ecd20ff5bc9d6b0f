import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { lockBySocket } from '../../src/state/state-directory.ts';
import { PATIENCE_MS } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/prometheus.ts';
import { RunningProcess } from '../support/running-process.ts';
import { withoutPrivileges } from '../support/unprivileged.ts';

const built = (name: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../dist/state/${name}.js`, import.meta.url)));

function runScript(script: string): RunningProcess {
  return new RunningProcess(process.execPath, ['--input-type=module', '-e', script], {});
}

test('a file is whole whenever the program that writes it is killed', async () => {
  const path = join(temporaryDirectory(), 'kept.json');
  let unfinished = 0;
  for (const writes of [1, 3, 8, 21]) {
    // Writes texts of all lengths, one after the other, and prints a dot after each.
    const program = runScript(`
      import { AtomicFile } from ${built('atomic-file')};
      const file = new AtomicFile(${JSON.stringify(path)});
      for (let count = 0; ; count += 1) {
        const filling = String(count % 10).repeat((count * 7919) % 3_000_000);
        await file.write(JSON.stringify({ length: filling.length, filling }));
        process.stdout.write('.');
      }`);
    await program.printed('stdout', new RegExp(`\\.{${writes}}`));
    await vi.waitUntil(() => existsSync(`${path}.new`), { interval: 1, timeout: PATIENCE_MS });
    program.kill('SIGKILL');
    await program.exited;
    const { length, filling } = JSON.parse(readFileSync(path, 'utf8')) as {
      length: number;
      filling: string;
    };
    expect(filling).toHaveLength(length);
    if (existsSync(`${path}.new`)) unfinished += 1;
  }
  // Else none of them was killed in the middle of a write, and this has shown nothing.
  expect(unfinished).toBeGreaterThan(0);
});

describe('the lock of a directory', () => {
  let nonces = 0;

  /** Takes the lock until the end of the test; resolves to whether it was free. */
  async function takes(path: string): Promise<boolean> {
    nonces += 1;
    const lock = await lockBySocket(path, `${nonces}`);
    if (lock !== undefined) onTestFinished(() => lock.release());
    return lock !== undefined;
  }

  const newPath = (): string => join(temporaryDirectory(), 'lock');

  /** Another program that holds the lock. */
  async function startHolder(path: string): Promise<RunningProcess> {
    const program = runScript(`
      import { lockBySocket } from ${built('state-directory')};
      console.log((await lockBySocket(${JSON.stringify(path)}, 'other')) === undefined ? 'in use' : 'locked');
      process.stdin.once('data', () => process.stdin.destroy());`);
    await program.printed('stdout', /locked/);
    return program;
  }

  test('is held by a suspended program; of a killed one it goes to one', async () => {
    const path = newPath();
    const program = await startHolder(path);
    expect(await takes(path)).toBe(false);
    program.kill('SIGSTOP');
    expect(await takes(path)).toBe(false);
    program.kill('SIGKILL');
    await program.exited;
    expect(existsSync(path)).toBe(true);
    const taken = await Promise.all(Array.from({ length: 10 }, () => takes(path)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(readdirSync(dirname(path))).toEqual(['lock']);
    expect(await takes(path)).toBe(false);
  });

  test('is taken over a file or a socket that nobody holds', async () => {
    const path = newPath();
    writeFileSync(path, '');
    expect(await takes(path)).toBe(true);
    const beside = newPath();
    const program = await startHolder(`${beside}.${nonces + 1}`);
    program.kill('SIGKILL');
    await program.exited;
    expect(await takes(beside)).toBe(true);
  });

  test('stays with who made it anew, when the program ends that held it before', async () => {
    const path = newPath();
    const program = await startHolder(path);
    rmSync(path);
    expect(await takes(path)).toBe(true);
    program.type('end\n');
    expect(await program.exited).toEqual({ status: 0, signal: null });
    expect(await takes(path)).toBe(false);
  });

  test('does not keep a program alive that has nothing else to do', async () => {
    const program = runScript(`
      import { lockBySocket } from ${built('state-directory')};
      await lockBySocket(${JSON.stringify(newPath())}, 'other');`);
    expect(await program.exited).toEqual({ status: 0, signal: null });
  });

  test('is not taken where the holder may not be asked, nor nowhere', async () => {
    const path = newPath();
    chmodSync(dirname(path), 0o755);
    await startHolder(path);
    chmodSync(path, 0o700);
    await withoutPrivileges(async () => {
      if (process.geteuid?.() === statSync(path).uid) chmodSync(path, 0);
      await expect(takes(path)).rejects.toMatchObject({ code: 'EACCES' });
    });
    expect(existsSync(path)).toBe(true);
    const missing = join(temporaryDirectory(), 'gone', 'lock');
    await expect(takes(missing)).rejects.toMatchObject({ code: 'EACCES' });
  });
});
