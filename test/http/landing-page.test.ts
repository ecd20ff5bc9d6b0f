import { expect, test } from 'vitest';
import { landingPage } from '../../src/http/landing-page.ts';

test('the landing page links to the metrics and shows the version', () => {
  const { status, headers, body } = landingPage('/solar/metrics', '1.2.3');
  const html = body.toString('utf8');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(html).toContain('<a href="/solar/metrics">/solar/metrics</a>');
  expect(html).toContain('Version 1.2.3.');
});

test('the landing page escapes what comes from the configuration', () => {
  const { body } = landingPage(`/"><script>alert('x')</script>&`, '<b>1</b>');
  const html = body.toString('utf8');
  expect(html).not.toContain('<script>');
  expect(html).not.toContain('<b>');
  expect(html).toContain('/&#34;&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#38;');
});

test('the landing page may load nothing and run nothing', () => {
  const { headers } = landingPage('/metrics', '1.2.3');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none';/);
});
