import { describe, expect, test } from 'vitest';
import { createHostCheck } from '../../../src/http/host-check.ts';
import { createLimitLog } from '../../../src/http/limits.ts';
import { acceptsGzip } from '../../../src/http/reply.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { SilentLog } from '../../support/silent-log.ts';

const BROWSER = { 'accept-language': 'en' };

function check(allowedHosts: readonly string[] = []) {
  const log = new SilentLog();
  const hostRefusal = createHostCheck(() => allowedHosts, createLimitLog(log, new FakeClock()));
  const refusal = (host: string | undefined, marks: Record<string, string> = BROWSER) =>
    hostRefusal({ ...marks, ...(host !== undefined && { host }) });
  return { log, refusal };
}

describe('a browser', () => {
  test.each([
    ...['127.0.0.1', '127.0.0.1:9877', '192.168.1.7', '8.8.8.8', '[::1]', '[fe80::1]:9877'],
    ...['localhost', 'LOCALHOST:9877', 'nas', 'solar-exporter:9877', 'exporter.localhost'],
    ...['nas.local', 'NAS.Local.:9877', 'box.lan', 'solar.home.arpa', 'solar.corp.internal'],
    ...['solar.monitoring.svc', 'solar.monitoring.svc.cluster.local:80'],
  ])('may use %s, which nobody on the internet can own', (host) => {
    expect(check().refusal(host)).toBeUndefined();
  });

  test.each([
    ...['solar.example.org', 'solar.example.org:9877', 'SOLAR.example.org.', '127.0.0.1.nip.io'],
    ...['localhost.example.org', 'local.example', 'notlocal.xlocal', 'example.lan.org'],
    ...['1.2.3.4.5', '0x7f.1'],
  ])('may not use the public name %s', (host) => {
    expect(check().refusal(host)?.status).toBe(421);
  });

  test.each([
    ...[undefined, '', ' ', ':9877', '[]', '[::1', '[1.2.3.4]', 'a b', 'a/b', 'a@b', 'ä.local'],
    ...['a..local', `${'a'.repeat(300)}.org`],
  ])('has to name a host: %j', (host) => {
    const reply = check(['solar.example.org']).refusal(host);
    expect(reply?.status).toBe(421);
    expect(String(reply?.body)).toBe('The request names no host, and browsers have to.\n');
  });

  test.each([
    ['accept-language', '', 421],
    ['origin', 'null', 421],
    ['sec-fetch-site', 'same-origin', 421],
    ['sec-fetch-dest', 'document', 421],
    // All that a Chromium without languages says of itself.
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', 421],
    ['user-agent', 'Prometheus/3.5.0', undefined],
    ['user-agent', 'curl/8.5.0 Mozilla/5.0', undefined],
    ['x-prometheus-scrape-timeout-seconds', '10', undefined],
    ['accept-encoding', 'gzip', undefined],
  ])('is known by %s: %s', (name, value, status) => {
    for (const host of ['solar.example.org', undefined, 'a b'])
      expect(check().refusal(host, { [name]: value })?.status).toBe(status);
  });

  test.each([
    [['solar.example.org'], 'Solar.Example.org.:443', undefined],
    [['other.example', 'solar.example.org'], 'solar.example.org', undefined],
    [['solar.example.org'], 'a.solar.example.org', 421],
    [['.example.org'], 'solar.example.org', undefined],
    [['.example.org'], 'a.b.example.org:1', undefined],
    [['.example.org'], 'example.org', 421],
    [['.example.org'], 'badexample.org', 421],
    [['.example.org'], `${'a'.repeat(241)}.example.org`, undefined],
    [['.example.org'], `${'a'.repeat(242)}.example.org`, 421],
  ])('where %j is allowed and that uses %s gets %s', (allowed, host, status) => {
    expect(check(allowed).refusal(host)?.status).toBe(status);
  });

  test('reads which option allows the name, in plain text, and is logged once', () => {
    const { refusal, log } = check();
    refusal('nas.local');
    expect(log.lines).toEqual([]);
    for (const host of ['Solar.example.org:9877', 'other.example.org']) {
      const { body, headers } = refusal(host) ?? {};
      const name = host.toLowerCase().replace(':9877', '');
      expect(String(body)).toContain(`; --web.allowed-hosts=${name} allows it.\n`);
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
    }
    expect(log.messages('warn')).toEqual([
      expect.stringContaining('--web.allowed-hosts') as string,
    ]);
  });
});

test.each<[boolean, ...(string | undefined)[]]>([
  [true, 'gzip', 'GZip', 'x-gzip', 'gzip;q=0.1', 'gzip;q=1.000', 'gzip ; q=0.001'],
  [true, '*', '*;q=0, gzip', 'deflate, gzip, br'],
  [false, undefined, '', 'gzip;q=0', 'gzip; Q=0.000', '*;q=0', '*, gzip;q=0'],
  [false, 'deflate;q=0, br', 'identity', 'gzipped', ',,'],
])('gzip is allowed: %s, by %j', (isAllowed, ...headers) => {
  for (const header of headers) expect(acceptsGzip(header), header).toBe(isAllowed);
});
