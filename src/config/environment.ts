import type { Given, Level } from './given.ts';
import { nearest } from './nearest.ts';
import { OPTIONS } from './options.ts';
import { nameOf } from './sentence.ts';

const PREFIX = 'SOLAR_';

const SECRET_FILES = OPTIONS.filter(({ secret }) => secret === true).map(
  ({ env }) => `${env}_FILE`,
);

const KNOWN = [...OPTIONS.map(({ env }) => env), ...SECRET_FILES];

/** Collects what the environment gives. An empty variable counts as unset. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Level {
  const given = new Map<string, Given>();
  for (const option of OPTIONS) {
    const text = env[option.env] ?? '';
    const path = option.secret === true ? (env[`${option.env}_FILE`] ?? '') : '';
    if (text === '' && path === '') continue;
    given.set(option.flag, { origin: 'environment', ...whichOf(option.env, text, path) });
  }
  return { given, problems: [] };
}

function whichOf(name: string, text: string, path: string): Omit<Given, 'origin'> {
  if (path === '') return { name, content: { text } };
  if (text === '') return { name: `${name}_FILE`, content: { path } };
  return { name: `${name} and ${name}_FILE`, content: { fault: 'give only one of the two' } };
}

/**
 * Warns of variables that look like a slip of the hand. Only warns: Kubernetes injects variables
 * named after services (`SOLAR_EXPORTER_SERVICE_HOST`), which nobody typed.
 */
export function warnOfUnknown(env: Readonly<Record<string, string | undefined>>): string[] {
  const warnings: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (text === undefined || text === '' || !isOurs(name) || KNOWN.includes(name)) continue;
    const guess = nearest(
      name.slice(PREFIX.length),
      KNOWN.map((known) => known.slice(PREFIX.length)),
    );
    if (guess === undefined) continue;
    warnings.push(
      `${nameOf(name)}: unknown environment variable, ignored; did you mean ${PREFIX}${guess}?`,
    );
  }
  return warnings;
}

function isOurs(name: string): boolean {
  if (!name.startsWith(PREFIX) || name === 'SOLAR_REVISION') return false;
  return !name.startsWith('SOLAR_EXPORTER_') && !/_(?:SERVICE|PORT)(?:_|$)/.test(name);
}
