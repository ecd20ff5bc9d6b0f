import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { PATIENCE_MS } from '../../support/eventually.ts';
import { temporaryDirectory } from '../../support/prometheus.ts';
import { RunningProcess } from '../../support/running-process.ts';

const BUILT_FILE = fileURLToPath(new URL('../../../dist/state/atomic-file.js', import.meta.url));
/** After how many writes each program is killed. */
const WRITES = [1, 2, 3, 5, 8, 13, 21, 34];

/** Writes texts of all lengths, one after the other, until it is killed; prints a dot after each. */
function startWriting(path: string): RunningProcess {
  const script = `
    import { AtomicFile } from ${JSON.stringify(BUILT_FILE)};
    const file = new AtomicFile(${JSON.stringify(path)});
    for (let count = 0; ; count += 1) {
      const filling = String(count % 10).repeat((count * 7919) % 3_000_000);
      await file.write(JSON.stringify({ length: filling.length, filling }));
      process.stdout.write('.');
    }`;
  return new RunningProcess(process.execPath, ['--input-type=module', '-e', script], {});
}

test('a file is whole at whatever moment the program that writes it is killed', async () => {
  const path = join(temporaryDirectory(), 'kept.json');
  let unfinished = 0;
  for (const writes of WRITES) {
    const program = startWriting(path);
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
