import { open } from 'node:fs/promises';

/**
 * Makes the names in a directory survive a power cut: without this, a file that was renamed there could be
 * under its old name again. Rejects with the system's error.
 */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
