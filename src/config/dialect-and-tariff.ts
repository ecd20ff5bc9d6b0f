import { z } from 'zod';
import { quote } from '../base/shown.ts';
import { readYaml } from '../base/yaml-content.ts';
import type { TextFile } from './kinds.ts';

/** A dialect file and its entries, which the client checks. */
export interface DialectEntries {
  readonly file: TextFile;
  readonly entries: readonly unknown[];
}

/** A tariff file and its content, which the collector of prices checks. */
export interface TariffContent {
  readonly file: TextFile;
  readonly content: unknown;
  /** Returns the line of the value at a path, or of the nearest value around it. */
  readonly lineOf: (path: readonly PropertyKey[]) => number;
}

/** Reads a dialect file as a list of entries, and leaves the entries to the client. */
export async function readDialectEntries(file: TextFile | undefined): Promise<{
  readonly dialect: DialectEntries | undefined;
  readonly problems: readonly string[];
}> {
  if (file === undefined) return { dialect: undefined, problems: [] };
  const read = await readYaml(file.text);
  const { data, error } = DIALECT_SCHEMA.safeParse('content' in read ? read.content : null);
  const fault = 'fault' in read ? read.fault : error?.issues[0]?.message;
  if (fault === undefined)
    return { dialect: Object.freeze({ file, entries: data ?? [] }), problems: [] };
  return { dialect: undefined, problems: [`--dialect.file: ${quote(file.path)}: ${fault}`] };
}

const DIALECT_SCHEMA = z
  .array(
    z.unknown(),
    'not a list; accepted: entries such as {key: pvPower, quantity: pv_power, unit: kW}',
  )
  .nullable();

/** Reads a tariff file, and leaves what it says to the collector of prices. */
export async function readTariff(file: TextFile | undefined): Promise<{
  readonly tariff: TariffContent | undefined;
  readonly problems: readonly string[];
}> {
  if (file === undefined) return { tariff: undefined, problems: [] };
  const read = await readYaml(file.text);
  if ('fault' in read)
    return {
      tariff: undefined,
      problems: [`--tariff.file: ${quote(file.path)}: ${read.fault}`],
    };
  return { tariff: Object.freeze({ file, ...read }), problems: [] };
}
