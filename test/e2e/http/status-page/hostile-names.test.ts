import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { renderDocument } from '../../../../src/http/status-page/document.ts';
import { useBrowser } from '../../../support/browser.ts';
import { hasProgram } from '../../../support/programs.ts';
import { startServer } from '../../../support/running-server.ts';
import { HOSTILE_NAMES } from './hostile-names.ts';
import {
  sampleDevice,
  sampleStation,
  sampleStatus,
} from '../../../http/status-page/sample-status.ts';

/** A status in which everything that the service may choose is called this. */
function statusNamed(name: string) {
  const device = sampleDevice({
    deviceId: name,
    name,
    model: name,
    family: name,
    workingMode: name,
    missingQuantities: [name],
    alarms: [{ alarm: name, level: name }],
  });
  const station = sampleStation({ stationId: name, name, timeZone: name, devices: [device] });
  return sampleStatus({ stations: [station] });
}

/** How many elements of each kind a page has whose names are harmless. */
function usualElements(): Readonly<Record<string, number>> {
  const text = renderDocument(statusNamed('plain'));
  return counted([...text.matchAll(/<([a-z]\w*)/g)].map(([, tag = '']) => tag));
}

function elementsOf(page: Page): Promise<Readonly<Record<string, number>>> {
  const tags = page.locator('*').evaluateAll((all) => all.map(({ localName }) => localName));
  return tags.then(counted);
}

function counted(tags: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const tag of tags) counts[tag] = (counts[tag] ?? 0) + 1;
  return counts;
}

/** As HTML and URLs have it: no carriage returns, no halves of characters. */
function shown(text: string): string {
  return Buffer.from(text.replace(/\r\n?/g, '\n')).toString();
}

describe.skipIf(!hasProgram('chromium'))('a name that is', () => {
  const browser = useBrowser();

  test.each(HOSTILE_NAMES)(
    '%s is text and breaks nothing, as the server and as the browser renders it',
    async (_kind, name) => {
      const { server } = await startServer({
        readStatus: () => Promise.resolve(statusNamed(name)),
      });
      const page = await browser.open(server.url, { now: '2026-06-21T12:00:00Z' });
      const expectHarmless = async (): Promise<void> => {
        expect(await elementsOf(page)).toEqual(usualElements());
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 900 });
          const scrollWidth = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(scrollWidth, `of ${width}`).toBeLessThanOrEqual(width);
        }
        expect(shown((await page.locator('h2').first().textContent()) ?? '')).toBe(shown(name));
        const link = page.locator('a[href^="probe"]');
        const href = await link.evaluate((anchor) => (anchor as HTMLAnchorElement).href);
        expect(new URL(href).searchParams.get('target')).toBe(Buffer.from(name).toString());
      };
      await expectHarmless();
      await page
        .locator('h2')
        .first()
        .evaluate((heading) => heading.replaceChildren('old'));
      await page.clock.fastForward(10_000);
      await page.locator('h2', { hasText: /^old$/ }).waitFor({ state: 'detached' });
      await expectHarmless();
    },
  );
});
