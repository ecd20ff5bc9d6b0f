/** How long a chunk is, about: large enough to write at once, small beside what is read. */
const CHUNK_LENGTH = 64 * 1024;

/** Joins short texts to chunks of about 64 KiB, or of the length that is given; none is empty. */
export function* inChunks(
  texts: Iterable<string>,
  chunkLength: number = CHUNK_LENGTH,
): Generator<string> {
  let chunk = '';
  for (const text of texts) {
    chunk += text;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
