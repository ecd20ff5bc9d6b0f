import { hashSync } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import { PasswordWorker } from '../../../src/http/authentication/password-worker.ts';
import { settled } from '../../support/deferred.ts';

function startWorker(): PasswordWorker {
  const worker = new PasswordWorker();
  onTestFinished(() => worker.stop());
  return worker;
}

const HASH = hashSync('grün:🌞', 4);

test.each(['$2a$', '$2b$', '$2y$'])('passwords are compared with hashes of %s', async (prefix) => {
  const worker = startWorker();
  const hash = HASH.replace(/^\$2.\$/, prefix);
  const answers = [worker.verify('grün:🌞', hash), worker.verify('grün', hash)];
  expect(await Promise.all(answers)).toEqual([true, false]);
});

test('the event loop goes on while a password is compared', async () => {
  const worker = startWorker();
  await worker.verify('', HASH);
  const progress = { turns: 0, isDone: false };
  const compared = worker.verify('x', HASH.replace('$04$', '$10$')).finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone) {
    await settled();
    progress.turns += 1;
  }
  expect(progress.turns).toBeGreaterThan(1);
  expect(await compared).toBe(false);
});

test('a stopped thread refuses pending passwords, and is replaced when needed again', async () => {
  const worker = startWorker();
  // Cost 31 takes far longer than the test.
  const waiting = worker.verify('grün:🌞', HASH.replace('$04$', '$31$'));
  await worker.stop();
  expect(await waiting).toBe(false);
  expect(await worker.verify('grün:🌞', HASH)).toBe(true);
});

test('a thread that breaks says why', async () => {
  await expect(startWorker().verify('x', '$9$'.padEnd(60, 'x'))).rejects.toThrow('Invalid salt');
});

test('a worker that was never needed may be stopped', async () => {
  await new PasswordWorker().stop();
});
