import type { TextFile } from './option.ts';
import { quote } from '../shown.ts';
import { readYaml } from '../yaml-content.ts';

/** Is a dialect file and its entries, which only the client can judge. */
export interface DialectEntries {
  readonly file: TextFile;
  readonly entries: readonly unknown[];
}

/** Reads a dialect file as far as the configuration understands it: a list, of whatever. */
export async function readDialectEntries(file: TextFile | undefined): Promise<{
  readonly dialect?: DialectEntries;
  readonly problems: readonly string[];
}> {
  if (file === undefined) return { problems: [] };
  const read = await readYaml(file.text);
  const fault = 'fault' in read ? read.fault : faultOf(read.content);
  if (fault !== undefined) return { problems: [`--dialect.file: ${quote(file.path)}: ${fault}`] };
  const entries = 'content' in read && Array.isArray(read.content) ? read.content : [];
  return { dialect: Object.freeze({ file, entries: entries as readonly unknown[] }), problems: [] };
}

function faultOf(content: unknown): string | undefined {
  if (content === null || Array.isArray(content)) return undefined;
  return 'not a list; accepted: entries such as {key: pvPower, quantity: pv_power, unit: kW}';
}
