import { DropLog } from '../../src/base/drop-log.ts';
import type { SessionStatus } from '../../src/client/session/session-status.ts';
import { Scraper, type ScraperOptions } from '../../src/metrics/scrape.ts';
import { RefreshTracker } from '../../src/metrics/refresh-tracker.ts';
import { SelfMetrics } from '../../src/metrics/self.ts';
import { createCollection, type HarnessOptions } from '../collectors/collection-harness.ts';
import { settled } from '../support/deferred.ts';

export const WAIT_MS = 9500;

export const BUILD = { version: '1.2.3', revision: 'abc1234', nodeVersion: 'v20.19.0' };

/** A session about which nothing is known yet. */
export const NEW_SESSION: SessionStatus = {
  mode: 'account',
  accessExpiresAtMs: undefined,
  isReauthenticationRequired: false,
  blockedUntilMs: undefined,
};

/** A scraper over a collection on a fake clock. */
export function createScraper(
  options: HarnessOptions = {},
  changes: Partial<Pick<ScraperOptions, 'collection' | 'renderProcessMetrics'>> = {},
  maxSeries = 1000,
) {
  const harness = createCollection(options);
  const { clock, log, collection } = harness;
  const self = new SelfMetrics();
  const counts = self.countsOf();
  const session = { status: NEW_SESSION };
  const drops = new DropLog(log, (reason, count) => self.dropped(reason, count));
  const scraper = new Scraper({
    collection,
    self,
    accounts: [
      { labels: {}, counts, sessionStatus: () => session.status, isSimulated: () => false },
    ],
    build: BUILD,
    refreshes: new RefreshTracker({ clock, log }),
    page: { maxSeries, drops },
    clock,
    ...changes,
  });
  const scrape = async () => scraper.current() ?? (await scraper.scrape(WAIT_MS));
  return {
    ...harness,
    self,
    counts,
    session,
    scraper,
    /** The text of the page now, had as the server has it. */
    page: async () => (await scrape()).body.toString('utf8'),
    /** Begins a scrape and tells whether it is answered yet. */
    begin: (waitMs: number) => {
      let text: string | undefined;
      void scraper.scrape(waitMs).then((page) => (text = page.body.toString('utf8')));
      return async () => {
        await settled();
        return text;
      };
    },
  };
}
