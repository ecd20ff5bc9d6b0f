import { nextTurn } from '../base/clock.ts';

/** So much of a page takes a millisecond or two to render. */
const CHARACTERS_PER_TURN = 16 * 1024;

/**
 * Puts the pieces of a text together, in UTF-8. Of a long text, a few pieces are taken in each turn of the event
 * loop: where they are made when they are taken, whoever else is ready has a turn in between.
 *
 * @param pieces - none of them ends between the halves of a surrogate pair
 */
export async function bytesInTurns(pieces: Iterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < CHARACTERS_PER_TURN) continue;
    parts.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  return Buffer.concat([...parts, Buffer.from(text)]);
}
