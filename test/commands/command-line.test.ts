import { describe, expect, test } from 'vitest';
import { OPTIONS } from '../../src/config/options.ts';
import { type CommandLine, parseCommandLine } from '../../src/commands/command-line.ts';

const NOTHING: CommandLine = {
  command: 'serve',
  device: undefined,
  changes: [],
  switches: new Set(),
  flags: {},
};

function lineOf(...argv: readonly string[]): CommandLine {
  const parsed = parseCommandLine(argv, '1.2.3');
  if ('line' in parsed) return parsed.line;
  throw new Error(`not a command line: ${JSON.stringify(parsed)}`);
}

function problemOf(...argv: readonly string[]): string {
  const parsed = parseCommandLine(argv, '1.2.3');
  return 'problem' in parsed ? parsed.problem : 'none';
}

describe('a command line', () => {
  test.each<{ argv: readonly string[]; expected: Partial<CommandLine> }>([
    { argv: [], expected: {} },
    { argv: ['serve'], expected: {} },
    { argv: ['check'], expected: { command: 'check' } },
    { argv: ['check', '--json'], expected: { command: 'check', switches: new Set(['json']) } },
    { argv: ['--json', 'check'], expected: { command: 'check', switches: new Set(['json']) } },
    { argv: ['devices'], expected: { command: 'devices' } },
    {
      argv: ['devices', '--explain'],
      expected: { command: 'devices', switches: new Set(['explain']) },
    },
    {
      argv: ['settings', 'get', '7', '--from-device'],
      expected: { command: 'settings get', device: '7', switches: new Set(['from-device']) },
    },
    { argv: ['readings'], expected: { command: 'readings' } },
    {
      argv: ['readings', '353417800001000017'],
      expected: { command: 'readings', device: '353417800001000017' },
    },
    { argv: ['readings', '0012'], expected: { command: 'readings', device: '0012' } },
    { argv: ['settings', 'get', '7'], expected: { command: 'settings get', device: '7' } },
    {
      argv: ['settings', 'set', '7', 'a=1', 'b=c d', '--yes'],
      expected: {
        command: 'settings set',
        device: '7',
        changes: ['a=1', 'b=c d'],
        switches: new Set(['yes']),
      },
    },
    {
      argv: ['history', '--from=2026-08-01', '--device', '0012', '--dry-run'],
      expected: {
        command: 'history',
        switches: new Set(['dry-run']),
        flags: { from: '2026-08-01', device: '0012' },
      },
    },
    { argv: ['simulate'], expected: { command: 'simulate' } },
    { argv: ['demo'], expected: { command: 'demo' } },
    { argv: ['config'], expected: { command: 'config' } },
  ])('$argv is understood', ({ argv, expected }) => {
    expect(lineOf(...argv)).toEqual({ ...NOTHING, ...expected });
  });

  test.each<{ argv: readonly string[]; flags: CommandLine['flags'] }>([
    { argv: ['--cache.max-age=1h'], flags: { 'cache.max-age': '1h' } },
    { argv: ['--cache.max-age', '1h'], flags: { 'cache.max-age': '1h' } },
    { argv: ['serve', '--station=1', '--station=2'], flags: { station: ['1', '2'] } },
    { argv: ['--request.concurrency=08'], flags: { 'request.concurrency': '08' } },
    { argv: ['--collect.settings'], flags: { 'collect.settings': true } },
    { argv: ['--no-collect.alarms'], flags: { 'collect.alarms': false } },
    { argv: ['--collect.settings=true'], flags: { 'collect.settings': 'true' } },
    { argv: ['--collect.settings=maybe'], flags: { 'collect.settings': 'maybe' } },
    { argv: ['--collect.settings='], flags: { 'collect.settings': '' } },
    { argv: ['--unheard.of=1'], flags: { 'unheard.of': '1' } },
    { argv: ['--password=x'], flags: { password: 'x' } },
    { argv: ['--constructor=1'], flags: { constructor: '1' } },
  ])('$argv gives flags to be judged later, as they were typed', ({ argv, flags }) => {
    expect(lineOf(...argv)).toEqual({ ...NOTHING, flags });
  });

  test.each([
    { argv: ['chek'], problem: '"chek": unknown command; did you mean check?' },
    { argv: ['reading'], problem: '"reading": unknown command; did you mean readings?' },
    { argv: ['xyzzy-plugh'], problem: '"xyzzy-plugh": unknown command; accepted: serve, check,' },
    {
      argv: ['check', 'twice'],
      problem: '"twice": one word too many; accepted: solar-exporter check',
    },
    { argv: ['serve', 'now'], problem: '"now": one word too many; accepted: solar-exporter serve' },
    { argv: ['check', 'one,two'], problem: '"one,two": one word too many' },
    { argv: ['check', 'twice', 'or', 'more'], problem: '"twice": one word too many' },
    {
      argv: ['readings', 'Inverter', '2'],
      problem:
        '"2": one word too many; accepted: solar-exporter readings [device]; put a name with blanks into quotes',
    },
    {
      argv: ['settings', 'gte', '1'],
      problem: '"gte": unknown command; did you mean settings get?',
    },
    { argv: ['settings', 'get', '1', '2'], problem: '"2": one word too many' },
    { argv: ['settings'], problem: 'settings: accepted: get <device>, set <device> key=value…' },
    {
      argv: ['settings', 'get'],
      problem: 'settings get: names no device; accepted: the id, the name or the serial number',
    },
    { argv: ['settings', 'set'], problem: 'settings set: names no device' },
    {
      argv: ['settings', 'set', '7'],
      problem: 'settings set: names no change; accepted: key=value',
    },
    {
      argv: ['check', '--explain'],
      problem: '--explain belongs to devices; check does not take it',
    },
    {
      argv: ['serve', '--json'],
      problem: '--json belongs to check, devices, readings, settings get, config;',
    },
    {
      argv: ['readings', '--device=0012'],
      problem: '--device belongs to history; readings does not take it',
    },
    {
      argv: ['serve', '--simulator.seed=7'],
      problem: '--simulator.seed belongs to simulate, demo; serve does not take it',
    },
    {
      argv: ['--collect.settings', 'yes'],
      problem:
        '--collect.settings "yes": a yes or no takes its value behind =; accepted: --collect.settings, --collect.settings=false',
    },
  ])('$argv is refused', ({ argv, problem }) => {
    expect(problemOf(...argv)).toContain(problem);
  });

  test('that asks for the version is answered at once', () => {
    const argvs = [['--version'], ['check', '--version'], ['--version', 'chek', '--station']];
    for (const argv of argvs)
      expect(parseCommandLine(argv, '1.2.3')).toEqual({ answer: '1.2.3\n' });
  });
});

