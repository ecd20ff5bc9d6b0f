import { chmodSync, chownSync } from 'node:fs';
import { temporaryDirectory } from './prometheus.ts';

const NOBODY = 65_534;
/** Whether this process may become another user. */
export const isRoot = process.geteuid?.() === 0;

/** Runs a function as an unprivileged user, because root may open everything. */
export async function withoutPrivileges<T>(run: () => Promise<T>): Promise<T> {
  if (!isRoot) return run();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

/** Creates a directory that belongs to the user of {@link withoutPrivileges}, who may not write to it. */
export function readOnlyDirectory(): string {
  const directory = temporaryDirectory();
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  chmodSync(directory, 0o500);
  return directory;
}
