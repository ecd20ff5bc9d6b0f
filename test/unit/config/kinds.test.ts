import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/base/secret.ts';
import type { Config } from '../../../src/config/config.ts';
import { parse, problemsOf } from './parse.ts';

/** An option of each kind, and what becomes of it. */
const OPTION_OF = {
  string: ['app-id', ({ appId }) => appId],
  path: ['state.dir', ({ stateDir }) => stateDir],
  url: ['base-url', ({ baseUrl }) => baseUrl],
  duration: ['cache.summary-ttl', ({ cache }) => cache.summaryTtlMs],
  durationOrAuto: ['cache.readings-ttl', ({ cache }) => cache.readingsTtlMs],
  timeout: ['request.timeout', ({ request }) => request.timeoutMs],
  timeoutOrZero: ['simulator.latency', ({ simulator }) => simulator.latencyMs],
  boolean: ['collect.settings', ({ collect }) => collect.settings],
  count: ['web.max-requests', ({ web }) => web.maxRequests],
  countOfSome: ['simulator.devices', ({ simulator }) => simulator.devices],
  ratio: ['simulator.error-rate', ({ simulator }) => simulator.errorRate],
  positive: ['request.rate', ({ request }) => request.ratePerSecond],
  list: ['station', ({ stationIds }) => stationIds],
  hosts: ['web.allowed-hosts', ({ web }) => web.allowedHosts],
  interval: ['interval', ({ history }) => history.intervalMs],
  labels: ['label', ({ history }) => [...history.labels]],
  moment: ['from', ({ history }) => history.from],
  timeZone: ['time-zone', ({ timeZone }) => timeZone],
  endpointPath: ['web.telemetry-path', ({ web }) => web.telemetryPath],
  address: ['web.listen-address', ({ web }) => web.listenAddress],
  choice: ['format', ({ history }) => history.format],
} as const satisfies Readonly<
  Record<string, readonly [flag: string, read: (config: Config) => unknown]>
>;

type Kind = keyof typeof OPTION_OF;

