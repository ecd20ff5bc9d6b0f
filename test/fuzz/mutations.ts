import fc from 'fast-check';
import { hostileJson, hostileScalar, hostileText } from './hostile-values.ts';

/** What is done to one place of a document; places are counted, so that a counterexample stays short. */
export type Edit = { readonly place: number } & (
  | { readonly kind: 'remove' }
  | { readonly kind: 'double' }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'replace'; readonly value: unknown }
  | { readonly kind: 'replace all of the name'; readonly value: unknown }
  | { readonly kind: 'swap'; readonly other: number }
  | { readonly kind: 'nest'; readonly depth: number; readonly name: string }
);

const place = fc.nat(500);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ place, kind: fc.constant('remove' as const) }),
  fc.record({ place, kind: fc.constant('double' as const) }),
  fc.record({ place, kind: fc.constant('rename' as const), name: hostileText }),
  fc.record({ place, kind: fc.constant('replace' as const), value: hostileJson }),
  fc.record({
    place,
    kind: fc.constant('replace all of the name' as const),
    value: hostileScalar,
  }),
  fc.record({ place, kind: fc.constant('swap' as const), other: place }),
  fc.record({
    place,
    kind: fc.constant('nest' as const),
    depth: fc.constantFrom(1, 2, 100, 20_000),
    name: fc.constantFrom('', 'value', 'list', 'payload'),
  }),
);

/** One to six edits. */
export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(edit, { minLength: 1, maxLength: 6 });

/** Where a value stands: in what, and under which key. */
interface Place {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string;
}

/** A copy of the document, edited. */
export function edited(document: unknown, changes: readonly Edit[]): unknown {
  const root = { document: structuredClone(document) };
  for (const change of changes) apply(root, change);
  return root.document;
}

function apply(root: { document: unknown }, change: Edit): void {
  const places = placesIn(root);
  const at = (index: number): Place =>
    places[index % places.length] ?? { parent: root, key: 'document' };
  const { parent, key } = at(change.place);
  const value = get(parent, key);
  if (change.kind === 'remove') remove(parent, key);
  if (change.kind === 'double') add(parent, `${key}2`, value);
  if (change.kind === 'replace') put(parent, key, change.value);
  if (change.kind === 'nest') put(parent, key, nested(value, change.depth, change.name));
  if (change.kind === 'rename') {
    remove(parent, key);
    add(parent, change.name, value);
  }
  if (change.kind === 'replace all of the name')
    for (const same of places) if (same.key === key) put(same.parent, key, change.value);
  if (change.kind === 'swap') {
    const other = at(change.other);
    put(parent, key, get(other.parent, other.key));
  }
}

/** The first hundreds of places, without going deeper than any reader does. */
function placesIn(root: Record<string, unknown>): readonly Place[] {
  const places: Place[] = [];
  const walk = (parent: unknown, depth: number): void => {
    if (typeof parent !== 'object' || parent === null || depth > 12) return;
    for (const key of Object.keys(parent)) {
      if (places.length >= 500) return;
      places.push({ parent: parent as Place['parent'], key });
      walk((parent as Record<string, unknown>)[key], depth + 1);
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

function get(parent: Place['parent'], key: string): unknown {
  return (parent as Record<string, unknown>)[key];
}

function put(parent: Place['parent'], key: string, value: unknown): void {
  // As the parser of JSON does: `__proto__` is a name like any other.
  Object.defineProperty(parent, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function add(parent: Place['parent'], key: string, value: unknown): void {
  if (Array.isArray(parent)) parent.push(value);
  else put(parent, key, value);
}

function remove(parent: Place['parent'], key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}
