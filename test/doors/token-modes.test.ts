import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/prometheus.ts';
import { FakeProcess, startScriptedProcess } from './commands/fake-process.ts';
import { MINUTE_MS } from './house.ts';
import { ACCOUNT, DEVICE_ID, type PortalAnswer, type Script } from './scripted-service.ts';
import {
  failed,
  LIFETIME_MS,
  openSession,
  PAIR,
  REFUSED,
  TOKEN,
  tokenService,
  type Words,
} from './session-house.ts';

const ENDED = 'the token has ended: log in at the portal and put the new one into';
/** Commands that ask in one way or another; a case takes two of them. */
const COMMANDS = [
  ['check', `settings get ${DEVICE_ID}`],
  ['check --json', 'devices'],
] as const;

type House = Awaited<ReturnType<typeof openSession>>;

/** Reads all that an exporter shows to a person: its log, its page, the same as JSON, and its metrics. */
async function shownBy({ log, read }: House) {
  const [page, json, metrics] = await Promise.all(['/', '/api/v1/status', '/metrics'].map(read));
  return { log: await log.written(), page, json, metrics };
}

/** Runs the commands with the credentials of an exporter, and returns all that they print, by their words. */
async function printedBeside(
  { clock, serviceUrl }: House,
  commands: readonly string[],
  env: Words,
  files: Words = {},
) {
  const shell = new FakeProcess(clock);
  shell.env = { SOLAR_BASE_URL: serviceUrl, ...env };
  shell.files = files;
  const printed: Record<string, string> = {};
  for (const command of commands) {
    const { out, complaints } = await shell.run(...command.split(' '));
    printed[command] = out + complaints;
  }
  return printed;
}

/** Answers all questions for data so. */
const refusing = (refusal: PortalAnswer): Script => ({
  stations: refusal,
  devices: refusal,
  readings: refusal,
  settingsGet: refusal,
});

const WITHOUT_APPLICATION = { ...ACCOUNT, SOLAR_APP_ID: '', SOLAR_APP_SECRET: '' };
interface Mode {
  readonly of: string;
  readonly env: Words;
  readonly script?: Script;
}
const TOKEN_ALONE: Mode = { of: 'a token', env: TOKEN };
const MODES: readonly Mode[] = [
  TOKEN_ALONE,
  {
    of: 'a token beside an account that nothing signs for',
    env: { ...WITHOUT_APPLICATION, ...TOKEN },
  },
  { of: 'a pair that is refused', env: PAIR, script: { refresh: failed(9) } },
  { of: 'a pair whose renewed tokens are refused', env: PAIR },
];
const OTHERS: readonly (readonly [by: string, refusal: PortalAnswer, isSaid: boolean])[] = [
  ['status 401', REFUSED, true],
  // What it means is not known, or that it is not about the token.
  ['code 7', failed(7), false],
  ['code 1001', failed(1001), false],
  ['status 403', { status: 403 }, false],
];

/** What a refusal means does not depend on the mode: a token alone hears them all. */
const CASES = [
  ...MODES.map((mode) => ({ ...mode, by: 'code 9', refusal: failed(9), isSaid: true })),
  ...OTHERS.map(([by, refusal, isSaid]) => ({ ...TOKEN_ALONE, by, refusal, isSaid })),
].map((row, index) => ({ ...row, commands: COMMANDS[index % 2] ?? [] }));

test.each(CASES)('$of refused by $by is told without a password', async (row) => {
  const { env, refusal, isSaid, commands, script } = row;
  const flags = { 'state.dir': join(temporaryDirectory(), 'state') };
  const house = await openSession({ ...refusing(refusal), ...script }, env, { flags });
  const own = { ...env, SOLAR_STATE_DIR: flags['state.dir'] };
  for (const after of ['once', 'in the pause', 'after a restart']) {
    if (after === 'after a restart') await house.restart();
    await house.scrapeAfter(after === 'once' ? 0 : 1000);
    const shown = await shownBy(house);
    expect(JSON.stringify(shown), after).not.toContain('SOLAR_PASSWORD');
    if (!isSaid) continue;
    for (const text of [shown.page, shown.json]) expect(text, after).toContain(ENDED);
    expect(shown.log).toContain(ENDED);
  }
  const beside = await printedBeside(house, commands, own);
  expect(JSON.stringify(beside)).not.toContain('SOLAR_PASSWORD');
  await house.stop();
  for (const given of [own, env]) {
    const alone = await printedBeside(house, commands, given);
    expect(JSON.stringify(alone)).not.toContain('SOLAR_PASSWORD');
    if (isSaid) for (const text of Object.values(alone)) expect(text).toContain(ENDED);
  }
});

