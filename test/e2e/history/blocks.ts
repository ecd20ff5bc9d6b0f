import { join } from 'node:path';
import { expect } from 'vitest';
import { promtool } from '../prometheus/promtool.ts';
import { filesIn } from './history-run.ts';

/** Writes the files of a directory into the storage of a Prometheus, by the lines of docs/history.md. */
export function importFiles(directory: string, storage: string): readonly string[] {
  const files = filesIn(directory, /\.om$/);
  for (const file of files) {
    const { status, output } = promtool(
      directory,
      'tsdb',
      'create-blocks-from',
      'openmetrics',
      '--quiet',
      '--max-block-duration=1458h',
      join(directory, file),
      storage,
    );
    expect({ status, output }, file).toEqual({ status: 0, output: '' });
  }
  return files;
}
