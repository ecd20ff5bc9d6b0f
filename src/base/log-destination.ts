import { Writable } from 'node:stream';
import { escapedLines } from './shown.ts';

/** Writes a text; says by `sent` whether that worked, and may throw instead. */
export type SendText = (text: string, sent: (error?: Error | null) => void) => void;

/**
 * Where the lines of the log go. A full disk or a closed pipe must not end the program, so lines that cannot be
 * written are dropped and counted. And nothing in a line may make a terminal obey the service, which names
 * stations and devices.
 */
export class LogDestination extends Writable {
  readonly #send: SendText;
  #dropped = 0;
  /** How many of them were dropped since a line was last written. */
  #droppedInARow = 0;
  /** Called when a line could be written again, with the number that was dropped before it. */
  onRecovered: (dropped: number) => void = () => undefined;

  constructor(send: SendText) {
    super({ decodeStrings: false });
    this.#send = send;
  }

  get dropped(): number {
    return this.#dropped;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    try {
      this.#send(escapedLines(String(chunk)), (error) => this.#ended(error == null));
    } catch {
      this.#ended(false);
    }
    done();
  }

  #ended(isWritten: boolean): void {
    if (!isWritten) {
      this.#dropped += 1;
      this.#droppedInARow += 1;
      return;
    }
    const dropped = this.#droppedInARow;
    this.#droppedInARow = 0;
    if (dropped > 0) this.onRecovered(dropped);
  }
}
