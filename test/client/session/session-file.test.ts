import { describe, expect, test, vi } from 'vitest';
import { SessionFile } from '../../../src/client/session/session-file.ts';
import { deferred } from '../../support/deferred.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { freshSession, MemoryFile, tokenSet } from './session-harness.ts';

const CREDENTIALS = ['https://service.example', 'planted-account', 'planted-password'];
const TOKENS = freshSession({ tokens: tokenSet('planted-access', 'planted-refresh') });

async function openStore(file = new MemoryFile(), credentials = CREDENTIALS) {
  const log = new SilentLog();
  const newSalt = vi.fn(() => 'salt');
  const store = await SessionFile.open({ file, credentials, newSalt, log });
  return { store, file, log, newSalt };
}

function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(`${code}: no, '/planted'`), { code }));
}

describe('a session file', () => {
  test('has no session at first, and writes nothing before it is asked to', async () => {
    const { store, file, log } = await openStore();
    expect(store.saved).toBeUndefined();
    expect(file.written).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  test('returns the saved session to the next program with the same credentials', async () => {
    const { store, file } = await openStore();
    await store.save(TOKENS);
    const { store: next, log, newSalt } = await openStore(file);
    expect(next.saved?.tokens?.accessToken.reveal()).toBe('planted-access');
    expect(next.saved?.tokens?.refreshToken?.reveal()).toBe('planted-refresh');
    expect(newSalt).not.toHaveBeenCalled();
    expect(log.lines).toEqual([]);
  });

  test('contains neither the account nor the password', async () => {
    const { store, file } = await openStore();
    await store.save(TOKENS);
    expect(file.text).not.toContain('planted-account');
    expect(file.text).not.toContain('planted-password');
  });

  test.each([
    { what: 'another password', credentials: [...CREDENTIALS.slice(0, 2), 'other'] },
    { what: 'another account', credentials: [CREDENTIALS[0], 'other', CREDENTIALS[2]] },
    { what: 'no credentials', credentials: [] },
  ])('returns no session for $what, and stays as it is until something is saved', async (row) => {
    const { store, file } = await openStore();
    await store.save(TOKENS);
    const text = file.text;
    const credentials = row.credentials.map((part) => part ?? '');
    const { store: other, log } = await openStore(file, credentials);
    expect(other.saved).toBeUndefined();
    expect(log.messages('info')).toEqual([
      'the saved session belongs to other credentials and is not used',
    ]);
    expect(file.text).toBe(text);
    await other.save(freshSession());
    expect((await openStore(file)).store.saved).toBeUndefined();
    expect((await openStore(file, credentials)).store.saved).toEqual(freshSession());
  });

  test('is written only when the session has changed', async () => {
    const { store, file } = await openStore();
    await store.save(TOKENS);
    await store.save(TOKENS);
    await store.save(freshSession());
    await store.save(TOKENS);
    expect(file.written).toHaveLength(3);
  });

  test('is written once at a time, with the newest session last', async () => {
    const { store, file } = await openStore();
    const first = deferred<undefined>();
    const write = file.write.bind(file);
    vi.spyOn(file, 'write').mockImplementationOnce(async (text) => {
      await first.promise;
      await write(text);
    });
    const saved = [store.save(TOKENS), store.save(freshSession())];
    first.resolve(undefined);
    await Promise.all(saved);
    expect(file.written).toHaveLength(2);
    expect((await openStore(file)).store.saved?.tokens).toBeUndefined();
  });
});

describe('a session file that cannot be used', () => {
  test.each(['', '{"version":2}', 'nonsense'])('%j is set aside with a warning', async (text) => {
    const { store, file, log } = await openStore(new MemoryFile(text));
    expect(store.saved).toBeUndefined();
    expect(file.setAsideText).toBe(text);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: {
          reason: 'not a session of this version',
          place: '/state/session.json.unusable',
        },
        message: 'the saved session cannot be used and was set aside',
      },
    ]);
    await store.save(TOKENS);
    expect((await openStore(file)).store.saved?.tokens).toBeDefined();
  });

  test('is set aside when it cannot be read', async () => {
    const file = new MemoryFile('text');
    vi.spyOn(file, 'read').mockImplementationOnce(failing('EACCES'));
    const { store, log } = await openStore(file);
    expect(store.saved).toBeUndefined();
    expect(log.lines[0]?.fields).toEqual({
      reason: 'EACCES',
      place: '/state/session.json.unusable',
    });
  });

  test('does not fail the program when it cannot be set aside', async () => {
    const file = new MemoryFile('nonsense');
    vi.spyOn(file, 'setAside').mockImplementationOnce(failing('EROFS'));
    const { store, log } = await openStore(file);
    expect(store.saved).toBeUndefined();
    expect(log.lines[0]?.fields).toMatchObject({ place: 'nowhere (EROFS)' });
  });

  test('is logged once when it cannot be written, and once when it can again', async () => {
    const { store, file, log } = await openStore();
    const write = vi.spyOn(file, 'write').mockImplementation(failing('ENOSPC'));
    await store.save(TOKENS);
    await store.save(freshSession());
    expect(log.lines).toEqual([
      {
        level: 'warn',
        fields: { reason: 'ENOSPC' },
        message: 'the session cannot be kept in --state.dir: a restart will have to log in',
      },
    ]);
    write.mockRestore();
    // The same session again: its first write failed, so it is not skipped.
    await store.save(freshSession());
    await store.save(TOKENS);
    expect(log.messages('info')).toEqual(['the session is kept in --state.dir again']);
    expect((await openStore(file)).store.saved?.tokens).toBeDefined();
  });

  test('is not quoted in the log', async () => {
    const file = new MemoryFile('{"accessToken":"planted"}');
    vi.spyOn(file, 'write').mockImplementation(failing('ENOSPC'));
    const { store, log } = await openStore(file);
    await store.save(TOKENS);
    expect(log.lines).toHaveLength(2);
    expect(JSON.stringify(log.lines)).not.toContain('planted');
  });
});
