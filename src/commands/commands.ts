import type { CommandContext } from './command.ts';

/** What stands behind a command. */
export interface Arguments {
  /** The id, the name or the serial number of a device, as typed. */
  readonly device: string | undefined;
  readonly changes: readonly string[];
  readonly has: (flag: Switch) => boolean;
}

/** A command: how it is typed, what the help says of it, and what it does. */
export interface Command {
  /** As the user types it, arguments included. */
  readonly usage: string;
  /** One line, as the list of commands has it. */
  readonly describe: string;
  /** Further lines of its own help. */
  readonly details?: readonly string[];
  /** The flags that its own help shows: its switches, and the options that most people need. */
  readonly flags?: readonly string[];
  /** Whether it asks the service about an account, and needs credentials for that. */
  readonly isForAccount?: boolean;
  /** Whether it runs until it is stopped, and logs meanwhile. */
  readonly isLasting?: boolean;
  /** The commands whose names begin with its name; it does nothing itself. */
  readonly commands?: readonly Command[];
  /**
   * Loads and runs it, so that a running exporter does not hold the simulator in memory; resolves to the exit
   * status. Absent where it has commands.
   */
  readonly run?: (context: CommandContext, given: Arguments) => Promise<number>;
}

/** Flags of some commands that are no options: nothing else gives them. */
export const SWITCHES = {
  json: 'print JSON',
  check: 'print only whether all of it is valid, files included',
  explain: 'print how each key of each device is read; asks each up to four times',
  yes: 'write without asking',
  force: 'without a terminal, write also what cannot be judged: no limits or choices are known',
  'from-device': 'ask the inverter itself; takes up to a minute',
} as const;

export type Switch = keyof typeof SWITCHES;

const CONNECTION = ['station', 'base-url', 'config.file'];
const SIMULATION = [
  ...['family', 'simulator.stations', 'simulator.devices', 'simulator.speed'],
  'simulator.listen-address',
];
const DEVICE = '<device> is the id, the name or the serial number of a device; devices lists them.';
const JSON_DOCUMENT = 'docs/operations.md describes the JSON.';

/** What happens without a command. */
export const SERVE: Command = {
  usage: 'serve',
  describe: 'run the exporter; this is what happens without a command',
  flags: [
    ...['station', 'base-url', 'config.file', 'web.listen-address', 'state.dir'],
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
    isForAccount: true,
    run: async (context, given) => (await import('./settings.ts')).settingsSet(context, given),
  },
];

/** The program itself, with every command in the order of the help. */
export const PROGRAM: Command = {
  usage: '',
  describe: 'Prometheus exporter for a solar monitoring service',
  flags: [
    ...['account', 'app-id', 'station', 'time-zone', 'base-url'],
    ...['web.listen-address', 'web.config.file', 'state.dir', 'config.file'],
    ...['collect.settings', 'cache.max-age', 'log.level'],
  ],
  commands: [
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
      flags: ['json', 'explain', ...CONNECTION],
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
      usage: 'settings',
      describe: 'print the settings of a device, or change them',
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
      describe: 'print the effective configuration, without its secrets',
      details: [JSON_DOCUMENT],
      flags: ['json', 'check', 'config.file'],
      run: async (context, given) => (await import('./config.ts')).config(context, given),
    },
    {
      usage: 'health',
      describe: 'ask the exporter of this configuration whether it is alive',
      details: ['Give it the options of serve: containers run it as their health check.'],
      flags: ['web.listen-address', 'web.config.file', 'config.file'],
      run: async (context) => (await import('./health.ts')).health(context),
    },
  ],
};

/** The commands that do something. */
export const COMMANDS = (PROGRAM.commands ?? []).flatMap((command) => command.commands ?? command);

/** Returns the name of a command without its arguments: `settings get`. */
export function nameOf({ usage }: Command): string {
  return usage.replace(/ [[<].*$/, '');
}

/** Returns the names of the arguments of a command: `device`, `changes`. */
export function argumentsOf({ usage }: Command): readonly string[] {
  return [...usage.matchAll(/[[<](\w+)/g)].map(([, name = '']) => name);
}
