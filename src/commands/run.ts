import { ConfigError, ServiceError } from '../base/errors.ts';
import type { ParsedConfig } from '../config/config.ts';
import type { ProgramLog } from '../base/log.ts';
import { printable, printableLines } from '../base/shown.ts';
import type { BuildInfo } from '../metrics/self.ts';
import type { Runtime } from '../base/clock.ts';
import { type CommandLine, parseCommandLine } from './command-line.ts';
import { ofOneAccount } from './choose-account.ts';
import { commandNamed } from './commands.ts';
import { type CommandContext, EXIT_FAILED, EXIT_OK, EXIT_USAGE } from './command.ts';
import { renderJson } from './output.ts';
import { remedyFor } from './remedies.ts';

/** Everything that the commands take from the process. */
export interface ProcessView {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readFile: (path: string) => string;
  readonly out: (text: string) => void;
  /** Prints on standard error, where log lines go too. */
  readonly complain: (text: string) => void;
  readonly createLog: (level: string, format: 'json' | 'pretty' | undefined) => Promise<ProgramLog>;
  readonly ask: CommandContext['ask'];
  readonly terminal: CommandContext['terminal'];
  readonly stopRequested: CommandContext['stopRequested'];
  readonly onReloadRequested: CommandContext['onReloadRequested'];
  readonly runtime: Runtime;
  readonly build: BuildInfo;
}

/** Commands that run until they are stopped. */
const LASTING = new Set(['serve', 'simulate', 'demo']);

/**
 * Runs one command line to its end; resolves to the exit status. Nothing that a command prints makes a
 * terminal obey the service, which names stations, devices and settings.
 */
export async function run(argv: readonly string[], unsafeView: ProcessView): Promise<number> {
  const view = printingSafely(unsafeView);
  const parsed = parseCommandLine(argv, view.build.version);
  if ('answer' in parsed) {
    view.out(parsed.answer);
    return EXIT_OK;
  }
  if ('problem' in parsed) {
    view.complain(`solar-exporter: ${parsed.problem}\nTry: solar-exporter --help\n`);
    return EXIT_USAGE;
  }
  try {
    return await runCommand(parsed.line, view);
  } catch (error) {
    return explain(error, view);
  }
}

function printingSafely(view: ProcessView): ProcessView {
  const { out, complain, ask } = view;
  return {
    ...view,
    out: (text) => out(printableLines(text)),
    complain: (text) => complain(printableLines(text)),
    ask: ask && ((question) => ask(printable(question))),
  };
}

async function runCommand(line: CommandLine, view: ProcessView): Promise<number> {
  const { parseConfig } = await import('../config/config.ts');
  const { env, readFile } = view;
  const isConfigCheck = line.command === 'config' && line.switches.has('check');
  // The check covers everything that serve needs to start.
  const needs = { credentials: isConfigCheck || commandNamed(line.command)?.needsService === true };
  const readConfig = (): Promise<ParsedConfig> =>
    parseConfig({ flags: line.flags, env, readFile }, needs);
  const { config, warnings, origins, accountOrigins } = await readConfig();
  if (line.command === 'config') {
    const { checkConfig, printConfig } = await import('./config.ts');
    await checkConfig(config, readFile);
    const asJson = line.switches.has('json');
    if (!isConfigCheck)
      return printConfig({ config, origins, accountOrigins }, { out: view.out, asJson });
    for (const warning of warnings) view.complain(`solar-exporter: ${warning}\n`);
    view.out(asJson ? renderJson({ valid: true, warnings }) : 'The configuration is valid.\n');
    return EXIT_OK;
  }
  for (const warning of warnings) view.complain(`solar-exporter: ${warning}\n`);
  const isGiven = (flag: string): boolean => (origins.get(flag) ?? 'default') !== 'default';
  // A command that ends prints its own outcome; its log would only repeat it.
  const isBrief = !isGiven('log.level') && !LASTING.has(line.command);
  const log = await view.createLog(isBrief ? 'error' : config.log.level, config.log.format);
  const { setLevel } = log;
  return dispatch(line, { ...view, config, isGiven, log, setLogLevel: setLevel, readConfig });
}

/** Loads and runs one command; so a running exporter does not hold the simulator in memory. */
async function dispatch(line: CommandLine, context: CommandContext): Promise<number> {
  const { device = '' } = line;
  const asJson = line.switches.has('json');
  switch (line.command) {
    case 'check':
      return (await import('./check.ts')).check(context, asJson);
    case 'devices':
      return (await import('./devices.ts')).devices(ofOneAccount(context), {
        isExplained: line.switches.has('explain'),
        asJson,
      });
    case 'readings':
      return (await import('./readings.ts')).readings(ofOneAccount(context), line.device, asJson);
    case 'settings get':
      return (await import('./settings.ts')).settingsGet(ofOneAccount(context), device, {
        isFromDevice: line.switches.has('from-device'),
        asJson,
      });
    case 'settings set':
      return (await import('./settings.ts')).settingsSet(
        ofOneAccount(context),
        device,
        line.changes,
        line.switches.has('yes'),
      );
    case 'history':
      return (await import('./history/history.ts')).history(
        ofOneAccount(context),
        line.switches.has('dry-run'),
      );
    case 'simulate':
      return (await import('./simulate.ts')).simulate(context);
    case 'demo':
      return (await import('./demo.ts')).demo(context);
    default:
      return (await import('./serve.ts')).serve(context);
  }
}

function explain(error: unknown, { complain }: ProcessView): number {
  if (error instanceof ConfigError) {
    complain(error.problems.map((problem) => `solar-exporter: ${printable(problem)}\n`).join(''));
    return EXIT_USAGE;
  }
  if (!(error instanceof ServiceError)) {
    // Node.js would also print the causes, which may quote an answer or a secret.
    complain(`solar-exporter: UNEXPECTED: ${stackOf(error)}\n`);
    return EXIT_FAILED;
  }
  complain(`solar-exporter: ${error.code}: ${printable(error.message)}\n  → ${remedyFor(error)}\n`);
  return EXIT_FAILED;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
