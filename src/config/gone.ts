import { envName } from './options.ts';

/** An option that an earlier version had, by its flag, and what to do in place of it. Each is kept until 2.0. */
const GONE: readonly { readonly name: string; readonly instead: string }[] = [
  { name: 'web.allowed-hosts', instead: 'put a proxy in front that answers to its own names only' },
];

/** Says of the flag or the file key of an option that is gone what to do in place of it; undefined for any other. */
export function whyGone(flag: string): string | undefined {
  const row = GONE.find(({ name }) => flag === name || flag === `${name}-file`);
  return row && `gone; ${row.instead}`;
}

/** Refuses variables of options that are gone. */
export function goneVariables(
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return GONE.flatMap(({ name, instead }) =>
    [envName(name), envName(`${name}-file`)]
      .filter((variable) => (env[variable] ?? '') !== '')
      .map((variable) => `${variable}: gone; ${instead}`),
  );
}
