import { envName } from './options.ts';

/** An option that an earlier version had, by its flag, and what to do in place of it. Each is kept until 2.0. */
const GONE: readonly { readonly name: string; readonly instead: string }[] = [
  { name: 'web.allowed-hosts', instead: 'put a proxy in front that answers to its own names only' },
  { name: 'accounts', instead: 'run one process for each account: docs/fleet.md' },
  { name: 'use-account', instead: 'run one process for each account: docs/fleet.md' },
  { name: 'request.daily-budget', instead: '--request.rate limits requests' },
  { name: 'path.device-details', instead: 'devices that lists lack are kept for a day, unasked' },
  { name: 'push', instead: 'VictoriaMetrics imports the files of --output: docs/history.md' },
  { name: 'push-user', instead: 'the database gets the files: curl -u USER:PASSWORD -T FILE' },
  { name: 'push-password', instead: 'the database gets the files: curl -u USER:PASSWORD -T FILE' },
  { name: 'simulator.error-rate', instead: 'nothing in its place: faults are for tests alone' },
  { name: 'simulator.omit-total', instead: 'nothing in its place: faults are for tests alone' },
  { name: 'simulator.null-readings', instead: 'nothing in its place: faults are for tests alone' },
  {
    name: 'simulator.settings-cached',
    instead: 'the demo starts as if all settings had been read',
  },
];

/** Says of the variable of an option that is gone what to do in place of it; undefined for any other. */
export function whyGone(variable: string): string | undefined {
  const row = GONE.find(({ name }) => envName(name) === variable.replace(/_FILE$/, ''));
  return row && `gone; ${row.instead}`;
}
