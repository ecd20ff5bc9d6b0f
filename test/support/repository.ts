import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, parseAllDocuments } from 'yaml';

/** The full path of a file or folder of the repository. */
export function repositoryPath(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

export function readText(path: string): string {
  return readFileSync(repositoryPath(path), 'utf8');
}

/** The content of a YAML file, with `<<` merged as the programs that read it do. */
export function readYaml(path: string): unknown {
  return parse(readText(path), { merge: true });
}

/** Every document of a text, read as the programs of Kubernetes do: 0440 is octal to them. */
export function parseDocuments(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { version: '1.1' });
  return documents.map((document) => document.toJS() as unknown);
}

/** The assignments of a file of environment variables, in its order. */
export function readAssignments(path: string): ReadonlyMap<string, string> {
  const lines = readText(path).matchAll(/^(\w+)=(.*)$/gm);
  return new Map([...lines].map(([, name = '', value = '']) => [name, value]));
}
