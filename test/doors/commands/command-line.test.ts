import { describe, expect, test } from 'vitest';
import { type OptionDefinition, OPTIONS } from '../../../src/config/options.ts';
import { done, FakeProcess } from './fake-process.ts';

const COMMANDS = [
  'serve',
  'check',
  'devices',
  'readings',
  'settings get',
  'settings set',
  'history',
  'simulate',
  'demo',
  'config',
  'health',
];
const SWITCHES: Readonly<Record<string, readonly string[]>> = {
  json: ['check', 'devices', 'readings', 'settings get', 'config'],
  all: ['config'],
  check: ['config'],
  explain: ['devices'],
  share: ['devices'],
  yes: ['settings set'],
  force: ['settings set'],
  'from-device': ['settings get'],
};
const FLAGS = OPTIONS.filter(({ secret }) => secret !== true);
/** The flags that every command takes, beside its options. */
const OF_ALL = ['help', 'help-all', 'version'];
const wordsOf = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '');

/** Runs a line that asks no service. */
function run(line: string, ...more: readonly string[]) {
  return new FakeProcess().run(...wordsOf(line), ...more);
}

describe('a command line', () => {
  test.each([
    ['chek', '"chek": unknown command; did you mean check?'],
    ['reading', '"reading": unknown command; did you mean readings?'],
    ['xyzzy-plugh', `"xyzzy-plugh": unknown command; accepted: ${COMMANDS.join(', ')}`],
    ['check twice or more', '"twice": one word too many; accepted: solar-exporter check\n'],
    ['check -- --help', '"--help": one word too many'],
    ['settings get 1 2', '"2": one word too many; accepted: solar-exporter settings get <device>;'],
    ['settings gte 1', '"gte": unknown command; did you mean settings get?'],
    ['settings', 'Use: settings get <device> or settings set <device> key=value\n'],
    ['settings get', 'Which device? Give its id, name or serial number.\n'],
    ['settings set', 'Which device? Give its id, name or serial number.\n'],
    ['settings set 7', 'Which change? Give key=value; settings get <device> lists the keys.\n'],
    ['--from-device', '--from-device belongs to settings get; serve does not take it'],
    ['serve --simulator.seed=7', '--simulator.seed belongs to simulate, demo; serve'],
    ['config --json=maybe', '--json: "maybe" is not a yes or no; accepted: true or false'],
    ['--constructor=1', '--constructor: unknown option; solar-exporter --help-all lists them'],
  ])('%s is refused, and points to the help', async (line, problem) => {
    const { status, out, complaints } = await run(line);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(complaints.startsWith(`solar-exporter: ${problem}`), complaints).toBe(true);
    expect(complaints.endsWith('\nTry: solar-exporter --help\n')).toBe(true);
  });

  test.each([
    ['-x', '--x: unknown option; solar-exporter --help-all lists them'],
    ['--password=x', '--password: secrets are not taken from the command line; use SOLAR_PASSWORD'],
    ['--collect.settings=', '--collect.settings: "" is not a yes or no'],
    ['--collect.settings --no-collect.settings', '--collect.settings: takes one value, not'],
  ])('%s is refused with the configuration', async (flags, problem) => {
    const { status, complaints } = await run(`config ${flags}`);
    expect(status).toBe(2);
    expect(complaints).toContain(`solar-exporter: ${problem}`);
  });

  test.each<[line: string, values: Readonly<Record<string, string>>]>([
    [
      '--cache.max-age 1h --collect.settings config --request.concurrency=09 --no-collect.alarms',
      {
        'cache.max-age': '1h',
        'collect.settings': 'true',
        'request.concurrency': '9',
        'collect.alarms': 'false',
      },
    ],
    [
      'config --station=0012 --station=2 --collect.settings yes --collect.fields=on --json false',
      { station: '0012,2', 'collect.settings': 'true', 'collect.fields': 'true' },
    ],
  ])('%s gives the values as they were typed', async (line, values) => {
    const { status, out } = await run(line);
    expect(status).toBe(0);
    for (const [flag, value] of Object.entries(values))
      expect(out).toMatch(new RegExp(`^${flag} +${value} +flag$`, 'm'));
  });

  test('names every option that lacks its value', async () => {
    const valued = FLAGS.filter(({ kind }) => kind !== 'boolean');
    const ownerOf = ({ commands = ['config'] }: OptionDefinition) => commands[0] ?? '';
    for (const owner of new Set(valued.map(ownerOf))) {
      const flags = valued.filter((option) => ownerOf(option) === owner).map(({ flag }) => flag);
      const { complaints } = await run(owner, ...flags.map((flag) => `--${flag}`));
      for (const flag of flags)
        expect(complaints).toMatch(new RegExp(`^solar-exporter: --${flag}: .*; accepted: .`, 'm'));
    }
  });

  // Without credentials, which a check needs.
  test.each(['--version', 'check --version', '--version chek --station'])(
    '%s prints the version, whatever the configuration is',
    async (line) => expect(await run(line)).toEqual(done('1.2.3\n')),
  );
});

