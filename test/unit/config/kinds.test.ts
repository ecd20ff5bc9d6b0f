import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/base/shown.ts';
import type { Config } from '../../../src/config/config.ts';
import { parse, problemsOf } from './parse.ts';

/** An option of each kind, and what becomes of it. */
const OPTION_OF = {
  string: ['device', ({ history }) => history.device],
  path: ['state.dir', ({ stateDir }) => stateDir],
  url: ['base-url', ({ baseUrl }) => baseUrl],
  duration: ['cache.summary-ttl', ({ cache }) => cache.summaryTtlMs],
  durationOrAuto: ['cache.readings-ttl', ({ cache }) => cache.readingsTtlMs],
  timeout: ['request.timeout', ({ request }) => request.timeoutMs],
  timeoutOrZero: ['simulator.latency', ({ simulator }) => simulator.latencyMs],
  boolean: ['collect.settings', ({ collect }) => collect.settings],
  count: ['web.max-requests', ({ web }) => web.maxRequests],
  countOfSome: ['simulator.devices', ({ simulator }) => simulator.devices],
  positive: ['request.rate', ({ request }) => request.ratePerSecond],
  list: ['station', ({ stationIds }) => stationIds],
  interval: ['interval', ({ history }) => history.intervalMs],
  labels: ['label', ({ history }) => Object.fromEntries(history.labels)],
  moment: ['from', ({ history }) => history.from?.localMs],
  timeZone: ['time-zone', ({ timeZone }) => timeZone],
  endpointPath: ['web.telemetry-path', ({ web }) => web.telemetryPath],
  address: ['web.listen-address', ({ web }) => web.listenAddress],
  choice: ['format', ({ history }) => history.format],
} as const satisfies Readonly<
  Record<string, readonly [flag: string, read: (config: Config) => unknown]>
>;

type Kind = keyof typeof OPTION_OF;
type Row = [kind: Kind, text: string, value: unknown];

describe('what each kind of option accepts', () => {
  test.each<Row>([
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
    ...['true', 'Yes', 'on', '1'].map((yes): Row => ['boolean', yes, true]),
    ...['false', 'no', 'off', '0'].map((no): Row => ['boolean', no, false]),
    ['count', '0', 0],
    ['countOfSome', '1', 1],
    ['countOfSome', '10000', 10_000],
    ['positive', '0.5', 0.5],
    ['positive', '86400', 86_400],
    ['list', 'a, b,a ,,99999999999999999999', ['a', 'b', '99999999999999999999']],
    ['interval', ' 1m ', 60_000],
    ['interval', '4m', 240_000],
    ['interval', '1s', 1000],
    ['labels', ' job=a, instance=h:1,_x1=', { job: 'a', instance: 'h:1', _x1: '' }],
    ['labels', 'place=Kyiv, Ukraine,job=b=c', { place: 'Kyiv, Ukraine', job: 'b=c' }],
    ['moment', ' 2026-08-01 ', Date.UTC(2026, 7, 1)],
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

describe('what each kind of option refuses, and as what', () => {
  test.each<[Kind, string, readonly string[]]>([
    ['string', 'is not a text', ['', '  ', 'a\nb', 'a\0b']],
    ['path', 'is not a text', ['', ' ', 'a\nb']],
    ['duration', 'is not a duration; accepted: a positive', ['', '60', '0s', '-1s', 'soon']],
    ['timeout', 'is not a duration; accepted: a positive', ['', '60', '0s']],
    ['duration', 'is too short; accepted: at least 1s', ['1ms', '999ms', '0.5s']],
    // A timer of Node.js would run out at once.
    ['timeout', 'is too long; accepted: at most 24d', ['600h', '25d', '1y']],
    ['timeoutOrZero', 'is too long; accepted: at most 24d', ['600h']],
    ['durationOrAuto', 'is not a duration; accepted: auto', ['', 'automatic', '0s', '15']],
    ['timeoutOrZero', 'is not a duration; accepted: a length such as 0s', ['', '0', '-1s']],
    ['url', 'is not an http or https URL', ['', 'example.com', 'ftp://host', 'https:host']],
    ['url', 'is not an http or https URL', ['https:\\\\host', 'http://', 'http://a b']],
    ['url', 'has a user or password in it', ['https://me@host', 'https://me:secret@host']],
    ['url', 'has a user or password in it', ['https://:secret@host/p?q']],
    ['url', 'has a query or a fragment', ['https://host/?', 'https://host/?a=b']],
    ['url', 'has a query or a fragment', ['https://host/#', 'https://host#a']],
    ['boolean', 'is not a yes or no', ['', 'maybe', '2']],
    ['count', 'is not a count; accepted: a whole number of at least 0', ['', '-1', '1.5']],
    ['count', 'is not a count', ['1e3', '0x10', '9'.repeat(20)]],
    ['countOfSome', 'is not a count; accepted: a whole number from 1 to 10000', ['0', '10001']],
    ['positive', 'is not a positive number', ['', '0', '-1', 'Infinity', '9'.repeat(400)]],
    ['list', 'names nothing', ['', ' ', ',', ' , ']],
    ['interval', 'is not such', ['', '0s', '500ms', '1.5s', '4m1s', '1h', '60', 'soon']],
    ['labels', 'is not a label', ['', 'solar', '=solar', '1st=a', 'a-b=c', '__name__=up']],
    ['labels', 'is not a label', ['job=a,__x=b', ',job=a']],
    ['moment', 'is not a date', ['', 'yesterday', '2026-02-30', '2026-08', '1000-01-01']],
    ['timeZone', 'is not a time zone', ['', 'Europe', '+08:00', '-03:00', 'Kyiv', '+0800']],
    ['timeZone', 'is not a time zone', ['Mars/Olympus']],
    ['endpointPath', 'is not a path', ['', 'metrics', '//host/metrics', '/a?b', '/a#b']],
    ['endpointPath', 'is not a path', ['/../a', '/a/..', '/%2E%2e/a', '/a b', '/a\\b']],
    ['address', 'is not an address', ['', '9877', ':', ':65536', ':x', '::1:9877', '[::1]']],
    ['address', 'is not an address', ['[1:2]:80', '256.0.0.1:80', 'a b:80']],
    ['choice', 'is not a choice; accepted: one of openmetrics, csv', ['', 'xml']],
  ])('%s: what %s is %j', async (kind, fault, texts) => {
    const [flag] = OPTION_OF[kind];
    for (const text of texts)
      expect(await problemsOf({ flags: { [flag]: text } })).toEqual([
        expect.stringMatching(new RegExp(`^--${flag}: ".*" ${fault}`)),
      ]);
  });
});
