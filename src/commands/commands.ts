/** What the command line and the help know of a command. */
export interface CommandSpec {
  /** As the user types it, arguments included. */
  readonly usage: string;
  /** One line, as the list of commands has it. */
  readonly describe: string;
  /** Further lines of its own help. */
  readonly details: readonly string[];
  /** The options that its own help shows, by flag: those that most people need. */
  readonly options: readonly string[];
  /** Whether it asks the real service, and needs credentials for that. */
  readonly needsService: boolean;
}

const CONNECTION = ['station', 'base-url', 'use-account', 'config.file'] as const;
const SIMULATION = [
  'family',
  'simulator.stations',
  'simulator.devices',
  'simulator.speed',
  'simulator.listen-address',
] as const;
const DEVICE = '<device> is the id, the name or the serial number of a device; devices lists them.';
const JSON_DOCUMENT = 'docs/operations.md describes the JSON.';

/** Every command, in the order of the help. */
export const COMMANDS = [
  {
    usage: 'serve',
    describe: 'run the exporter; this is what happens without a command',
    details: [],
    options: [
      'station',
      'base-url',
      'config.file',
      'web.listen-address',
      'state.dir',
      'collect.settings',
    ],
    needsService: true,
  },
  {
    usage: 'check',
    describe: 'try the connection step by step, and say what works and what does not',
    details: [],
    options: CONNECTION,
    needsService: true,
  },
  {
    usage: 'devices',
    describe: 'list the devices of the stations',
    details: [JSON_DOCUMENT],
    options: CONNECTION,
    needsService: true,
  },
  {
    usage: 'readings [device]',
    describe: 'print the newest readings of a device, or of all',
    details: [
      DEVICE.replace('<device>', '[device]'),
      'It prints what the metrics show, in their words.',
      JSON_DOCUMENT,
    ],
    options: CONNECTION,
    needsService: true,
  },
  {
    usage: 'settings get <device>',
    describe: 'print the settings of a device',
    details: [DEVICE, JSON_DOCUMENT],
    options: CONNECTION,
    needsService: true,
  },
  {
    usage: 'settings set <device> <changes..>',
    describe: 'change settings of a device, given as key=value',
    details: [
      DEVICE,
      'A key or a name as settings get prints it; a value by its number or its name:',
      '  solar-exporter settings set "Inverter 1" outputSourcePrioritySetting=SBU',
    ],
    options: CONNECTION,
    needsService: true,
  },
  {
    usage: 'history',
    describe: 'write the past that the service holds, for a time-series database',
    details: ['Run again, it goes on where it stopped. docs/history.md says more.'],
    options: ['from', 'to', 'station', 'device', 'output', 'push', 'label'],
    needsService: true,
  },
  {
    usage: 'simulate',
    describe: 'run the simulated service alone',
    details: [],
    options: ['time-zone', ...SIMULATION],
    needsService: false,
  },
  {
    usage: 'demo',
    describe: 'run the exporter on the simulated service; needs no account',
    details: [],
    options: ['drain', ...SIMULATION, 'web.listen-address'],
    needsService: false,
  },
  {
    usage: 'config',
    describe: 'print the effective configuration, without its secrets',
    details: [JSON_DOCUMENT],
    options: ['config.file'],
    needsService: false,
  },
  {
    usage: 'completion <shell>',
    describe: 'print what makes bash, zsh or fish complete commands and options',
    details: [
      'bash: source <(solar-exporter completion bash), or as a file:',
      '      ~/.local/share/bash-completion/completions/solar-exporter',
      'zsh:  source <(solar-exporter completion zsh), behind compinit',
      'fish: ~/.config/fish/completions/solar-exporter.fish',
    ],
    options: [],
    needsService: false,
  },
] as const satisfies readonly CommandSpec[];

export const DEFAULT_COMMAND = 'serve';

/** The first word of the commands that have two. */
export const GROUP = 'settings';

/** Switches that only some commands take. */
export const SWITCHES = [
  {
    name: 'json',
    commands: ['check', 'devices', 'readings', 'settings get', 'config'],
    describe: 'print JSON',
  },
  {
    name: 'check',
    commands: ['config'],
    describe: 'print only whether all of it is valid, files included',
  },
  {
    name: 'explain',
    commands: ['devices'],
    describe: 'print how each key of each device is read; asks each up to four times',
  },
  {
    name: 'dry-run',
    commands: ['history'],
    describe: 'print how much it will be, and how long it will take',
  },
  { name: 'yes', commands: ['settings set'], describe: 'write without asking' },
  {
    name: 'from-device',
    commands: ['settings get'],
    describe: 'ask the inverter itself; takes up to a minute',
  },
] as const;

export type Switch = (typeof SWITCHES)[number]['name'];

/** Returns the name of a command without its arguments: `settings get`. */
export function nameOf({ usage }: Pick<CommandSpec, 'usage'>): string {
  return usage.replace(/ [[<].*$/, '');
}

/** Finds a command by its name. */
export function commandNamed(name: string): CommandSpec | undefined {
  return COMMANDS.find((command) => nameOf(command) === name);
}

/** Finds the first command that is named in a command line. */
export function commandIn(argv: readonly string[]): CommandSpec | undefined {
  for (const [index, word] of argv.entries()) {
    const next = argv.slice(index + 1).find((other) => !other.startsWith('-')) ?? '';
    const command = commandNamed(word) ?? commandNamed(`${word} ${next}`);
    if (command !== undefined) return command;
  }
  return undefined;
}
