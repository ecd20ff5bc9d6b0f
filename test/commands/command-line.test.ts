import { describe, expect, test } from 'vitest';
import { type CommandLine, parseCommandLine } from '../../src/commands/command-line.ts';
import { OPTIONS } from '../../src/config/options.ts';

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
  ])('$argv gives flags to be judged later, as they were typed', ({ argv, flags }) => {
    expect(lineOf(...argv)).toEqual({ ...NOTHING, flags });
  });

  test.each([
    { argv: ['chek'], problem: '"chek": unknown command; did you mean check?' },
    { argv: ['reading'], problem: '"reading": unknown command; did you mean readings?' },
    { argv: ['xyzzy-plugh'], problem: '"xyzzy-plugh": unknown command; accepted: serve, check,' },
    { argv: ['check', 'twice'], problem: '"twice": unknown command' },
    { argv: ['serve', 'now'], problem: '"now": unknown command' },
    { argv: ['check', 'twice', 'or', 'more'], problem: '"twice": unknown command' },
    { argv: ['readings', '1', '2'], problem: '"2": unknown command' },
    { argv: ['settings', 'gte', '1'], problem: '"gte": unknown command' },
    { argv: ['settings', 'get', '1', '2'], problem: '"2": unknown command' },
    { argv: ['settings'], problem: 'settings: accepted: get <device>, set <device> key=value…' },
    { argv: ['settings', 'get'], problem: 'settings: accepted: get <device>' },
    { argv: ['settings', 'set'], problem: 'settings: accepted: get <device>' },
    { argv: ['settings', 'set', '7'], problem: 'settings: accepted: get <device>' },
    { argv: ['--cache.max-age'], problem: 'cache.max-age' },
  ])('$argv is refused', ({ argv, problem }) => {
    expect(problemOf(...argv)).toContain(problem);
  });

  test('that asks for the version or for help is answered at once', () => {
    expect(parseCommandLine(['--version'], '1.2.3')).toEqual({ answer: '1.2.3\n' });
    for (const argv of [['--help'], ['check', '--help'], ['settings', '--help']])
      expect(parseCommandLine(argv, '1.2.3')).toEqual({
        answer: expect.stringContaining('solar-exporter') as unknown,
      });
  });
});

describe('the help', () => {
  const parsed = parseCommandLine(['--help'], '1.2.3');
  const help = 'answer' in parsed ? parsed.answer : '';

  test.each(OPTIONS.filter(({ secret }) => secret !== true))('lists --$flag', ({ flag }) => {
    expect(help).toMatch(new RegExp(`--${flag.replaceAll('.', '\\.')}\\s`));
  });

  test.each(OPTIONS.filter(({ secret }) => secret === true))(
    'names $env, and has no flag for it',
    ({ flag, env }) => {
      expect(help).toContain(env);
      expect(help).not.toMatch(new RegExp(`--${flag}\\s`));
    },
  );
});
