import { ConfigError, ServiceError } from '../base/errors.ts';
import { remedyFor } from '../base/remedies.ts';
import type { ParsedConfig } from '../config/config.ts';
import { printable, printableLines } from '../base/shown.ts';
import { type AskedCommand, readCommandLine, UsageError } from './command-line.ts';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, type ProcessView } from './command.ts';

/**
 * Runs one command line to its end; resolves to the exit status. Nothing that a command prints makes a
 * terminal obey the service, which names stations, devices and settings.
 */
export async function run(argv: readonly string[], unsafeView: ProcessView): Promise<number> {
  const view = printingSafely(unsafeView);
  try {
    const line = await readCommandLine(argv, view.build.version);
    if (!('answer' in line)) return await runCommand(line, view);
    view.out(line.answer);
    return EXIT_OK;
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

async function runCommand(line: AskedCommand, view: ProcessView): Promise<number> {
  const { options: flags, needsCredentials: credentials, name, isLasting } = line;
  const { parseConfig } = await import('../config/config.ts');
  const { env, readFile } = view;
  const needs = { credentials, lasting: isLasting ? name : undefined };
  const readConfig = (): Promise<ParsedConfig> => parseConfig({ flags, env, readFile }, needs);
  const parsed = await readConfig();
  const { config, warnings, origins } = parsed;
  for (const warning of warnings) view.complain(`solar-exporter: ${warning}\n`);
  const isGiven = (flag: string): boolean => (origins.get(flag) ?? 'default') !== 'default';
  // A command that ends prints its own outcome; its log would only repeat it.
  const isBrief = !isGiven('log.level') && !isLasting;
  const log = await view.createLog(isBrief ? 'error' : config.log.level, config.log.format);
  return line.run({ ...view, ...parsed, isGiven, log, readConfig });
}

function explain(error: unknown, { complain }: ProcessView): number {
  if (error instanceof UsageError) {
    complain(`solar-exporter: ${error.message}\nTry: solar-exporter --help\n`);
    return EXIT_USAGE;
  }
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
