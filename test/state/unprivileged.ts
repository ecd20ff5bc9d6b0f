import { chmodSync, chownSync } from 'node:fs';
import { temporaryDirectory } from '../support/prometheus.ts';

const NOBODY = 65_534;
/** Whether there is a right to become somebody else. */
export const isRoot = process.geteuid?.() === 0;

/** Runs something as a user whose rights count: to root, nothing is closed. */
export async function withoutPrivileges<T>(run: () => Promise<T>): Promise<T> {
  if (!isRoot) return run();
  process.seteuid?.(NOBODY);
  try {
    return await run();
  } finally {
    process.seteuid?.(0);
  }
}

/** A directory that belongs to who runs {@link withoutPrivileges}, and that may not be written to. */
export function readOnlyDirectory(): string {
  const directory = temporaryDirectory();
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  chmodSync(directory, 0o500);
  return directory;
}
