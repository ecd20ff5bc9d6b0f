import type * as Yaml from 'yaml';

/** The content of a YAML file, null when it is empty, or a fault that completes "FILE: …". */
export type YamlContent = ReadYaml | { readonly fault: string };

interface ReadYaml {
  readonly content: unknown;
  /** Returns the line of the value at a path of keys, or of the nearest value around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** More than any file of options needs. The parser's time grows with the square of the number of keys. */
const LONGEST_CHARACTERS = 65_536;

/**
 * Loads a reader of YAML that does not convert scalars. They stay text as written: a station id above 2^53 keeps its
 * digits, and an option is read the same way from every source. Faults name a line and never quote the file, which
 * may hold secrets.
 */
export async function loadYamlReader(): Promise<(text: string) => YamlContent> {
  // Loaded on demand, because most installations have no YAML file.
  const yaml = await import('yaml');
  return (text) => contentOf(text, yaml);
}

function contentOf(text: string, { LineCounter, parseDocument, visit }: typeof Yaml): YamlContent {
  if (text.length > LONGEST_CHARACTERS)
    return { fault: `too long; accepted: up to ${LONGEST_CHARACTERS} characters` };
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    stringKeys: true,
    lineCounter,
    // The parser's own messages quote the file, and so any secret in it.
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    return { fault: `not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')} at line ${line}` };
  }
  const circular = new Set<string>();
  // The parser's limits do not count circular aliases, and its time grows with the cube of their number.
  visit(document, {
    Alias: (_key, { source }, ancestors) => {
      if (ancestors.some((node) => 'anchor' in node && node.anchor === source))
        circular.add(source);
    },
  });
  if (circular.size > 0) return { fault: 'not YAML: an alias inside its own anchor' };
  try {
    return {
      content: document.toJS() as unknown,
      lineOf: (path) => lineCounter.linePos(startOf(document, path)).line,
    };
  } catch {
    return { fault: 'not YAML: an alias without an anchor before it, or too many aliases' };
  }
}

/** Returns where the value at a path begins; for a missing value, where the nearest value around it begins. */
function startOf(document: Yaml.Document.Parsed, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true) as Yaml.Node | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}
