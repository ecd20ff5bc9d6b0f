import yargs, { type Argv } from 'yargs';
import { OPTIONS } from '../config/options.ts';
import { COMMANDS, DEFAULT_COMMAND, GROUP, nameOf, SWITCHES } from './commands.ts';

/** What the parser found in a command line, by name; positional arguments and flags alike. */
export type Found = Readonly<Record<string, unknown>>;

/** The name of the argument `device`, which must not be that of the option `--device`. */
export const DEVICE_ARGUMENT = 'device-argument';

/** Makes the parser, which only splits words; the configuration reads their values. */
export function buildParser(version: string, take: (command: string, found: Found) => void): Argv {
  const parser: Argv = yargs()
    .scriptName('solar-exporter')
    .parserConfiguration({
      'dot-notation': false,
      'camel-case-expansion': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .locale('en')
    .exitProcess(false)
    .strictCommands()
    .fail((message: string, error: Error | undefined) => {
      throw error ?? new Error(message);
    })
    .version(version)
    .help(false);
  for (const { name } of SWITCHES) parser.option(name, { type: 'boolean' });
  for (const { flag, kind, secret } of OPTIONS) {
    const isBoolean = kind === 'boolean';
    if (secret !== true)
      parser.option(flag, { type: isBoolean ? 'boolean' : 'string', requiresArg: !isBoolean });
  }
  for (const command of COMMANDS) {
    const name = nameOf(command);
    if (name.includes(' ')) continue;
    const usages = name === DEFAULT_COMMAND ? [name, '$0'] : [lenient(command.usage)];
    parser.command(usages, '', {}, (found: Found) => take(name, found));
  }
  return parser.command(GROUP, '', (settings) => {
    for (const command of COMMANDS) {
      const [group, ...rest] = command.usage.split(' ');
      if (group === GROUP)
        settings.command(lenient(rest.join(' ')), '', {}, (found: Found) =>
          take(nameOf(command), found),
        );
    }
    return settings.demandCommand(
      1,
      'settings: accepted: get <device>, set <device> key=value…; solar-exporter devices lists the devices',
    );
  });
}

/** Makes required arguments optional for the parser, whose complaint would name none of them. */
function lenient(usage: string): string {
  return usage
    .replaceAll('<', '[')
    .replaceAll('>', ']')
    .replace('[device]', `[${DEVICE_ARGUMENT}]`);
}
