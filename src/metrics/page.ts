import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

/** A rendered page; compressed at most once, and only when somebody asks for it. */
export class Page {
  readonly body: Buffer;
  #compressed: Promise<Buffer> | undefined;

  constructor(text: string) {
    this.body = Buffer.from(text, 'utf8');
  }

  gzipped(): Promise<Buffer> {
    return (this.#compressed ??= compress(this.body));
  }
}
