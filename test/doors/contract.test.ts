import { createCipheriv, createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { startBoth } from './house.ts';

const NOW = '2024-01-02T04:00:00Z';
const APP_ID = 'contract-app-id';
const APP_SECRET = 'contract-app-secret';
const OPTIONS = { appId: APP_ID, appSecret: APP_SECRET };

/** Encrypts as interface 5.1 says the service does. */
function encryptedAppSecret(): string {
  const digest = createHash('md5').update(APP_ID).digest('hex');
  const cipher = createCipheriv('aes-128-cbc', digest.slice(0, 16), digest.slice(16));
  const padded = Buffer.alloc(Math.ceil(APP_SECRET.length / 16) * 16);
  padded.write(APP_SECRET);
  return Buffer.concat([cipher.setAutoPadding(false).update(padded), cipher.final()]).toString(
    'base64',
  );
}

describe('the service', () => {
  test('accepts a client that keeps to the interface', async () => {
    const { scrape } = await startBoth({ now: NOW, simulator: OPTIONS });
    const page = await scrape();
    const outcomes = new Set(
      page.all('solar_api_requests_total').map(({ labels }) => labels['outcome']),
    );
    expect([...outcomes]).toEqual(['ok']);
  });

  test('accepts the application secret that comes encrypted', async () => {
    const { scrape } = await startBoth({
      now: NOW,
      simulator: OPTIONS,
      env: { SOLAR_APP_SECRET: '', SOLAR_APP_SECRET_ENCRYPTED: encryptedAppSecret() },
    });
    expect((await scrape()).value('solar_up')).toBe(1);
  });

  test.each([
    { what: 'another application secret', env: { SOLAR_APP_SECRET: 'tampered' }, code: 44 },
    { what: 'another application id', env: { SOLAR_APP_ID: 'unknown' }, code: 36 },
    { what: 'another password', env: { SOLAR_PASSWORD: 'mistyped' }, code: 7 },
    { what: 'another account', env: { SOLAR_ACCOUNT: 'nobody@example.org' }, code: 20_007 },
  ])('refuses $what with code $code, and is not asked again and again', async ({ env, code }) => {
    const { simulator, scrape, log } = await startBoth({ now: NOW, simulator: OPTIONS, env });
    for (let attempt = 0; attempt < 5; attempt += 1) await scrape();
    const page = await scrape();
    expect(page.status).toBe(200);
    expect(page.value('solar_up')).toBe(0);
    expect(page.value('solar_reauthentication_required')).toBe(1);
    expect(page.requests('login', 'SERVICE_API_REFUSED')).toBe(1);
    expect(simulator.requests()).toBe(1);
    const { err } = log.lines.find(({ level }) => level === 'warn')?.fields ?? {};
    expect(String(err)).toContain(`service answered code ${code}:`);
  });
});
