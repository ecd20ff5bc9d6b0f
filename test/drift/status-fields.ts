import { textOf } from './markdown.ts';

/** A field of the answer of `/api/v1/status`, as docs/api.md declares it. */
export interface StatusField {
  /** Such as `stations[].flow`; of what a list has, `stations[].partial[]`. */
  readonly path: string;
  /** `string`, `array`, `number | null` and so on. */
  readonly type: string;
  readonly isOptional: boolean;
}

/** The lines of each interface, and those of the one that it extends. */
const INTERFACES = new Map<string, string>();
for (const [, name = '', base = '', lines = ''] of textOf('docs/api.md').matchAll(
  /^interface (\w+)(?: extends (\w+))? \{\n([\s\S]*?)^\}/gm,
))
  INTERFACES.set(name, `${INTERFACES.get(base) ?? ''}${lines}`);

/** Lists the fields of an interface and, behind each, the fields of what it holds. */
export function statusFields(shape = 'Status', parent = ''): readonly StatusField[] {
  const lines = (INTERFACES.get(shape) ?? '').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const [, name = line, mark, declared = ''] = /^ {2}(\w+)(\??): ([^;]+);/.exec(line) ?? [];
    const path = `${parent}${name}`;
    const field = { path, isOptional: mark === '?' };
    const [, element] = /^\(?(.*?)\)?\[\]$/.exec(declared) ?? [];
    const held = element ?? declared;
    const inner = element === undefined ? path : `${path}[]`;
    const type = INTERFACES.has(held) ? 'object' : held.startsWith("'") ? 'string' : held;
    if (element === undefined && type !== 'object') return [{ ...field, type }];
    return [
      { ...field, type: element === undefined ? type : 'array' },
      ...(type === 'object'
        ? statusFields(held, `${inner}.`)
        : [{ path: inner, type, isOptional: false }]),
    ];
  });
}
