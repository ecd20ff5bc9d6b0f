import { execFileSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { PATIENCE_MS } from './eventually.ts';

export interface Visit extends BrowserContextOptions {
  /** Whether the server fails during the test: that nobody answers, or HTTP 5xx, is then no trouble. */
  readonly expectsOutage?: boolean;
  /** What the page's own clock shows, which is steered from then on (`page.clock`). */
  readonly now?: string;
}

const OUTAGE = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|status of 5\d\d/;

/**
 * Runs one real Chromium for the tests of a file, and fails each test whose page asks anyone but its own
 * server, violates its content security policy, opens a dialog, or reports an error.
 */
export function useBrowser() {
  let browser: Browser | undefined;
  let troubles: string[] = [];
  beforeAll(async () => {
    // As root, as in a container, Chromium does not start with its sandbox.
    browser = await chromium.launch({
      executablePath: execFileSync('sh', ['-c', 'command -v chromium']).toString().trim(),
      args: ['--no-sandbox'],
      timeout: PATIENCE_MS,
    });
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    const found = troubles;
    troubles = [];
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
    expect(found).toEqual([]);
  });
  return {
    /** Opens an address in a window of its own, which is closed with the test. */
    open: async (url: string, { expectsOutage = false, now, ...options }: Visit = {}) => {
      if (browser === undefined) throw new Error('the browser has not started');
      const context = await browser.newContext(options);
      context.setDefaultTimeout(PATIENCE_MS);
      const { origin } = new URL(url);
      await context.route(
        (address) => address.origin !== origin,
        async (route) => {
          troubles.push(`asked ${route.request().url()}`);
          await route.abort();
        },
      );
      const page = await context.newPage();
      if (now !== undefined) await page.clock.install({ time: now });
      watch(page, (trouble) => {
        if (!(expectsOutage && OUTAGE.test(trouble))) troubles.push(trouble);
      });
      await page.goto(url);
      return page;
    },
  };
}

function watch(page: Page, report: (trouble: string) => void): void {
  page.on('console', (message) => {
    // Violations of the content security policy arrive here as well.
    if (message.type() === 'error' || message.type() === 'warning')
      report(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', ({ message }) => report(message));
  page.on('dialog', (dialog) => {
    report(`opened a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', () => report('opened another window'));
}
