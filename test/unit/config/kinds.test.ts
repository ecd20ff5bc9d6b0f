import { describe, expect, test } from 'vitest';
import { describeConfig } from '../../../src/config/config.ts';
import { parse, problemsOf, valueOf } from './parse.ts';

type Row = [flag: string, text: string, value: unknown];

const labels = (pairs: object) => new Map(Object.entries(pairs));

describe('what each kind of option accepts', () => {
  test.each<Row>([
    ['device', ' someone@example.com ', 'someone@example.com'],
    ['state.dir', '/etc/solar exporter', '/etc/solar exporter'],
    ['base-url', 'https://solar.example.com/', 'https://solar.example.com'],
    ['base-url', ' HTTP://A.Example.com:8080/b// ', 'http://a.example.com:8080/b'],
    ['base-url', 'http://[::1]:9878', 'http://[::1]:9878'],
    ['cache.summary-ttl', ' 1h30m ', 5_400_000],
    ['cache.readings-ttl', ' auto ', 'auto'],
    ['cache.readings-ttl', '20m', 1_200_000],
    ['request.timeout', '24d', 24 * 24 * 3_600_000],
    ['simulator.latency', '0s', 0],
    ...['true', 'Yes', 'on', '1'].map((yes): Row => ['collect.settings', yes, true]),
    ...['false', 'no', 'off', '0'].map((no): Row => ['collect.settings', no, false]),
    ['web.max-requests', '0', 0],
    ['simulator.devices', '10000', 10_000],
    ['request.rate', '86400.5', 86_400.5],
    ['station', 'a, b,a ,,99999999999999999999', ['a', 'b', '99999999999999999999']],
    ['interval', ' 4m ', 240_000],
    ['interval', '1s', 1000],
    ['label', ' job=a, _x1=', labels({ job: 'a', _x1: '' })],
    ['label', 'place=Kyiv, Ukraine,job=b=c', labels({ place: 'Kyiv, Ukraine', job: 'b=c' })],
    ['from', ' 2026-08-01 ', { text: '2026-08-01', localMs: Date.UTC(2026, 7, 1) }],
    [
      'to',
      '2026-01-03T12:30:00+02:00',
      {
        text: '2026-01-03T12:30:00+02:00',
        localMs: Date.UTC(2026, 0, 3, 12, 30),
        offsetMs: 7_200_000,
      },
    ],
    ['time-zone', 'Europe/Kyiv', 'Europe/Kyiv'],
    ['web.telemetry-path', '/', '/'],
    ['web.listen-address', ':9877', { port: 9877 }],
    ['web.listen-address', '[::1]:65535', { host: '::1', port: 65_535 }],
    ['web.listen-address', 'solar-exporter.lan:80', { host: 'solar-exporter.lan', port: 80 }],
    ['format', 'CSV', 'csv'],
  ])('%s reads %j as %j, also as it shows it', async (flag, text, value) => {
    const { config } = await parse({ flags: { [flag]: text } });
    expect(valueOf(config, flag)).toEqual(value);
    const shown = describeConfig(config).find(({ option }) => option === flag)?.value;
    expect(valueOf((await parse({ flags: { [flag]: shown } })).config, flag)).toEqual(value);
  });
});

describe('what each kind of option refuses, and as what', () => {
  test.each<[flag: string, fault: string, texts: readonly string[]]>([
    ['device', 'is not a text', ['', '  ', 'a\nb', 'a\0b']],
    ['state.dir', 'is not a text', ['', ' ', 'a\nb']],
    ['cache.summary-ttl', 'is not a duration; accepted: a positive', ['', '60', '-1s']],
    ['request.timeout', 'is not a duration; accepted: a positive', ['', '60', '0s']],
    ['cache.summary-ttl', 'is too short; accepted: at least 1s', ['1ms', '999ms', '0.5s']],
    // A timer of Node.js would run out at once.
    ['request.timeout', 'is too long; accepted: at most 24d', ['600h', '25d', '1y']],
    ['simulator.latency', 'is too long; accepted: at most 24d', ['600h']],
    ['cache.readings-ttl', 'is not a duration; accepted: auto', ['', 'automatic', '0s', '15']],
    ['simulator.latency', 'is not a duration; accepted: a length such as 0s', ['', '0', '-1s']],
    ['base-url', 'is not an http or https URL', ['', 'example.com', 'ftp://host', 'https:host']],
    ['base-url', 'is not an http or https URL', ['https:\\\\host', 'http://', 'http://a b']],
    ['base-url', 'has a user or password in it', ['https://me@host', 'https://me:secret@host']],
    ['base-url', 'has a user or password in it', ['https://:secret@host/p?q']],
    ['base-url', 'has a query or a fragment', ['https://host/?', 'https://host/?a=b']],
    ['base-url', 'has a query or a fragment', ['https://host/#', 'https://host#a']],
    ['collect.settings', 'is not a yes or no', ['', 'maybe', '2']],
    [
      'web.max-requests',
      'is not a count; accepted: a whole number of at least 0',
      ['', '-1', '1.5'],
    ],
    ['web.max-requests', 'is not a count', ['1e3', '0x10', '9'.repeat(20)]],
    [
      'simulator.devices',
      'is not a count; accepted: a whole number from 1 to 10000',
      ['0', '10001'],
    ],
    ['request.rate', 'is not a positive number', ['', '0', '-1', 'Infinity', '9'.repeat(400)]],
    ['station', 'names nothing', ['', ' ', ',', ' , ']],
    ['interval', 'is not such', ['', '0s', '500ms', '1.5s', '4m1s', '1h', '60', 'soon']],
    ['label', 'is not a label', ['', 'solar', '=solar', '1st=a', 'a-b=c', '__name__=up']],
    ['label', 'is not a label', ['job=a,__x=b', ',job=a']],
    ['from', 'is not a date', ['', 'yesterday', '2026-02-30', '2026-08', '1000-01-01']],
    ['time-zone', 'is not a time zone', ['', 'Europe', '+08:00', '-03:00', 'Kyiv', '+0800']],
    ['time-zone', 'is not a time zone', ['Mars/Olympus']],
    ['web.telemetry-path', 'is not a path', ['', 'metrics', '//host/metrics', '/a?b', '/a#b']],
    ['web.telemetry-path', 'is not a path', ['/../a', '/a/..', '/%2E%2e/a', '/a b', '/a\\b']],
    [
      'web.listen-address',
      'is not an address',
      ['', '9877', ':', ':65536', ':x', '::1:9877', '[::1]'],
    ],
    ['web.listen-address', 'is not an address', ['[1:2]:80', '256.0.0.1:80', 'a b:80']],
    ['format', 'is not a choice; accepted: one of openmetrics, csv', ['', 'xml']],
  ])('%s: what %s is %j', async (flag, fault, texts) => {
    for (const text of texts)
      expect(await problemsOf({ flags: { [flag]: text } })).toEqual([
        expect.stringMatching(new RegExp(`^--${flag}: ".*" ${fault}`)),
      ]);
  });
});
