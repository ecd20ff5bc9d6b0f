/** Is what a YAML file holds, null for nothing, or what completes "FILE: …". */
export type YamlContent = { readonly content: unknown } | { readonly fault: string };

/**
 * Reads YAML whose scalars all stay text as written: a station id beyond 2^53 keeps its digits, and
 * one reader per kind of option serves every source. Faults name a line, never content of the file.
 */
export async function readYaml(text: string): Promise<YamlContent> {
  // Loaded only when there is a file to read: most installations have none.
  const { LineCounter, parseDocument } = await import('yaml');
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
  try {
    return { content: document.toJS() as unknown };
  } catch {
    return { fault: 'not YAML: an alias without an anchor before it, or too many aliases' };
  }
}
