/**
 * Yields the same JSON as `JSON.stringify`, in pieces: whatever lies `levels` deep in objects and lists is a
 * piece of its own, made when it is taken.
 *
 * @param value - made of plain objects, lists, texts, numbers, booleans and null; undefined only as a field,
 *   which is left out
 */
export function* jsonPieces(value: unknown, levels: number): Generator<string> {
  if (levels === 0 || typeof value !== 'object' || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* listPieces(value, levels);
  else yield* fieldPieces(value, levels);
}

function* listPieces(list: readonly unknown[], levels: number): Generator<string> {
  yield '[';
  for (const [index, entry] of list.entries()) {
    if (index > 0) yield ',';
    yield* jsonPieces(entry, levels - 1);
  }
  yield ']';
}

function* fieldPieces(fields: object, levels: number): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* jsonPieces(value, levels - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