describe('what each kind of option accepts', () => {
  test.each<[Kind, string, unknown]>([
    ['string', ' someone@example.com ', 'someone@example.com'],
    ['path', '/etc/solar exporter', '/etc/solar exporter'],
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
    ['countOfSome', '1', 1],
    ['countOfSome', '10000', 10_000],
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
    ['labels', 'job=solar', [['job', 'solar']]],
    [
      'labels',
      ' job=a, instance=localhost:9877,_x1=',
      [
        ['job', 'a'],
        ['instance', 'localhost:9877'],
        ['_x1', ''],
      ],
    ],
    [
      'labels',
      'place=Kyiv, Ukraine,job=b=c',
      [
        ['place', 'Kyiv, Ukraine'],
        ['job', 'b=c'],
      ],
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
    ['choice', 'CSV', 'csv'],
  ])('%s reads %j as %j', async (kind, text, value) => {
    const [flag, read] = OPTION_OF[kind];
    expect(read((await parse({ flags: { [flag]: text } })).config)).toEqual(value);
  });

  test.each([
    ['hunter2', 'hunter2'],
    [' spaces stay ', ' spaces stay '],
    ['from a file\n', 'from a file'],
    ['from Windows\r\n\r\n', 'from Windows'],
  ])('a secret reads %j without the line break at its end', async (text, expected) => {
    const { password } = (await parse({ env: { SOLAR_PASSWORD: text } })).config;
    expect(password).toBeInstanceOf(Secret);
    expect(password?.reveal()).toBe(expected);
  });
});

const NOT_TEXT = 'is not a text; accepted: one line that is not blank';
const LENGTHS = 'such as 500ms, 30s, 15m, 1h30m';
const URL_ACCEPTED =
  'accepted: an http or https URL without user, query and fragment, such as https://solar.example.com';
const NO_COUNT = 'is not a count; accepted: a whole number';
const TOO_LONG = 'is too long; accepted: at most 24d';

describe('what each kind of option refuses, and with which message', () => {
  test.each<[Kind, readonly string[], string]>([
    ['string', ['', '  ', 'a\nb', 'a\0b'], NOT_TEXT],
    ['path', ['', ' ', 'a\nb'], NOT_TEXT],
    [
      'duration',
      ['', '60', '0s', '-1s', 'soon'],
      `is not a duration; accepted: a positive length ${LENGTHS}`,
    ],
    ['timeout', ['', '60', '0s'], `is not a duration; accepted: a positive length ${LENGTHS}`],
    // A timer of Node.js would run out at once.
    ['timeout', ['600h', '25d', '1y'], TOO_LONG],
    ['timeoutOrZero', ['600h'], TOO_LONG],
    [
      'durationOrAuto',
      ['', 'automatic', '0s', '15'],
      `is not a duration; accepted: auto, or a positive length ${LENGTHS}`,
    ],
    [
      'timeoutOrZero',
      ['', '0', '-1s'],
      `is not a duration; accepted: a length such as 0s, ${LENGTHS.slice(8)}`,
    ],
    [
      'url',
      ['', 'example.com', 'ftp://host', 'https:host', 'https:\\\\host', 'http://', 'http://a b'],
      `is not an http or https URL; ${URL_ACCEPTED}`,
    ],
    [
      'url',
      ['https://me@host', 'https://me:secret@host', 'https://:secret@host/p?q'],
      `has a user or password in it; ${URL_ACCEPTED}`,
    ],
    [
      'url',
      ['https://host/?', 'https://host/?a=b', 'https://host/#', 'https://host#a'],
      `has a query or a fragment; ${URL_ACCEPTED}`,
    ],
    ['boolean', ['', 'maybe', '2'], 'is not a yes or no; accepted: true or false'],
    ['count', ['', '-1', '1.5', '1e3', '0x10', '9'.repeat(20)], `${NO_COUNT} of at least 0`],
    ['countOfSome', ['0', '10001'], `${NO_COUNT} from 1 to 10000`],
    [
      'ratio',
      ['', '-0.1', '1.01', '5%', 'NaN'],
      'is not a ratio; accepted: a number from 0 to 1 such as 0.05',
    ],
    [
      'positive',
      ['', '0', '-1', 'Infinity', '9'.repeat(400)],
      'is not a positive number; accepted: a number above 0 such as 60 or 0.5',
    ],
    ['list', ['', ' ', ',', ' , '], 'names nothing; accepted: one or more ids, comma separated'],
    [
      'hosts',
      [
        ...['', ',', '.', '*', '*.example.org', 'a..b', '..example.org'],
        ...['https://solar.example.org', 'solar.example.org:443', 'solar.example.org/'],
        ...['solar.example.org, a/b', 'a b', 'a%62.org', 'me@host', '[::1]'],
      ],
      'is not a list of host names; accepted: comma separated names without scheme, port and path, such as solar.example.org, or .example.org for every name that ends so',
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
    [
      'timeZone',
      ['', 'Europe', '+08:00', '-03:00', 'Kyiv', '+0800', 'Mars/Olympus'],
      'is not a time zone; accepted: an IANA name such as Europe/Kyiv',
    ],
    [
      'endpointPath',
      [
        ...['', 'metrics', '//host/metrics', '/a?b', '/a#b', '/../a', '/a/..', '/%2E%2e/a'],
        ...['/a b', '/a\\b'],
      ],
      "is not a path; accepted: a path from the root, without query and '..', such as /metrics",
    ],
    [
      'address',
      [
        ...['', '9877', ':', ':65536', ':x', '::1:9877', '[::1]', '[1:2]:80', '256.0.0.1:80'],
        'a b:80',
      ],
      'is not an address to listen on; accepted: [host]:port with a port from 0 to 65535, such as :9877, 127.0.0.1:9877 or [::1]:9877',
    ],
    ['choice', ['', 'xml'], 'is not a choice; accepted: one of openmetrics, csv, json'],
  ])('%s refuses %j', async (kind, texts, fault) => {
    const [flag] = OPTION_OF[kind];
    for (const text of texts) {
      const [problem = '', ...others] = await problemsOf({ flags: { [flag]: text } });
      expect(others).toEqual([]);
      expect(problem.startsWith(`--${flag}: "`), problem).toBe(true);
      expect(problem.slice(problem.lastIndexOf('" ') + 2)).toBe(fault);
    }
  });

  test.each(['', ' ', '\n', '\r\n', ' \n', 'two\nlines'])('a secret refuses %j', async (text) => {
    const given = { env: { SOLAR_PASSWORD_FILE: '/s' }, files: { '/s': text } };
    expect(await problemsOf(given)).toEqual([
      `SOLAR_PASSWORD_FILE: the content of "/s" ${NOT_TEXT}`,
    ]);
  });
});
