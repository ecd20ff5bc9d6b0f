import { describe, expect, test } from 'vitest';
import { HostCheck } from '../../src/http/host-check.ts';
import { SilentLog } from '../support/silent-log.ts';

const BROWSER = { 'accept-language': 'en' };

function check(allowedHosts: readonly string[] = []) {
  const log = new SilentLog();
  const hostCheck = new HostCheck({ allowedHosts: () => allowedHosts, log });
  const statusFor = (host: string | undefined, marks: Record<string, string> = BROWSER) =>
    hostCheck.refusal({ ...marks, ...(host !== undefined && { host }) })?.status;
  return { hostCheck, log, statusFor };
}

describe('a browser', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:9877',
    '192.168.1.7',
    '8.8.8.8',
    '[::1]',
    '[fe80::1]:9877',
    'localhost',
    'LOCALHOST:9877',
    'nas',
    'solar-exporter:9877',
    'exporter.localhost',
    'nas.local',
    'NAS.Local.:9877',
    'box.lan',
    'solar.home.arpa',
    'solar.corp.internal',
    'solar.monitoring.svc',
    'solar.monitoring.svc.cluster.local:80',
  ])('may use %s, which nobody on the internet can own', (host) => {
    expect(check().statusFor(host)).toBeUndefined();
  });

  test.each([
    'solar.example.org',
    'solar.example.org:9877',
    'SOLAR.example.org.',
    '127.0.0.1.nip.io',
    'localhost.example.org',
    'local.example',
    'notlocal.xlocal',
    'example.lan.org',
    '1.2.3.4.5',
    '0x7f.1',
  ])('may not use the public name %s', (host) => {
    expect(check().statusFor(host)).toBe(421);
  });

  test.each([
    undefined,
    '',
    ' ',
    ':9877',
    '[]',
    '[::1',
    '[1.2.3.4]',
    'a b',
    'a/b',
    'a@b',
    'ä.local',
    'a..local',
  ])('has to name a host: %j', (host) => {
    const { hostCheck, statusFor } = check(['solar.example.org']);
    expect(statusFor(host)).toBe(421);
    const reply = hostCheck.refusal({ ...BROWSER, ...(host !== undefined && { host }) });
    expect(String(reply?.body)).toBe('The request names no host, and browsers have to.\n');
  });

  test.each([
    { marks: { 'accept-language': '' } },
    { marks: { origin: 'null' } },
    { marks: { 'sec-fetch-site': 'none' } },
    { marks: { 'sec-fetch-site': 'same-origin' } },
    { marks: { 'sec-fetch-mode': 'navigate' } },
    { marks: { 'sec-fetch-dest': 'document' } },
  ])('is known by $marks', ({ marks }) => {
    expect(check().statusFor('solar.example.org', marks)).toBe(421);
  });

  test.each([
    { allowed: ['solar.example.org'], host: 'Solar.Example.org.:443', status: undefined },
    {
      allowed: ['other.example', 'solar.example.org'],
      host: 'solar.example.org',
      status: undefined,
    },
    { allowed: ['solar.example.org'], host: 'a.solar.example.org', status: 421 },
    { allowed: ['.example.org'], host: 'solar.example.org', status: undefined },
    { allowed: ['.example.org'], host: 'a.b.example.org:1', status: undefined },
    { allowed: ['.example.org'], host: 'example.org', status: 421 },
    { allowed: ['.example.org'], host: 'badexample.org', status: 421 },
  ])('that uses $host where $allowed are allowed gets $status', ({ allowed, host, status }) => {
    expect(check(allowed).statusFor(host)).toBe(status);
  });

  test('reads which option allows the name, in text that no browser takes for anything else', () => {
    const reply = check().hostCheck.refusal({ ...BROWSER, host: 'Solar.example.org:9877' });
    expect(String(reply?.body)).toBe(
      'Browsers may not use this name here; --web.allowed-hosts=solar.example.org allows it.\n',
    );
    expect(reply?.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    const long = `${'a'.repeat(300)}.org`;
    expect(check().hostCheck.refusal({ ...BROWSER, host: long })?.body.length).toBeLessThan(100);
  });

  test('that was refused is logged once', () => {
    const { statusFor, log } = check();
    statusFor('nas.local');
    expect(log.messages('warn')).toEqual([]);
    statusFor('solar.example.org');
    statusFor('other.example.org');
    expect(log.messages('warn')).toHaveLength(1);
    expect(log.messages('warn')[0]).toContain('--web.allowed-hosts');
  });
});

test.each(['solar.example.org', undefined, 'a b'])(
  'who is no browser may use any name, also %s',
  (host) => {
    const { statusFor, log } = check();
    const prometheus = {
      'user-agent': 'Prometheus/3.5.0',
      accept: 'text/plain;version=0.0.4',
      'accept-encoding': 'gzip',
      'x-prometheus-scrape-timeout-seconds': '10',
    };
    expect(statusFor(host, prometheus)).toBeUndefined();
    expect(log.messages('warn')).toEqual([]);
  },
);