describe('an option without its value', () => {
  test.each([
    {
      argv: ['--cache.readings-ttl'],
      problem: 'accepted: auto, or a positive length such as 500ms',
    },
    {
      argv: ['--cache.readings-ttl', '--collect.settings'],
      problem: 'accepted: auto, or a positive length',
    },
    { argv: ['check', '--log.level'], problem: 'accepted: one of fatal, error, warn' },
    { argv: ['--web.listen-address'], problem: 'accepted: [host]:port' },
    { argv: ['--station'], problem: 'accepted: one or more ids' },
    { argv: ['--base-url'], problem: 'accepted: an http or https URL' },
    { argv: ['--dialect.file'], problem: 'accepted: the path of a file' },
    { argv: ['demo', '--simulator.seed', '--yes'], problem: 'accepted: a whole number' },
  ])('$argv is refused with what it takes', ({ argv, problem }) => {
    const [flag = ''] = argv.filter((word) => word.startsWith('--'));
    expect(problemOf(...argv)).toContain(`${flag}: has no value; ${problem}`);
  });

  test.each(OPTIONS.filter(({ secret, kind }) => secret !== true && kind !== 'boolean'))(
    '--$flag is refused with what it takes',
    ({ flag }) => {
      expect(problemOf(`--${flag}`)).toMatch(new RegExp(`^--${flag}: has no value; accepted: .`));
    },
  );
});
