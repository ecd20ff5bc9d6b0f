import { describe, expect, test } from 'vitest';
import { Secret } from '../../src/base/secret.ts';
import * as historyKinds from '../../src/config/history-kinds.ts';
import * as kinds from '../../src/config/kinds.ts';
import * as networkKinds from '../../src/config/network-kinds.ts';
import type { Option, OptionKind, OptionRow } from '../../src/config/option.ts';

interface Bounds {
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Every kind but the text file, which accepts any text. */
type TextKind = Exclude<OptionKind, 'textFile'>;

const DECLARE: Readonly<
  Record<TextKind, (row: OptionRow & { readonly choices: readonly string[] }) => Option>
> = { ...kinds, ...networkKinds, ...historyKinds };

/** Declares an option of a kind. */
function optionOf(kind: TextKind, bounds: Bounds = {}): Option {
  return DECLARE[kind]({ choices: [], ...bounds, describe: kind });
}

function sentenceOf(kind: TextKind, text: string, bounds: Bounds = {}): string {
  const result = optionOf(kind, bounds).read(text);
  if ('value' in result) throw new Error(`${kind} accepts ${JSON.stringify(text)}`);
  return result.fault;
}

const TEN_AT_MOST = { minimum: 1, maximum: 10 };
const COLOURS = { choices: ['red', 'green'] };

describe('what each kind of option accepts', () => {
  test.each<[TextKind, string, unknown, Bounds?]>([
    ['string', ' someone@example.com ', 'someone@example.com'],
    ['path', '/etc/solar exporter.yaml', '/etc/solar exporter.yaml'],
    ['url', 'https://solar.example.com/', 'https://solar.example.com'],
    ['url', ' HTTP://Solar.Example.com:8080/prefix// ', 'http://solar.example.com:8080/prefix'],
    ['url', 'https://host.example:443/a/b', 'https://host.example/a/b'],
    ['url', 'http://[::1]:9878', 'http://[::1]:9878'],
    ['duration', ' 1h30m ', 5_400_000],
    ['durationOrAuto', ' auto ', 'auto'],
    ['durationOrAuto', '20m', 1_200_000],
    ['timeout', '24d', 24 * 24 * 3_600_000],
    ['timeoutOrZero', '0s', 0],
    ['boolean', 'true', true],
    ['boolean', 'Yes', true],
    ['boolean', 'on', true],
    ['boolean', '1', true],
    ['boolean', 'false', false],
    ['boolean', 'no', false],
    ['boolean', 'off', false],
    ['boolean', '0', false],
    ['count', '0', 0],
    ['count', '10', 10, TEN_AT_MOST],
    ['ratio', '0', 0],
    ['ratio', '0.05', 0.05],
    ['ratio', '1', 1],
    ['positive', '0.5', 0.5],
    ['positive', '86400', 86_400],
    ['list', 'a, b,a ,,99999999999999999999', ['a', 'b', '99999999999999999999']],
    ['hosts', 'Solar.Example.org', ['solar.example.org']],
    ['hosts', ' a.example , .b.example,a.example.,', ['a.example', '.b.example']],
    ['hosts', 'sölar.example', ['xn--slar-5qa.example']],
    ['hosts', 'nas_2', ['nas_2']],
    ['interval', ' 1m ', 60_000],
    ['interval', '4m', 240_000],
    ['interval', '1s', 1000],
    ['labels', 'job=solar', new Map([['job', 'solar']])],
    [
      'labels',
      ' job=a, instance=localhost:9877,_x1=',
      new Map([
        ['job', 'a'],
        ['instance', 'localhost:9877'],
        ['_x1', ''],
      ]),
    ],
    [
      'labels',
      'place=Kyiv, Ukraine,job=b=c',
      new Map([
        ['place', 'Kyiv, Ukraine'],
        ['job', 'b=c'],
      ]),
    ],
    [
      'moment',
      ' 2026-08-01 ',
      { text: '2026-08-01', localMs: Date.UTC(2026, 7, 1), offsetMs: undefined },
    ],
    ['timeZone', 'Europe/Kyiv', 'Europe/Kyiv'],
    ['timeZone', 'UTC', 'UTC'],
    ['endpointPath', '/apis/device/list', '/apis/device/list'],
    ['endpointPath', '/', '/'],
    ['address', ':9877', { port: 9877 }],
    ['address', '0.0.0.0:0', { host: '0.0.0.0', port: 0 }],
    ['address', '[::1]:65535', { host: '::1', port: 65_535 }],
    ['address', 'solar-exporter.lan:80', { host: 'solar-exporter.lan', port: 80 }],
    ['choice', 'Red', 'red', COLOURS],
  ])('%s reads %j as %j', (kind, text, value, bounds = {}) => {
    expect(optionOf(kind, bounds).read(text)).toEqual({ value });
  });

  test.each([
    ['hunter2', 'hunter2'],
    [' spaces stay ', ' spaces stay '],
    ['from a file\n', 'from a file'],
    ['from Windows\r\n\r\n', 'from Windows'],
  ])('secret reads %j without the line break at its end', (text, expected) => {
    const parsed = kinds.secret({ describe: 'secret' }).read(text);
    expect('value' in parsed && parsed.value).toBeInstanceOf(Secret);
    expect('value' in parsed && parsed.value?.reveal()).toBe(expected);
  });
});

const NOT_TEXT = 'is not a text; accepted: one line that is not blank';
const NOT_DURATION =
  'is not a duration; accepted: a positive length such as 500ms, 30s, 15m, 1h30m';
const URL_ACCEPTED =
  'accepted: an http or https URL without user, query and fragment, such as https://solar.example.com';
const NOT_URL = `is not an http or https URL; ${URL_ACCEPTED}`;
const HAS_USER = `has a user or password in it; ${URL_ACCEPTED}`;
const HAS_QUERY = `has a query or a fragment; ${URL_ACCEPTED}`;
const NOT_HOSTS =
  'is not a list of host names; accepted: comma separated names without scheme, port and path, such as solar.example.org, or .example.org for every name that ends so';
const NOT_ZONE = 'is not a time zone; accepted: an IANA name such as Europe/Kyiv';
const NOT_PATH =
  "is not a path; accepted: a path from the root, without query and '..', such as /metrics";
const NOT_ADDRESS =
  'is not an address to listen on; accepted: [host]:port with a port from 0 to 65535, such as :9877, 127.0.0.1:9877 or [::1]:9877';
const NOT_RATIO = 'is not a ratio; accepted: a number from 0 to 1 such as 0.05';
const NOT_POSITIVE = 'is not a positive number; accepted: a number above 0 such as 60 or 0.5';

describe('what each kind of option refuses, and with which message', () => {
  test.each<[TextKind, readonly string[], string, Bounds?]>([
    ['string', ['', '  ', 'a\nb', 'a\0b'], NOT_TEXT],
    ['path', ['', ' ', 'a\nb'], NOT_TEXT],
    ['secret', ['', ' ', '\n', '\r\n', ' \n', 'two\nlines'], NOT_TEXT],
    ['duration', ['', '60', '0s', '-1s', 'soon'], NOT_DURATION],
    ['timeout', ['', '60', '0s'], NOT_DURATION],
    // A timer of Node.js would run out at once.
    ['timeout', ['600h', '25d', '1y'], 'is too long; accepted: at most 24d'],
    ['timeoutOrZero', ['600h'], 'is too long; accepted: at most 24d'],
    [
      'durationOrAuto',
      ['', 'automatic', '0s', '15'],
      'is not a duration; accepted: auto, or a positive length such as 500ms, 30s, 15m, 1h30m',
    ],
    [
      'timeoutOrZero',
      ['', '0', '-1s'],
      'is not a duration; accepted: a length such as 0s, 500ms, 30s, 15m, 1h30m',
    ],
    [
      'url',
      [
        '',
        'solar.example.com',
        'ftp://host',
        'https:host',
        'https:\\\\host',
        'http://',
        'http://a b',
      ],
      NOT_URL,
    ],
    ['url', ['https://me@host', 'https://me:secret@host', 'https://:secret@host/p?q'], HAS_USER],
    ['url', ['https://host/?', 'https://host/?a=b', 'https://host/#', 'https://host#a'], HAS_QUERY],
    ['boolean', ['', 'maybe', '2'], 'is not a yes or no; accepted: true or false'],
    [
      'count',
      ['', '-1', '1.5', '1e3', '0x10'],
      'is not a count; accepted: a whole number of at least 0',
    ],
    ['count', ['99999999999999999999'], 'is not a count; accepted: a whole number of at least 0'],
    ['count', ['0', '11'], 'is not a count; accepted: a whole number from 1 to 10', TEN_AT_MOST],
    ['ratio', ['', '-0.1', '1.01', '5%', 'NaN'], NOT_RATIO],
    ['positive', ['', '0', '-1', 'Infinity', '9'.repeat(400)], NOT_POSITIVE],
    ['list', ['', ' ', ',', ' , '], 'names nothing; accepted: one or more ids, comma separated'],
    [
      'hosts',
      [
        '',
        ',',
        '.',
        '*',
        '*.example.org',
        'a..b',
        '..example.org',
        'https://solar.example.org',
        'solar.example.org:443',
        'solar.example.org/',
        'solar.example.org, a/b',
        'a b',
        'a%62.org',
        'me@host',
        '[::1]',
      ],
      NOT_HOSTS,
    ],
    [
      'interval',
      ['', '0s', '500ms', '1.5s', '4m1s', '1h', '60', 'soon'],
      'is not such a length; accepted: whole seconds from 1s to 4m, such as 30s or 1m',
    ],
    [
      'labels',
      ['', 'solar', '=solar', '1st=a', 'a-b=c', '__name__=up', 'job=a,__x=b', ',job=a'],
      'is not a label; accepted: name=value, such as job=solar; a name is letters, digits and _',
    ],
    [
      'moment',
      ['', 'yesterday', '2026-02-30', '2026-08', '1000-01-01'],
      'is not a date; accepted: a date such as 2026-08-01, with a time such as 2026-08-01T12:30 or 2026-08-01T12:30:00+08:00',
    ],
    ['timeZone', ['', 'Europe', '+08:00', '-03:00', 'Kyiv', '+0800', 'Mars/Olympus'], NOT_ZONE],
    [
      'endpointPath',
      [
        '',
        'metrics',
        '//host/metrics',
        '/a?b',
        '/a#b',
        '/../a',
        '/a/..',
        '/%2E%2e/a',
        '/a b',
        '/a\\b',
      ],
      NOT_PATH,
    ],
    [
      'address',
      ['', '9877', ':', ':65536', ':x', '::1:9877', '[::1]', '[1:2]:80', '256.0.0.1:80', 'a b:80'],
      NOT_ADDRESS,
    ],
    ['choice', ['', 'blue'], 'is not a choice; accepted: one of red, green', COLOURS],
  ])('%s refuses %j', (kind, texts, sentence, bounds) => {
    for (const text of texts) expect(sentenceOf(kind, text, bounds)).toBe(sentence);
  });

  test('a choice without choices accepts nothing', () => {
    expect(sentenceOf('choice', 'red')).toBe('is not a choice; accepted: one of ');
  });
});
