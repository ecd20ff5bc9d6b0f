import type { Arguments, CommandContext } from './command.ts';

/** A command: how it is typed, what the help says of it, and what it does. */
export interface Command {
  /** As the user types it, arguments included. */
  readonly usage: string;
  /** One line, as the list of commands has it. */
  readonly describe: string;
  /** Further lines of its own help. */
  readonly details?: readonly string[];
  /** The flags that its own help shows: its switches, and the options that most people need. */
  readonly flags: readonly string[];
  /** What is said of the first argument that is missing, by how many were given. */
  readonly missing?: readonly string[];
  /** Whether it asks the service about an account, and needs credentials for that. */
  readonly isForAccount?: boolean;
  /** Whether it runs until it is stopped, and logs meanwhile. */
  readonly isLasting?: boolean;
  /** Loads and runs it, so that a running exporter does not hold the simulator in memory; resolves to the exit status. */
  readonly run: (context: CommandContext, given: Arguments) => Promise<number>;
}

/** Commands whose names begin with the same word, which alone does nothing. */
export interface CommandGroup {
  readonly name: string;
  readonly describe: string;
  readonly missing: string;
  readonly commands: readonly Command[];
}

const CONNECTION = ['station', 'base-url', 'config.file'];
const SIMULATION = [
  'family',
  'simulator.stations',
  'simulator.devices',
  'simulator.speed',
  'simulator.listen-address',
];
const DEVICE = '<device> is the id, the name or the serial number of a device; devices lists them.';
const WHICH_DEVICE = 'Which device? Give its id, name or serial number.';
const JSON_DOCUMENT = 'docs/operations.md describes the JSON.';

/** What happens without a command. */
export const SERVE: Command = {
  usage: 'serve',
  describe: 'run the exporter; this is what happens without a command',
  flags: [
    'station',
    'base-url',
    'config.file',
    'web.listen-address',
    'state.dir',
    'collect.settings',
  ],
  isForAccount: true,
  isLasting: true,
  run: async (context) => (await import('./serve.ts')).serve(context),
};

const SETTINGS: readonly Command[] = [
  {
    usage: 'settings get <device>',
    describe: 'print the settings of a device',
    details: [DEVICE, JSON_DOCUMENT],
    flags: ['json', 'from-device', ...CONNECTION],
    missing: [WHICH_DEVICE],
    isForAccount: true,
    run: async (context, given) => (await import('./settings.ts')).settingsGet(context, given),
  },
  {
    usage: 'settings set <device> <changes..>',
    describe: 'change settings of a device, given as key=value',
    details: [
      DEVICE,
      'A key or a name as settings get prints it; a value by its number or its name:',
      'solar-exporter settings set "Inverter 1" outputSourcePrioritySetting=SBU',
    ],
    flags: ['yes', 'force', ...CONNECTION],
    missing: [WHICH_DEVICE, 'Which change? Give key=value; settings get <device> lists the keys.'],
    isForAccount: true,
    run: async (context, given) => (await import('./settings.ts')).settingsSet(context, given),
  },
];

/** The options that the help of the program shows. */
export const MOST_WANTED = [
  'account',
  'app-id',
  'station',
  'time-zone',
  'base-url',
  'web.listen-address',
  'web.config.file',
  'state.dir',
  'config.file',
  'collect.settings',
  'cache.max-age',
  'log.level',
];

/** Everything that the program does, in the order of the help. */
export const PROGRAM: readonly (Command | CommandGroup)[] = [
  SERVE,
  {
    usage: 'check',
    describe: 'try the connection step by step, and say what works and what does not',
    flags: ['json', ...CONNECTION],
    isForAccount: true,
    run: async (context, given) => (await import('./check.ts')).check(context, given),
  },
  {
    usage: 'devices',
    describe: 'list the devices of the stations',
    details: [JSON_DOCUMENT],
    flags: ['json', 'explain', 'share', 'collect.fields', ...CONNECTION],
    isForAccount: true,
    run: async (context, given) => (await import('./devices.ts')).devices(context, given),
  },
  {
    usage: 'readings [device]',
    describe: 'print the newest readings of a device, or of all',
    details: [
      DEVICE.replace('<device>', '[device]'),
      'It prints what the metrics show, in their words.',
      JSON_DOCUMENT,
    ],
    flags: ['json', ...CONNECTION],
    isForAccount: true,
    run: async (context, given) => (await import('./readings.ts')).readings(context, given),
  },
  {
    name: 'settings',
    describe: 'print the settings of a device, or change them',
    missing: 'Use: settings get <device> or settings set <device> key=value',
    commands: SETTINGS,
  },
  {
    usage: 'history',
    describe: 'write the past that the service holds, for a time-series database',
    details: ['Run again, it goes on where it stopped. docs/history.md says more.'],
    flags: ['from', 'to', 'station', 'device', 'output', 'label'],
    isForAccount: true,
    run: async (context) => (await import('./history.ts')).history(context),
  },
  {
    usage: 'simulate',
    describe: 'run the simulated service alone',
    flags: ['time-zone', ...SIMULATION],
    isLasting: true,
    run: async (context) => (await import('./simulate.ts')).simulate(context),
  },
  {
    usage: 'demo',
    describe: 'run the exporter on the simulated service; needs no account',
    flags: ['drain', ...SIMULATION, 'web.listen-address'],
    isLasting: true,
    run: async (context) => (await import('./demo.ts')).demo(context),
  },
  {
    usage: 'config',
    describe: 'print what the configuration changes, without its secrets',
    details: [JSON_DOCUMENT],
    flags: ['all', 'json', 'check', 'config.file'],
    run: async (context, given) => (await import('./config.ts')).config(context, given),
  },
  {
    usage: 'health',
    describe: 'ask the exporter of this configuration whether it is alive',
    details: ['Give it the options of serve: containers run it as their health check.'],
    flags: ['web.listen-address', 'web.config.file', 'config.file'],
    run: async (context) => (await import('./health.ts')).health(context),
  },
];

/** Every command. */
export const COMMANDS: readonly Command[] = PROGRAM.flatMap((one) =>
  'commands' in one ? one.commands : one,
);

/** Returns the name of a command without its arguments: `settings get`. */
export function nameOf({ usage }: Command): string {
  return usage.replace(/ [[<].*$/, '');
}
