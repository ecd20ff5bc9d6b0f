import { quote } from '../base/shown.ts';
import { nearest } from '../config/nearest.ts';
import { OPTION_BY_FLAG } from '../config/options.ts';
import { commandIn, COMMANDS, GROUP, nameOf } from './commands.ts';

const NAMES: readonly string[] = COMMANDS.map(nameOf);

/** Replaces a message of the parser where ours says more. */
export function explainRefusal(message: string, argv: readonly string[]): string {
  const [, flag = ''] = /^Not enough arguments following: (.*)/.exec(message) ?? [];
  const option = OPTION_BY_FLAG.get(flag);
  if (option !== undefined) {
    const refusal = option.kind === 'textFile' ? '' : option.refusal;
    const [, accepted = 'accepted: the path of a file'] = /(accepted: .*)$/.exec(refusal) ?? [];
    return `--${flag}: has no value; ${accepted}`;
  }
  const [, surplus] = /^Unknown commands?: ([^,]*)/.exec(message) ?? [];
  return surplus === undefined ? message : explainUnknownWord(surplus, argv);
}

/** Says why a word of the command line is refused, and what would be accepted there. */
export function explainUnknownWord(word: string, argv: readonly string[]): string {
  const before = argv[argv.indexOf(word) - 1] ?? '';
  const option = OPTION_BY_FLAG.get(before.replace(/^--(?:no-)?/, ''));
  if (option?.kind === 'boolean')
    return `${before} ${quote(word)}: a yes or no takes its value behind =; accepted: --${option.flag}, --${option.flag}=false`;
  const command = commandIn(argv);
  const usage = `solar-exporter ${command?.usage ?? ''}`;
  if (command !== undefined && argv.indexOf(word) > 0) {
    const takesDevice = command.usage.includes('device');
    const blanks = takesDevice ? '; put a name with blanks into quotes' : '';
    return `${quote(word)}: one word too many; accepted: ${usage}${blanks}`;
  }
  const words = new Map(NAMES.map((name) => [name, name]));
  if (argv[0] === GROUP) for (const name of NAMES) words.set(name.replace(`${GROUP} `, ''), name);
  const meant = words.get(nearest(word, [...words.keys()]) ?? '');
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return `${quote(word)}: unknown command${hint}; accepted: ${NAMES.join(', ')}`;
}
