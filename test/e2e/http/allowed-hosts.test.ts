import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../support/browser.ts';
import { hasProgram } from '../../support/programs.ts';
import { startServer } from '../../support/running-server.ts';

const NAME = 'solar.example.org';

test.each(['/', '/metrics', '/probe?target=7', '/sd', '/-/healthy', '/-/ready', '/nothing'])(
  'a browser that knows the server by a public name gets nothing at %s, and others get everything',
  async (path) => {
    const { ask } = await startServer();
    const host = `${NAME}:9877`;
    const { status, body } = await ask(path, {
      headers: { host, 'sec-fetch-site': 'same-origin' },
    });
    expect(status).toBe(421);
    expect(String(body)).toContain(`--web.allowed-hosts=${NAME} `);
    expect((await ask(path, { headers: { host } })).status).toBe((await ask(path)).status);
  },
);

test('names are allowed and forbidden while the server runs', async () => {
  let allowed: readonly string[] = [];
  const { ask } = await startServer({}, { allowedHosts: () => allowed });
  const headers = { host: NAME, origin: `http://${NAME}` };
  expect((await ask('/', { headers })).status).toBe(421);
  allowed = ['.example.org'];
  expect((await ask('/', { headers })).status).toBe(200);
});

describe.skipIf(!hasProgram('chromium'))('a real browser', () => {
  // As a false name server would have it.
  const browser = useBrowser([
    `--host-resolver-rules=MAP ${NAME} 127.0.0.1,MAP nas.local 127.0.0.1`,
  ]);

  test('that is led here by a public name sees nothing, whatever the page under that name tries', async () => {
    const { server } = await startServer();
    const page = await browser.open(server.url.replace('127.0.0.1', NAME), {
      expectsRefusal: true,
    });
    expect(await page.textContent('body')).toContain(`--web.allowed-hosts=${NAME}`);
    const statuses = await page.evaluate(async () => {
      const ways: RequestInit[] = [
        {},
        { headers: { 'Accept-Language': '' } },
        { referrerPolicy: 'no-referrer', credentials: 'omit' },
        { method: 'HEAD' },
      ];
      return Promise.all(ways.map(async (way) => (await fetch('/metrics', way)).status));
    });
    expect(statuses).toEqual([421, 421, 421, 421]);
  });

  test.each([
    { host: NAME, allowed: [NAME] },
    { host: 'nas.local', allowed: [] },
    { host: 'localhost', allowed: [] },
    { host: '127.0.0.1', allowed: [] },
  ])('sees the page at $host where $allowed are allowed', async ({ host, allowed }) => {
    const { server } = await startServer({}, { allowedHosts: () => allowed });
    const page = await browser.open(server.url.replace('127.0.0.1', host));
    expect(await page.textContent('h1')).toBe('solar-exporter');
  });
});
