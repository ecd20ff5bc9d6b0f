/** A unit of systemd: by section and directive, every value that was given, in order. */
export type UnitFile = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Reads a unit file without continued lines. */
export function parseUnitFile(text: string): UnitFile {
  const sections = new Map<string, Map<string, string[]>>();
  let section: Map<string, string[]> | undefined;
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, directive, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      section = new Map();
      sections.set(name, section);
    } else if (section !== undefined && directive !== undefined) {
      section.set(directive, [...(section.get(directive) ?? []), value]);
    } else {
      throw new Error(`neither section nor directive: ${line}`);
    }
  }
  return sections;
}
