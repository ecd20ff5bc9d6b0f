import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import { afterAll, afterEach, expect } from 'vitest';

/** What the running test tried; kept because the code under test may swallow the error. */
let attempts: string[] = [];

function refuse(attempt: string): () => never {
  return () => {
    attempts.push(attempt);
    throw new Error(`A unit test ${attempt}.`);
  };
}

Socket.prototype.connect = refuse('opened a connection');
Server.prototype.listen = refuse('started a server');
for (const start of ['spawn', 'spawnSync', 'fork', 'exec', 'execSync', 'execFile', 'execFileSync'])
  Object.assign(childProcess, { [start]: refuse('started a program') });
// Otherwise `import { spawn }` would still find the original.
syncBuiltinESMExports();

function expectNoAttempts(): void {
  const found = attempts;
  attempts = [];
  expect(found, 'a test with sockets or programs belongs in test/doors or test/programs').toEqual(
    [],
  );
}

afterEach(expectNoAttempts);
// Files may start programs while vitest only collects their tests.
afterAll(expectNoAttempts);
