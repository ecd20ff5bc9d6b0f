import { contentOf, type Given, type Level } from './given.ts';
import { nearest } from './nearest.ts';
import { OPTION_BY_FLAG, OPTIONS } from './options.ts';
import { nameOf, secretSources } from './sentence.ts';

const FLAGS = OPTIONS.map(({ flag }) => flag);

/** Collects what the command line gives; keys are flags without their dashes. */
export function fromFlags(flags: Readonly<Record<string, unknown>>): Level {
  const given = new Map<string, Given>();
  const problems: string[] = [];
  for (const [flag, raw] of Object.entries(flags)) {
    if (raw === undefined) continue;
    const option = OPTION_BY_FLAG.get(flag);
    if (option === undefined || option.secret === true) {
      problems.push(`--${nameOf(flag)}: ${whyRefused(flag)}`);
      continue;
    }
    given.set(flag, { origin: 'flag', name: `--${flag}`, content: contentOf(option, raw) });
  }
  return { given, problems };
}

function whyRefused(flag: string): string {
  const secret = OPTION_BY_FLAG.get(flag.replace(/-file$/, ''));
  if (secret?.secret === true) {
    return `secrets are not taken from the command line; use ${secretSources(secret)}`;
  }
  const guess = OPTION_BY_FLAG.get(nearest(flag, FLAGS) ?? '');
  if (guess === undefined) return 'unknown option';
  const meant = guess.secret === true ? secretSources(guess) : `--${guess.flag}`;
  return `unknown option; did you mean ${meant}?`;
}
