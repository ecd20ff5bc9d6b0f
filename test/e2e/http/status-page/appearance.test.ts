import { describe, expect, test } from 'vitest';
import { useBrowser, type Visit } from '../../../support/browser.ts';
import { hasProgram } from '../../../support/programs.ts';
import { startServer } from '../../../support/running-server.ts';
import { textContrasts } from './contrast.ts';
import { crowdedStatus, eventfulStatus } from './eventful-status.ts';
import {
  AT_MS,
  sampleDevice,
  sampleStation,
  sampleStatus,
} from '../../../http/status-page/sample-status.ts';

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** As narrow as phones in use are. */
const NARROW_PHONE = { width: 360, height: 640 };
const NOW = '2026-06-21T12:00:00Z';

describe.skipIf(!hasProgram('chromium'))('to those who look at it, the page', () => {
  const browser = useBrowser();

  async function open(visit: Visit = {}, status = eventfulStatus()) {
    let current = status;
    const { server } = await startServer({ readStatus: () => Promise.resolve(current) });
    const page = await browser.open(server.url, { now: NOW, ...visit });
    return {
      page,
      url: server.url,
      /** Answers otherwise from now on, and waits until that is on the page. */
      update: async (next: typeof status, isShown: string) => {
        current = next;
        await page.clock.fastForward(10_000);
        await page.getByText(isShown).first().waitFor();
      },
    };
  }

  describe.each([{ colorScheme: 'light' }, { colorScheme: 'dark' }] as const)(
    '$colorScheme',
    (look) => {
      test.each([
        { on: 'a desk', viewport: DESK },
        { on: 'a phone', viewport: PHONE },
      ])(
        'has text of contrast 4.5 at least on $on, also when the exporter is gone',
        async ({ viewport }) => {
          const { page } = await open({ ...look, viewport });
          const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
          expect(ground).toMatch(look.colorScheme === 'light' ? /^rgb\(2\d\d/ : /^rgb\(\d\d,/);
          for (const isLost of [false, true]) {
            await page.evaluate((lost) => document.body.classList.toggle('lost', lost), isLost);
            const contrasts = await textContrasts(page);
            expect(contrasts.length).toBeGreaterThan(60);
            expect(contrasts.filter(({ ratio }) => ratio < 4.5)).toEqual([]);
          }
        },
      );
    },
  );

  test('moves where energy flows, and not at all for those who want it still', async () => {
    const { page } = await open({ reducedMotion: 'no-preference' });
    const running = () => page.evaluate(() => document.getAnimations().length);
    expect(await running()).toBe(4);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await running()).toBe(0);
  });

  test.each([DESK, PHONE, NARROW_PHONE])(
    'cuts nothing and stays within a width of $width',
    async (viewport) => {
      const { page } = await open({ viewport });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width);
      // A broken word, or a number that is parted from its unit, takes more than one line.
      const broken = await page.locator('thead th, data, .node text').evaluateAll((all) =>
        all
          .filter((element) => {
            const content = document.createRange();
            content.selectNodeContents(element);
            return new Set([...content.getClientRects()].map(({ top }) => top)).size > 1;
          })
          .map(({ textContent }) => textContent),
      );
      expect(broken.filter((text) => !text.includes(' ') || /\d/.test(text))).toEqual([]);
    },
  );

  test.each(['light', 'dark'] as const)(
    'shows every table whole on the narrowest phone, whatever it holds, %s',
    async (colorScheme) => {
      const { page } = await open({ colorScheme, viewport: NARROW_PHONE }, crowdedStatus());
      const cut = await page.locator('article, section').evaluateAll((cards) =>
        cards.flatMap((card) => {
          const { left, right } = card.getBoundingClientRect();
          return [...card.querySelectorAll('caption, tbody *')]
            .map((element) => ({ element, box: element.getBoundingClientRect() }))
            .filter(({ box }) => box.width > 0 && (box.left < left || box.right > right))
            .map(({ element }) => element.textContent);
        }),
      );
      expect(cut).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      // Without the row of headings, every cell says what it is.
      const labels = await page.locator('td').evaluateAll((cells) =>
        cells.map((cell) => ({
          label: cell.getAttribute('data-label'),
          heading: cell.closest('table')?.querySelectorAll('thead th')[
            [...(cell.parentElement?.children ?? [])].indexOf(cell)
          ]?.textContent,
        })),
      );
      expect(labels.length).toBeGreaterThan(30);
      for (const { label, heading } of labels) expect(label).toBe(heading);
    },
  );

  test('says that it is simulated at its top, also where one has scrolled to', async () => {
    const { page } = await open({ viewport: NARROW_PHONE });
    const simulated = page.getByRole('note');
    expect(await simulated.textContent()).toContain('Simulated');
    const top = async () => (await simulated.boundingBox())?.y ?? -1;
    expect(await top()).toBeLessThan(160);
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    expect(await top()).toBe(0);
  });

  test.each([DESK, PHONE, NARROW_PHONE])(
    'keeps every text of the drawing within its shape at a width of $width',
    async (viewport) => {
      const widest = {
        pvPowerWatts: 9_999_900,
        loadPowerWatts: 9_999,
        gridImportPowerWatts: 99_949,
        gridFeedInPowerWatts: 99_950,
        batteryPowerWatts: 9_999,
        batterySocRatio: 1,
      };
      const flows = [
        widest,
        {
          ...widest,
          pvPowerWatts: -9999,
          gridImportPowerWatts: 12_345,
          batteryPowerWatts: -12_345,
        },
        { gridImportPowerWatts: 0, loadPowerWatts: 0, batterySocRatio: 0.81 },
        {},
      ];
      const devices = Array.from({ length: 12 }, (_, index) =>
        sampleDevice({ deviceId: `${index}`, batterySocRatio: 0.81 }),
      );
      const stations = flows.flatMap((flow, index) => [
        sampleStation({ stationId: `one-${index}`, flow }),
        sampleStation({ stationId: `many-${index}`, flow, devices }),
      ]);
      const { page } = await open({ viewport }, sampleStatus({ stations }));
      const outside = await page.locator('.node').evaluateAll((nodes) =>
        nodes.flatMap((node) => {
          const shape = node.querySelector<SVGGraphicsElement>('.shape')?.getBBox();
          if (shape === undefined) return ['no shape'];
          const isCircle = node.querySelector('circle.shape') !== null;
          const isWithin = (x: number, y: number): boolean =>
            isCircle
              ? Math.hypot(x, y) <= shape.width / 2
              : Math.abs(x) <= 50 && y >= -54 && y <= shape.y + shape.height;
          return [...node.querySelectorAll('text')]
            .filter((text) => {
              const { x, y, width, height } = text.getBBox();
              return ![x, x + width].every((one) => isWithin(one, y) && isWithin(one, y + height));
            })
            .map(({ textContent }) => `${node.getAttribute('class') ?? ''}: ${textContent}`);
        }),
      );
      expect(outside).toEqual([]);
      expect(await page.locator('.node text').count()).toBeGreaterThan(80);
    },
  );

  test('can be installed: its manifest and its icons are as Chromium wants them', async () => {
    const { page } = await open();
    const chromium = await page.context().newCDPSession(page);
    const { url, errors, data } = await chromium.send('Page.getAppManifest');
    expect(url).toMatch(/\/assets\/app\.webmanifest$/);
    expect(errors).toEqual([]);
    const { icons } = JSON.parse(data ?? '{}') as { icons: { src: string; sizes: string }[] };
    expect(icons).toHaveLength(4);
    for (const { src, sizes } of icons) {
      const size = await page.evaluate(async (address) => {
        const picture = new Image();
        picture.src = address;
        await picture.decode();
        return `${picture.naturalWidth}x${picture.naturalHeight}`;
      }, new URL(src, url).href);
      expect(size).toBe(sizes);
    }
  });

  test('keeps the place and the focus of a reader when it updates', async () => {
    const devices = Array.from({ length: 30 }, (_, index) =>
      sampleDevice({ deviceId: String(index), name: `Inverter ${index}` }),
    );
    const before = sampleStatus({ stations: [sampleStation({ devices })] });
    const { page, update } = await open({ viewport: PHONE }, before);
    await page.evaluate(() => {
      document.querySelector<HTMLElement>('a[href^="probe"]')?.focus();
      window.scrollTo(0, 1500);
    });
    const atMs = AT_MS + 600_000;
    await update({ ...before, atMs }, '2026-06-21 12:10:00 UTC');
    expect(await page.evaluate(() => window.scrollY)).toBe(1500);
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('href'));
    expect(focused).toContain('probe');
  });

  test('takes up and lets go of stations without being loaded again', async () => {
    const two = sampleStatus({
      stations: [sampleStation(), sampleStation({ stationId: '7', name: 'Barn' })],
    });
    const { page, update } = await open({}, sampleStatus({ stations: [] }));
    expect(await page.locator('article').count()).toBe(0);
    await update(two, 'Barn');
    expect(await page.locator('h2').allTextContents()).toEqual(['Home', 'Barn', 'Exporter']);
    await update({ ...two, stations: two.stations.slice(1), atMs: AT_MS + 1000 }, '12:00:01 UTC');
    expect(await page.locator('h2').allTextContents()).toEqual(['Barn', 'Exporter']);
  });

  test('shows what the server would: the browser renders the same', async () => {
    const before = sampleStatus();
    const after = { ...eventfulStatus(), atMs: AT_MS + 60_000 };
    const { page, update, url } = await open({}, before);
    await update(after, 'New credentials are needed.');
    await page.getByText('12:01:00 UTC').first().waitFor();
    const live = await page.locator('main').innerHTML();
    await page.goto(url);
    expect(await page.locator('main').innerHTML()).toBe(live);
  });
});
