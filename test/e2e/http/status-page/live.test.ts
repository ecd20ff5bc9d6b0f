import { describe, expect, test } from 'vitest';
import { formatInstant } from '../../../../src/http/status-page/format.js';
import type { Status } from '../../../../src/status/status.ts';
import { useBrowser, type Visit } from '../../../support/browser.ts';
import { eventually } from '../../../support/eventually.ts';
import { hasProgram } from '../../../support/programs.ts';
import { deferred } from '../../../support/deferred.ts';
import { startServer } from '../../../support/running-server.ts';
import { AT_MS, sampleStation, sampleStatus } from '../../../http/status-page/sample-status.ts';

const NOW = '2026-06-21T12:00:00Z';
const UPDATE_MS = 10_000;

describe.skipIf(!hasProgram('chromium'))('a page that stays open', () => {
  const browser = useBrowser();

  /** A page of an exporter whose answers the test decides on. */
  async function open(visit: Visit = {}) {
    let answer: () => Promise<Status> = () => Promise.resolve(sampleStatus());
    const { server } = await startServer({
      readStatus: () => answer(),
    });
    const page = await browser.open(server.url, { now: NOW, ...visit });
    return {
      page,
      banner: page.locator('#connection'),
      answerWith: (next: () => Promise<Status>) => (answer = next),
      update: () => page.clock.fastForward(UPDATE_MS),
    };
  }

  const at = (atMs: number): Promise<Status> => Promise.resolve(sampleStatus({ atMs }));

  test('says so when the exporter fails, and no longer when it answers', async () => {
    const { banner, answerWith, update } = await open({ expectsOutage: true });
    answerWith(() => Promise.reject(new Error('broken')));
    await update();
    await banner.filter({ hasText: 'does not answer' }).waitFor();
    answerWith(() => at(AT_MS));
    await update();
    await eventually(async () => expect(await banner.textContent()).toBe(''));
  });

  test('asks to be loaded again when the exporter was replaced by another version', async () => {
    const { page, banner, answerWith, update } = await open();
    answerWith(() => Promise.resolve({ ...sampleStatus({ stations: [] }), version: '2.0.0' }));
    await update();
    await banner.filter({ hasText: 'another version' }).waitFor();
    expect(await page.locator('article').count()).toBe(1);
  });

  test('does not take the page of another program for its own', async () => {
    const { page, banner, update } = await open();
    await page.route('**/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Log in</h1>' }),
    );
    await update();
    await banner.filter({ hasText: 'does not answer' }).waitFor();
    expect(await page.locator('article').count()).toBe(1);
  });

  test('asks one question at a time, however slow the answer is', async () => {
    const { page, answerWith } = await open();
    const reply = deferred<Status>();
    let waiting = 0;
    answerWith(() => {
      waiting += 1;
      return reply.promise;
    });
    await page.clock.runFor(UPDATE_MS);
    await eventually(() => expect(waiting).toBe(1));
    // Within its patience, after which it gives the question up.
    await page.clock.runFor(UPDATE_MS / 2);
    for (let seen = 0; seen < 3; seen += 1)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    answerWith(() => at(AT_MS));
    reply.resolve(sampleStatus({ atMs: AT_MS + 60_000 }));
    await page.getByText('12:01:00 UTC').waitFor();
    expect(waiting).toBe(1);
  });

  test('leaves what a reader is marking as it is, and goes on with the rest', async () => {
    const { page, answerWith, update } = await open();
    await page.evaluate(() => {
      const heading = document.querySelector('h2');
      if (heading !== null) document.getSelection()?.selectAllChildren(heading);
    });
    const renamed = sampleStation({ name: 'Renamed' });
    answerWith(() => Promise.resolve(sampleStatus({ atMs: AT_MS + 1000, stations: [renamed] })));
    await update();
    await page.getByText('12:00:01 UTC').waitFor();
    expect(await page.locator('h2').first().textContent()).toBe('Home');
    expect(await page.evaluate(() => String(document.getSelection()))).toBe('Home');
    await page.evaluate(() => document.getSelection()?.removeAllRanges());
    await update();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  });

  test('does not touch what has not changed', async () => {
    const { page, answerWith, update } = await open();
    const figure = await page.locator('article figure').elementHandle();
    answerWith(() => at(AT_MS + 1000));
    await update();
    await page.getByText('12:00:01 UTC').waitFor();
    expect(await figure.evaluate((element) => element.isConnected)).toBe(true);
  });

  test('does not grow', async () => {
    const { page, answerWith, update } = await open();
    const elements = () => page.locator('*').count();
    const before = await elements();
    for (let round = 1; round <= 20; round += 1) {
      const atMs = AT_MS + round * 20_000;
      answerWith(() => at(atMs));
      await update();
      await page.getByText(formatInstant(atMs)).waitFor();
    }
    expect(await elements()).toBe(before);
  });

  test('is still live after a visit to another page and back', async () => {
    const { page, answerWith, update } = await open();
    await page.getByRole('link', { name: 'Metrics', exact: true }).click();
    await page.waitForURL('**/metrics');
    await page.goBack();
    answerWith(() => at(AT_MS + 3_600_000));
    await update();
    await page.getByText('13:00:00 UTC').waitFor();
    expect(await page.locator('#connection').textContent()).toBe('');
  });
});