test('a pair whose renewal is refused while its token still works is told so', async () => {
  const house = await openSession({}, PAIR);
  await house.scrape();
  house.answers.refresh = failed(9);
  await house.scrapeAfter(LIFETIME_MS - 4 * MINUTE_MS);
  const { log, page, metrics } = await shownBy(house);
  expect(metrics).toContain('solar_up{station_id');
  expect(log).toContain(`${ENDED} SOLAR_ACCESS_TOKEN`);
  expect(page).toContain('the token cannot be renewed: log in at the portal and put the new one');
  expect(log + page).not.toContain('SOLAR_PASSWORD');
});

const OF_FILE = { SOLAR_CONFIG_FILE: '/solar.yaml' };
test.each<[place: string, env: Words, files: Words]>([
  ['SOLAR_ACCESS_TOKEN', TOKEN, {}],
  ['the file that SOLAR_ACCESS_TOKEN_FILE names', { SOLAR_ACCESS_TOKEN_FILE: '/token' }, {}],
  ['access-token in /solar.yaml', OF_FILE, { '/solar.yaml': 'access-token: given' }],
  [
    'the file that access-token-file in /solar.yaml names',
    OF_FILE,
    { '/solar.yaml': 'access-token-file: /token' },
  ],
])('the new token goes where the old one is: into %s', async (place, env, more) => {
  const files: Words = { '/token': 'given', ...more };
  const readFile = (path: string): string => files[path] ?? '';
  const given = { SOLAR_ACCESS_TOKEN: '', ...env };
  const house = await openSession(refusing(failed(9)), given, { readFile });
  await house.scrape();
  const { page, json } = await shownBy(house);
  const { check, devices } = await printedBeside(house, ['check', 'devices'], given, files);
  expect(page).toContain(`${ENDED} ${place}.`);
  expect(json).toContain(`${ENDED} ${place}"`);
  for (const text of [check, devices]) expect(text).toContain(`→ ${ENDED} ${place}\n`);
});

const LOST = 'its first use replaces it, and without --state.dir the new one is lost at a restart';
const PAIR_FILE = 'access-token: given\nrefresh-token: given-too\n';

test.each<[command: string, name: string, env: Words, file?: string]>([
  ['check', 'SOLAR_REFRESH_TOKEN', PAIR],
  ['check', 'SOLAR_REFRESH_TOKEN', { ...WITHOUT_APPLICATION, ...PAIR }],
  ['serve', 'refresh-token in /solar.yaml', {}, PAIR_FILE],
])('%s says before it uses %s that it is used up: %#', async (command, name, env, file = '') => {
  let saidBefore = '';
  const { shell, answers } = await startScriptedProcess({});
  answers.refresh = () => {
    saidBefore = shell.complaints;
    shell.requestStop();
    return REFUSED;
  };
  shell.files = { '/solar.yaml': file };
  const { SOLAR_BASE_URL = '' } = shell.env;
  shell.env = { ...OF_FILE, SOLAR_WEB_LISTEN_ADDRESS: '127.0.0.1:0', ...env, SOLAR_BASE_URL };
  const running = shell.run(command);
  if (command === 'serve') await fetch(new URL('/metrics', await shell.listening()));
  await running;
  expect(saidBefore).toContain(`solar-exporter: ${name}: ${LOST}`);
});

test.each<[what: string, env: Words, isKept: boolean]>([
  ['a state directory', PAIR, true],
  ['an account that logs in', { ...ACCOUNT, ...PAIR }, false],
  ['a token alone', TOKEN, false],
])('nothing is lost with %s, and nothing is said', async (_what, env, isKept) => {
  const { shell } = await startScriptedProcess(tokenService());
  const more = isKept ? { SOLAR_STATE_DIR: join(temporaryDirectory(), 'state') } : {};
  shell.env = { ...shell.env, ...env, ...more };
  expect((await shell.run('check')).complaints).toBe('');
});
