import { quote } from '../base/shown.ts';
import { readYaml } from '../base/yaml-content.ts';
import { type AccountEntry, readAccountEntries } from './account-entries.ts';
import type { SourceContent } from './assignment.ts';
import { FileMapping } from './file-mapping.ts';
import { OPTIONS } from './options.ts';

/** What a configuration file assigns, and its list of accounts, where it has one. */
export interface FileContent extends SourceContent {
  readonly accounts?: readonly AccountEntry[] | undefined;
}

const ACCOUNTS = 'accounts';
const MAPPING = new FileMapping(OPTIONS, [ACCOUNTS]);

/** Collects what the text of a configuration file assigns. */
export async function fromConfigFile(path: string, text: string): Promise<FileContent> {
  const file = quote(path).slice(1, -1);
  const read = await readYaml(text);
  const mapping = 'fault' in read ? read : MAPPING.read(read.content, { prefix: '', file });
  if ('fault' in mapping)
    return { assignments: new Map(), problems: [`${file}: ${mapping.fault}`] };
  const content = 'content' in read ? (read.content as object | null) : null;
  if (content === null || !Object.hasOwn(content, ACCOUNTS)) return mapping;
  const listed = (content as Readonly<Record<string, unknown>>)[ACCOUNTS];
  const { entries, problems } = readAccountEntries(listed, file);
  return {
    assignments: mapping.assignments,
    problems: [...mapping.problems, ...problems],
    accounts: entries,
  };
}
