import type { ParsedConfig } from '../config/config.ts';
import type { ProgramLog } from '../base/log.ts';
import type { BuildInfo } from '../metrics/self.ts';
import type { Runtime } from '../base/clock.ts';

/** Everything went well. */
export const EXIT_OK = 0;
/** The service or the network failed. */
export const EXIT_FAILED = 1;
/** The command line or the configuration is wrong. */
export const EXIT_USAGE = 2;
/** The person has interrupted it. */
export const EXIT_INTERRUPTED = 130;

/** Everything that the commands take from the process. */
export interface ProcessView {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runtime: Runtime;
  readonly build: BuildInfo;
  readonly createLog: (level: string, format: 'json' | 'pretty' | undefined) => Promise<ProgramLog>;
  /** Returns the text of a file, or throws. */
  readonly readFile: (path: string) => string;
  /** Prints results on standard output. */
  readonly out: (text: string) => void;
  /** Prints on standard error, where log lines go too, what a person should know beside the results. */
  readonly complain: (text: string) => void;
  /** Asks the person at the terminal; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /**
   * Makes signals ask the command to stop, instead of ending the program; resolves at the first such signal. The
   * next one ends the program at once.
   *
   * @param endsItself - whether the command may take as long as it likes to stop; else the program ends soon.
   */
  readonly stopRequested: (endsItself?: boolean) => Promise<void>;
  /** Makes the signal to reload call this, instead of ending the program. */
  readonly onReloadRequested: (reload: () => void) => void;
}

/** Everything that a command may use. It reaches the process only through this. */
export interface CommandContext extends ParsedConfig, Omit<ProcessView, 'env' | 'createLog'> {
  /** Whether the user gave this option, named by its flag, in any source. */
  readonly isGiven: (flag: string) => boolean;
  readonly log: ProgramLog;
  /** Reads the configuration again; rejects with a ConfigError. */
  readonly readConfig: () => Promise<ParsedConfig>;
}

/** Flags of some commands that are no options: nothing else gives them. */
export const SWITCHES = {
  json: 'print JSON',
  all: 'print also what has its default',
  check: 'print only whether all of it is valid, files included',
  explain: 'print how each key of each device is read; asks each up to four times',
  share: 'the same, with ids, names and serial numbers replaced, to paste into an issue',
  yes: 'write without asking',
  force: 'without a terminal, write also what cannot be judged: no limits or choices are known',
  'from-device': 'ask the inverter itself; takes up to a minute',
} as const;

type Switch = keyof typeof SWITCHES;

/** What stands behind a command. */
export interface Arguments {
  /** The id, the name or the serial number of a device, as typed. */
  readonly device: string | undefined;
  readonly changes: readonly string[];
  readonly has: (flag: Switch) => boolean;
}
