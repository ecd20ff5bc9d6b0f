import { turn } from '../base/turns.ts';

/**
 * Puts the pieces of a text together, in UTF-8. Where they are made when they are taken, whoever else is ready has a
 * turn in between.
 *
 * @param pieces - none of them ends between the halves of a surrogate pair
 */
export async function bytesInTurns(pieces: Iterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (!turn.isOver()) continue;
    parts.push(Buffer.from(text));
    text = '';
    await turn.next();
  }
  return Buffer.concat([...parts, Buffer.from(text)]);
}
