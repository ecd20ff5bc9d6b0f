import type * as Yaml from 'yaml';

/** Is what a YAML file holds, null for nothing, or what completes "FILE: …". */
export type YamlContent = { readonly content: unknown } | { readonly fault: string };

/** Far more than any file of options needs: repeated keys cost the parser the square of their number. */
const LONGEST_CHARACTERS = 65_536;

/**
 * Reads YAML whose scalars all stay text as written: a station id beyond 2^53 keeps its digits, and
 * one reader per kind of option serves every source. Faults name a line, never content of the file.
 */
export async function readYaml(text: string): Promise<YamlContent> {
  const read = await loadYamlReader();
  return read(text);
}

/** Loads what {@link readYaml} reads with, for whoever reads again and again and must not wait then. */
export async function loadYamlReader(): Promise<(text: string) => YamlContent> {
  // Loaded only when there is a file to read: most installations have none.
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
    // Its own messages quote the file, and with it the secrets in it.
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    return { fault: `not YAML: ${error.code.toLowerCase().replaceAll('_', ' ')} at line ${line}` };
  }
  const circular = new Set<string>();
  // The parser's own limits do not count these, and it takes the cube of their number to resolve them.
  visit(document, {
    Alias: (_key, { source }, ancestors) => {
      if (ancestors.some((node) => 'anchor' in node && node.anchor === source))
        circular.add(source);
    },
  });
  if (circular.size > 0) return { fault: 'not YAML: an alias inside its own anchor' };
  try {
    return { content: document.toJS() as unknown };
  } catch {
    return { fault: 'not YAML: an alias without an anchor before it, or too many aliases' };
  }
}
