import { Secret } from '../../../src/base/shown.ts';
import { parseConfig, type ParsedConfig } from '../../../src/config/config.ts';
import { OPTION_BY_FLAG } from '../../../src/config/options.ts';
import { problemsOf as problemsOfRun } from '../../support/refusals.ts';

/** What a configuration is read from. */
export interface Given {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The text of the configuration file, which is named `solar.yaml`. */
  readonly file?: string;
  /** Other files, by path; those that are not here do not exist. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether they are needed; they are not when left out. */
  readonly credentials?: boolean;
  /** The command that uses it, where it lasts. */
  readonly lasting?: string | undefined;
}

export function parse(given: Given = {}): Promise<ParsedConfig> {
  const { flags = {}, env = {}, file, files = {}, credentials = false, lasting } = given;
  const texts = new Map(Object.entries(files));
  if (file !== undefined) texts.set('solar.yaml', file);
  const readFile = (path: string): string => {
    const text = texts.get(path);
    if (text === undefined) throw Object.assign(new Error('secret'), { code: 'ENOENT' });
    return text;
  };
  const named = file === undefined ? {} : { 'config.file': 'solar.yaml' };
  return parseConfig({ flags: { ...named, ...flags }, env, readFile }, { credentials, lasting });
}

/** The sentences with which a configuration is refused; none when it is accepted. */
export const problemsOf = (given: Given): Promise<readonly string[]> =>
  problemsOfRun(() => parse(given));

/** The value that an option has in a configuration; that of a secret, too. */
export function valueOf(config: object, flag: string): unknown {
  let value: unknown = config;
  for (const key of OPTION_BY_FLAG.get(flag)?.path ?? [])
    value = (value as Record<string, unknown>)[key];
  return value instanceof Secret ? value.reveal() : value;
}
