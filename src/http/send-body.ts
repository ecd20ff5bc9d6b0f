import type { ServerResponse } from 'node:http';
import { nextTurn } from '../base/clock.ts';

/** The system takes so much at once from nearly every connection, and TLS encrypts it in well under a millisecond. */
const PIECE_BYTES = 64 * 1024;

/**
 * Sends the body of an answer and ends it. A large body goes out piece by piece: everybody else has a turn
 * between two pieces, and with TLS no more than one of them is kept in a copy for a client that takes none.
 *
 * @returns How many bytes of it are kept until the client has taken them.
 */
export function sendBody(response: ServerResponse, body: Buffer): number {
  if (body.length <= PIECE_BYTES) {
    response.end(body);
    // Nearly always none: the answer is in the buffers of the system by now.
    return response.socket?.writableLength ?? 0;
  }
  void sendPieces(response, body);
  return body.length;
}

async function sendPieces(response: ServerResponse, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    const piece = body.subarray(at, at + PIECE_BYTES);
    await new Promise((resolve) => response.write(piece, resolve));
    await nextTurn();
    if (response.destroyed) return;
  }
  response.end();
}
