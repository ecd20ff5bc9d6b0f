import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type InputType } from 'node:zlib';
import { UnreadableError } from './json.ts';

/** Far more than a correct answer needs: 2000 readings of seven keys take some 200 KiB. */
const MAX_BYTES = 8 * 1024 * 1024;
/** In the longest answer, pieces of 80 bytes each. Every piece takes some microseconds, however short it is. */
const MAX_PIECES = 100_000;
const TOO_LONG = `more than ${MAX_BYTES} bytes`;

type Decompress = (
  packed: InputType,
  limit: { readonly maxOutputLength: number },
) => Promise<Buffer>;

const DECOMPRESS: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['br', promisify(brotliDecompress)],
  // By definition it has a zlib header, which some servers leave out.
  [
    'deflate',
    (packed, limit) => promisify(hasZlibHeader(packed) ? inflate : inflateRaw)(packed, limit),
  ],
]);

function hasZlibHeader(packed: InputType): boolean {
  const [first = 0, second = 0] = packed as Buffer;
  return first % 16 === 8 && (first * 256 + second) % 31 === 0;
}

/**
 * Reads the text of an answer, and decompresses it, because some proxies compress without being asked. It joins the
 * pieces as they come, because a separate piece takes far more memory than its bytes.
 *
 * @param encoding - the header `content-encoding`; a body in an unknown encoding is left as it is.
 * @throws UnreadableError
 */
export async function readBody(body: AsyncIterable<Buffer>, encoding = ''): Promise<string> {
  let bytes = Buffer.alloc(0);
  let [length, pieces] = [0, 0];
  for await (const piece of body) {
    pieces += 1;
    if (length + piece.length > MAX_BYTES) throw new UnreadableError(TOO_LONG);
    if (pieces > MAX_PIECES) throw new UnreadableError(`more than ${MAX_PIECES} pieces`);
    if (length + piece.length > bytes.length)
      bytes = Buffer.concat([bytes], 2 * (length + piece.length));
    piece.copy(bytes, length);
    length += piece.length;
  }
  const decompress = DECOMPRESS.get(encoding.trim().toLowerCase());
  const packed = bytes.subarray(0, length);
  const plain = decompress === undefined ? packed : await decompressed(packed, decompress);
  // The decoder leaves out the byte order mark.
  return new TextDecoder().decode(plain);
}

async function decompressed(packed: Buffer, decompress: Decompress): Promise<Buffer> {
  try {
    return await decompress(packed, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    const isTooLong = error instanceof RangeError;
    throw new UnreadableError(isTooLong ? TOO_LONG : 'what it is compressed with is damaged', {
      cause: error,
    });
  }
}
