import { describe, expect, test, vi } from 'vitest';
import { FollowedFile } from '../../../src/client/session/followed-file.ts';
import { SessionFile } from '../../../src/client/session/session-file.ts';
import { SilentLog } from '../../support/silent-log.ts';
import { freshSession, MemoryFile, tokenSet } from './session-harness.ts';

const CREDENTIALS = ['https://service.example', 'planted-account', 'planted-password'];

/** A file that an exporter with these credentials has written. */
async function writtenFile(access = 'first') {
  const file = new MemoryFile();
  await writeTo(file, access);
  return file;
}

async function writeTo(file: MemoryFile, access: string) {
  const exporter = { file, credentials: CREDENTIALS, newSalt: () => 'salt', log: new SilentLog() };
  const store = await SessionFile.open(exporter);
  await store.save(freshSession({ tokens: tokenSet(access) }));
}

/** The access token that the file has for these credentials, or why it has none. */
async function readBy(followed: FollowedFile): Promise<string | undefined> {
  const state = await followed.read();
  return state.kind === 'session' ? state.session.tokens?.accessToken.reveal() : state.kind;
}

describe('the session file of a running exporter', () => {
  test('has the tokens of its newest write', async () => {
    const file = await writtenFile('first');
    const followed = new FollowedFile({ file, credentials: CREDENTIALS });
    expect(await readBy(followed)).toBe('first');
    await writeTo(file, 'second');
    expect(await readBy(followed)).toBe('second');
  });

  test('is not there before the exporter has tried to log in', async () => {
    const file = new MemoryFile();
    const followed = new FollowedFile({ file, credentials: CREDENTIALS });
    expect(await readBy(followed)).toBe('none');
    await writeTo(file, 'first');
    expect(await readBy(followed)).toBe('first');
  });

  test('shows no token to other credentials', async () => {
    const file = await writtenFile();
    const credentials = [...CREDENTIALS.slice(0, 2), 'other'];
    const followed = new FollowedFile({ file, credentials });
    expect(await followed.read()).toEqual({ kind: 'of-others' });
    expect(await followed.read()).toEqual({ kind: 'of-others' });
  });

  test('is seen to change to other credentials', async () => {
    const file = await writtenFile();
    const followed = new FollowedFile({ file, credentials: CREDENTIALS });
    expect(await readBy(followed)).toBe('first');
    const others = { file, credentials: ['other'], newSalt: () => 'more', log: new SilentLog() };
    await (await SessionFile.open(others)).save(freshSession());
    expect(await readBy(followed)).toBe('of-others');
  });

  test.each(['', 'nonsense', '{"version":2}'])('is of no use as %j, and stays so', async (text) => {
    const file = new MemoryFile(text);
    const followed = new FollowedFile({ file, credentials: CREDENTIALS });
    expect(await followed.read()).toEqual({
      kind: 'unusable',
      reason: 'not a session of this version',
    });
    expect(file).toEqual(new MemoryFile(text));
  });

  test('is of no use when it cannot be read, and the reason says no path', async () => {
    const file = new MemoryFile();
    vi.spyOn(file, 'read').mockRejectedValueOnce(
      Object.assign(new Error("EACCES: no, '/planted'"), { code: 'EACCES' }),
    );
    const followed = new FollowedFile({ file, credentials: CREDENTIALS });
    expect(await followed.read()).toEqual({ kind: 'unusable', reason: 'EACCES' });
  });
});
