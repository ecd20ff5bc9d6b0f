import { type OptionDefinition, OPTIONS } from '../config/options.ts';
import { COMMANDS, nameOf, SWITCHES } from './commands.ts';

/** What the command line knows of a flag: an option whose text the configuration reads, or a switch of a command. */
export interface Flag {
  /** Without its dashes: `cache.max-age`. */
  readonly name: string;
  /** What the help says of it, with the words that it accepts and what happens without it. */
  readonly describe: string;
  /** The commands that take it; absent: all. */
  readonly commands?: readonly string[] | undefined;
  /** The option that it gives; absent for a switch, which nothing but the flag gives. */
  readonly option?: OptionDefinition;
}

/** Every flag, in the order of the help. */
export const FLAGS: readonly Flag[] = [
  ...Object.entries(SWITCHES).map(([name, describe]) => ({
    name,
    describe,
    commands: COMMANDS.filter(({ flags }) => flags?.includes(name)).map(nameOf),
  })),
  ...OPTIONS.filter(({ secret }) => secret !== true).map(flagOf),
];

export const FLAG_BY_NAME: ReadonlyMap<string, Flag> = new Map(
  FLAGS.map((flag) => [flag.name, flag]),
);

/** The variables that secrets come by. */
export const SECRET_VARIABLES = OPTIONS.filter(({ secret }) => secret).map(({ env }) => env);

/** Whether a flag has no value, or one behind `=`. */
export function isYesOrNo({ option }: Flag): boolean {
  return option === undefined || option.kind === 'boolean';
}

/** Says what the value of an option may be: `accepted: auto, or …`. */
export function acceptedBy(option: OptionDefinition): string {
  const refusal = option.kind === 'textFile' ? '' : option.refusal;
  const [accepted] = /accepted: .*$/.exec(refusal) ?? [];
  return accepted ?? 'accepted: the path of a file';
}

/** Lists words as a sentence does: `check, devices and readings`. */
export function listed(words: readonly string[]): string {
  const [last = '', ...before] = words.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`;
}

function flagOf(option: OptionDefinition): Flag {
  const { flag, describe, choices, default: fallback, unset, kind, commands } = option;
  const accepted = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const without = fallback ?? unset;
  // That a switch is off is what everybody expects.
  const isPlain = without === undefined || (kind === 'boolean' && without === 'false');
  const shown = isPlain ? '' : ` [default: ${without.replaceAll('`', '')}]`;
  return { name: flag, describe: describe + accepted + shown, commands, option };
}