describe('the help', () => {
  const helpOf = async (line: string): Promise<string> => {
    const ran = await run(line);
    expect(ran).toEqual(done(ran.out));
    return ran.out;
  };
  const flagsIn = (help: string): readonly string[] =>
    Array.from(help.matchAll(/^ +(?:-h, )?--([\w.-]+)/gm), ([, flag = '']) => flag).sort();
  test('lists the commands and the options that most people need', async () => {
    const help = await helpOf('--help');
    expect(help).toMatch(/^Prometheus exporter for a solar monitoring service\n\nCommands:\n/);
    expect(await helpOf('-h')).toBe(help);
    expect(help.split('\n').length).toBeLessThan(46);
    for (const command of COMMANDS)
      expect(help).toMatch(
        new RegExp(`^  solar-exporter ${command.replace(/ [gs]et$/, '')} `, 'm'),
      );
    expect(flagsIn(help)).toHaveLength(12 + OF_ALL.length);
    expect(help).toContain('SOLAR_PASSWORD');
    expect(help).toContain('For these alone, NAME_FILE may name a file instead.');
    expect(await helpOf('settings --help')).toMatch(
      /^  solar-exporter settings get <device> .+\n  solar-exporter settings set <device> <changes\.\.> /m,
    );
    // A word that is the value of an option is no command.
    expect(await helpOf('--account config history --help')).toBe(await helpOf('history --help'));
  });

  test.each([
    'check -h',
    '--help check',
    '--log.level debug check -h',
    'help check',
    'check help',
    'check --help=true',
  ])('%s says what the command needs', async (line) => {
    expect(await helpOf(line)).toBe(`solar-exporter check

try the connection step by step, and say what works and what does not

Options:
      --version      print the version
  -h, --help         say what a command needs
      --help-all     list every option
      --json         print JSON
      --station      station id; repeatable, or separated by commas [default: discover]
      --base-url     address for data requests [default: https://solar.siseli.com]
      --config.file  YAML file with any of these options as keys

Set these variables. For secrets, NAME_FILE may name a file instead.
  SOLAR_ACCOUNT, SOLAR_PASSWORD, SOLAR_APP_ID and SOLAR_APP_SECRET; or SOLAR_ACCESS_TOKEN alone
`);
  });

  test.each(COMMANDS)('of %s fits on a screen, with the switches that it takes', async (name) => {
    const brief = await helpOf(`${name} --help`);
    expect(brief.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
    for (const line of brief.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    const switches = Object.keys(SWITCHES).filter((flag) => SWITCHES[flag]?.includes(name));
    expect(flagsIn(brief).filter((flag) => flag in SWITCHES)).toEqual(switches.sort());
  });

  test.each(['check', 'demo'])('of %s lists all that it takes with --help-all', async (name) => {
    const switches = Object.keys(SWITCHES).filter((flag) => SWITCHES[flag]?.includes(name));
    const options = FLAGS.filter(({ commands }) => commands?.includes(name) ?? true);
    const taken = [...OF_ALL, ...switches, ...options.map(({ flag }) => flag)];
    expect(flagsIn(await helpOf(`${name} --help-all`))).toEqual(taken.sort());
  });

  test('of everything groups what only some commands take', async () => {
    const all = await helpOf('--help-all');
    const flags = [...OF_ALL, ...Object.keys(SWITCHES), ...FLAGS.map(({ flag }) => flag)];
    expect(flagsIn(all)).toEqual(flags.sort());
    for (const { env, secret } of OPTIONS) if (secret === true) expect(all).toContain(env);
    expect(all.split('\n').filter((line) => line.startsWith('Options of '))).toEqual([
      'Options of check, devices, readings, settings get, config:',
      'Options of config:',
      'Options of devices:',
      'Options of settings set:',
      'Options of settings get:',
      'Options of history:',
      'Options of simulate, demo:',
    ]);
  });
});

test('completion knows commands and the flags that each takes, but no secrets', async () => {
  const wordsFor = async (...typed: readonly string[]): Promise<readonly string[]> => {
    const { out } = await run('--get-yargs-completions solar-exporter', ...typed);
    return wordsOf(out.replaceAll(/[:\n]/g, ' '));
  };
  expect(await wordsFor('')).toEqual(expect.arrayContaining(['demo', 'settings', 'completion']));
  expect(await wordsFor('settings', '')).toEqual(expect.arrayContaining(['get', 'set']));
  const ofDemo = await wordsFor('demo', '--');
  expect(ofDemo).toContain('--family');
  expect(await wordsFor('check', '--')).not.toContain('--family');
  for (const { flag, secret } of OPTIONS)
    if (secret === true) expect(ofDemo).not.toContain(`--${flag}`);
  expect((await run('completion')).out).toContain('solar-exporter --get-yargs-completions');
});
