import fc from 'fast-check';
import { RECORDING_NAMES, readRecording } from '../support/recordings.ts';
import { hostileJson, hostileText } from './hostile-values.ts';

/** What is done to one place of a document; places are counted. */
const edit = fc.record({
  kind: fc.constantFrom('remove', 'double', 'rename', 'replace', 'replace all', 'swap', 'nest'),
  place: fc.nat(500),
  other: fc.nat(500),
  name: fc.oneof(hostileText, fc.constantFrom('', 'value', 'list', 'payload')),
  value: hostileJson,
  depth: fc.constantFrom(1, 2, 100, 20_000),
});

/** A recorded answer whose name begins with one of the prefixes, with one to six faults. */
export function faultyRecording(...prefixes: readonly string[]): fc.Arbitrary<unknown> {
  const documents = RECORDING_NAMES.filter((name) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  ).map(readRecording);
  return fc
    .tuple(fc.constantFrom(...documents), fc.array(edit, { minLength: 1, maxLength: 6 }))
    .map(([document, edits]) => {
      const root = { document: structuredClone(document) };
      for (const change of edits) apply(root, change);
      return root.document;
    });
}

type Parent = Record<string, unknown>;
type Edit = typeof edit extends fc.Arbitrary<infer E> ? E : never;

function apply(root: Parent, { kind, place, other, name, value, depth }: Edit): void {
  const places = placesIn(root);
  const at = (index: number) => places[index % places.length] ?? { parent: root, key: 'document' };
  const { parent, key } = at(place);
  const before = parent[key];
  if (kind === 'remove' || kind === 'rename') remove(parent, key);
  if (kind === 'double') add(parent, `${key}2`, before);
  if (kind === 'rename') add(parent, name, before);
  if (kind === 'replace') put(parent, key, value);
  if (kind === 'nest') put(parent, key, nested(before, depth, name));
  if (kind === 'swap') put(parent, key, at(other).parent[at(other).key]);
  if (kind === 'replace all')
    for (const same of places) if (same.key === key) put(same.parent, key, value);
}

/** The first hundreds of places, without going deeper than any reader does. */
function placesIn(root: Parent) {
  const places: { readonly parent: Parent; readonly key: string }[] = [];
  const walk = (parent: Parent, depth: number): void => {
    for (const [key, value] of Object.entries(parent)) {
      if (places.length >= 500) return;
      places.push({ parent, key });
      if (typeof value === 'object' && value !== null && depth < 12)
        walk(value as Parent, depth + 1);
    }
  };
  walk(root, 0);
  return places;
}

function nested(value: unknown, depth: number, name: string): unknown {
  let outer = value;
  for (let level = 0; level < depth; level += 1) outer = name === '' ? [outer] : { [name]: outer };
  return outer;
}

const OPEN = { enumerable: true, configurable: true, writable: true };

function put(parent: Parent, key: string, value: unknown): void {
  // As the parser of JSON does: `__proto__` is a name like any other.
  Object.defineProperty(parent, key, { value, ...OPEN });
}

function add(parent: Parent, key: string, value: unknown): void {
  if (Array.isArray(parent)) parent.push(value);
  else put(parent, key, value);
}

function remove(parent: Parent, key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}
