import type { StateFile } from '../../src/base/kept-file.ts';

/** A file in memory; it survives the program. */
export class MemoryFile implements StateFile {
  text: string | undefined;
  /** Everything that was written, in order. */
  readonly writes: string[] = [];

  constructor(text?: string) {
    this.text = text;
  }

  read = () => Promise.resolve(this.text);

  write = (text: string): Promise<void> => {
    this.writes.push(text);
    this.text = text;
    return Promise.resolve();
  };

  setAside = () => Promise.resolve('/state/kept.json.unusable');
}
