import { describe, expect, test } from 'vitest';
import { useBrowser } from '../../../support/browser.ts';
import { hasProgram } from '../../../support/programs.ts';
import { startServer } from '../../../support/running-server.ts';
import { eventfulStatus } from './eventful-status.ts';
import { sampleStatus } from '../../../http/status-page/sample-status.ts';

const SENTENCE =
  'PV: generating 4,200 W; House: using 900 W; Battery 63 %: charging 2,000 W; Grid: feeding in 1,300 W.';

describe.skipIf(!hasProgram('chromium'))('to those who do not see it, the page', () => {
  const browser = useBrowser();

  async function open(status = sampleStatus(), width = 1280) {
    const { server } = await startServer({ readStatus: () => Promise.resolve(status) });
    return browser.open(server.url, { viewport: { width, height: 900 } });
  }

  test('has a language, a title, one main heading and its landmarks', async () => {
    const page = await open();
    expect(await page.getAttribute('html', 'lang')).toBe('en');
    expect(await page.title()).toContain('solar-exporter');
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    for (const landmark of ['banner', 'navigation', 'main'] as const)
      expect(await page.getByRole(landmark).count(), landmark).toBe(1);
    const levels = await page
      .getByRole('heading')
      .evaluateAll((all) => all.map(({ tagName }) => tagName));
    expect(levels).toEqual(['H1', 'H2', 'H2']);
  });

  test('says the flow of energy in one sentence, once', async () => {
    const page = await open();
    const drawing = page.getByRole('img', { name: SENTENCE, exact: true });
    expect(await drawing.count()).toBe(1);
    const chromium = await page.context().newCDPSession(page);
    const { nodes } = await chromium.send('Accessibility.getFullAXTree');
    const spoken = nodes.filter(({ ignored, name }) => !ignored && name?.value === SENTENCE);
    expect(spoken.map(({ role }) => String(role?.value))).toEqual(['image']);
  });

  test.each([1280, 390])('has tables with names and headers at a width of %i', async (width) => {
    const page = await open(eventfulStatus(), width);
    for (const name of ['Devices', 'Collectors', 'Requests to the service since the start'])
      expect(await page.getByRole('table', { name }).count(), name).toBeGreaterThan(0);
    const devices = page.getByRole('table', { name: 'Devices' }).first();
    const columns = await devices.getByRole('columnheader').allTextContents();
    expect(columns).toEqual(['Device', 'Reading', 'PV', 'Load', 'Battery', 'Missing', 'Alarms']);
    expect(await devices.getByRole('rowheader').count()).toBe(5);
    expect(await devices.getByRole('cell').count()).toBe(5 * 6);
    const unscoped = page.locator('th:not([scope])');
    expect(await unscoped.count()).toBe(0);
  });

  test('speaks up when something is wrong, and does not repeat itself while it stays so', async () => {
    let passedMs = 0;
    const wrong = eventfulStatus();
    const { server } = await startServer({
      readStatus: () => Promise.resolve({ ...wrong, atMs: wrong.atMs + passedMs }),
    });
    const page = await browser.open(server.url, { now: '2026-06-21T12:00:00Z' });
    const notices = page.getByRole('status').filter({ hasText: 'New credentials' });
    expect(await notices.count()).toBe(1);
    const update = async (): Promise<void> => {
      passedMs += 10_000;
      const before = await page.locator('#as-of').textContent();
      await page.clock.fastForward(10_000);
      await page
        .locator('#as-of')
        .filter({ hasNotText: before ?? '' })
        .waitFor();
    };
    await update();
    await page.evaluate(() => {
      for (const region of document.querySelectorAll('[role="status"]'))
        new MutationObserver(() => region.setAttribute('data-spoken', 'again')).observe(region, {
          childList: true,
          subtree: true,
          characterData: true,
        });
    });
    await update();
    await update();
    expect(await page.locator('[data-spoken]').count()).toBe(0);
  });

  test('is reachable by keyboard: every link, in order, with its name', async () => {
    const page = await open();
    const links = await page.getByRole('link').allTextContents();
    const reached: string[] = [];
    while (reached.length < links.length) {
      await page.keyboard.press('Tab');
      reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
    }
    expect(links.length).toBeGreaterThanOrEqual(6);
    expect(reached).toEqual(links);
    expect(links).not.toContain('');
  });

  test('shows which link has the focus', async () => {
    const page = await open();
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      () => document.activeElement && getComputedStyle(document.activeElement).outlineStyle,
    );
    expect(outline).not.toBe('none');
  });
});
