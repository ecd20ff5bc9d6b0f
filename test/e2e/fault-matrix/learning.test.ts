import { describe, expect, test } from 'vitest';
import { MINUTE_MS, startBoth } from '../../doors/house.ts';
import { codeAt, FAULTS, FAULTS_NOW, type KindCase, standInAt } from './fault-cases.ts';
import { meetPatiently, type Patience } from './patience.ts';

const MET = FAULTS.filter((faulty) => standInAt('attributes', faulty) === undefined);
const PROMPT = MET.filter(({ code }) => code !== 'SERVICE_TIMEOUT');
const SLOW = MET.filter(({ code }) => code === 'SERVICE_TIMEOUT');

/** The catalogue is asked when a device that has to be learnt tells nothing of itself. */
function learnWithout(faulty: KindCase): Promise<void> {
  return meetPatiently(codeAt('attributes', faulty), (flags) => learnOnce(faulty, flags));
}

async function learnOnce(faulty: KindCase, flags: Patience): Promise<void> {
  const code = codeAt('attributes', faulty);
  const { simulator, scrape, scrapeAfter } = await startBoth({
    now: FAULTS_NOW,
    simulator: { family: 'techfine', sampleIntervalMs: 30_000 },
    flags,
  });
  simulator.setFault('latest-state', { kind: 'data', data: {} });
  simulator.setFault('attributes', faulty.fault);
  const isNothing = faulty.fault.kind === 'data-null' || faulty.name.includes('a list for data');
  let page = await scrape();
  expect(page.requests('attributes', isNothing ? 'ok' : code)).toBeGreaterThanOrEqual(1);
  for (let minutes = 0; minutes < 10; minutes += 2) {
    page = await scrapeAfter(2 * MINUTE_MS);
    expect(page.all('solar_up').every(({ value }) => value === 1)).toBe(true);
    expect(page.all('solar_collector_success').every(({ value }) => value === 1)).toBe(true);
  }
  // The first look, one repeated after ten minutes, and each once more with a new token.
  expect(simulator.requests('attributes')).toBeLessThanOrEqual(4);
}

describe('a device is learnt while its catalogue answers', () => {
  test.each(PROMPT)(
    '$name: that is counted, fails nothing, and is not asked often',
    async (faulty) => {
      await learnWithout(faulty);
    },
  );

  test('nothing, or a byte at a time: that is counted, fails nothing, and is not asked often', async () => {
    await Promise.all(SLOW.map(learnWithout));
  });
});
