import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { systemClock } from '../../src/base/clock.ts';
import { parseConfig } from '../../src/config/config.ts';
import { startExporter } from '../../src/exporter/exporter.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';

// Takes the pictures of the status page for the README: a sunny afternoon that feeds in and charges the
// battery. The clock stands still and the service follows from its seed, so that a picture changes only
// when the page does, or the fonts of the machine.

/** Early afternoon at the stations, two minutes after a reading. */
const NOW = '2026-03-27T05:37:20Z';
const FOLDER = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

/** Below the station. */
const MARGIN = 14;

interface Picture {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  /** As high as the first station when absent. */
  readonly height?: number;
  readonly deviceScaleFactor: number;
}

const PICTURES: readonly Picture[] = [
  { name: 'status-page', colorScheme: 'light', width: 1280, deviceScaleFactor: 1 },
  // As much as a phone shows.
  { name: 'status-page-phone', colorScheme: 'dark', width: 390, height: 844, deviceScaleFactor: 2 },
];

// Waiting is real.
const clock = Object.assign(new FakeClock(NOW), { sleep: systemClock.sleep.bind(systemClock) });
const simulator = createSimulator({ portal: false, devicesPerStation: 2, seed: 1 }, clock);
const serviceUrl = await simulator.start();
const [stationId = ''] = simulator.stationIds;
const [, second = ''] = simulator.deviceIds(stationId);
simulator.setAlarms(second, [{ key: 'fanSpeedLow', level: 2 }]);
const { account, password, appId, appSecret } = simulator.options;
const { config } = await parseConfig({
  flags: { 'base-url': serviceUrl, 'web.listen-address': '127.0.0.1:0' },
  env: {
    SOLAR_ACCOUNT: account,
    SOLAR_PASSWORD: password,
    SOLAR_APP_ID: appId,
    SOLAR_APP_SECRET: appSecret,
  },
  readFile: () => '',
});
let nonces = 0;
const exporter = await startExporter(config, {
  // The same nonces are used in every run, and none twice.
  runtime: {
    clock,
    random: () => 0.5,
    newNonce: () => (nonces += 1).toString(16).padStart(32, '0'),
  },
  build: { version: '1.0.0', revision: 'picture', nodeVersion: '20.0.0' },
  log: new SilentLog(),
  readFile: () => '',
});
// A page waits less long for the first reading than a scrape.
await fetch(`${exporter.url}/metrics`);
mkdirSync(FOLDER, { recursive: true });
for (const picture of PICTURES) await take(picture, exporter.url);
await exporter.stop();
await simulator.stop();

async function take({ name, width, height: wanted, ...look }: Picture, url: string): Promise<void> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--font-render-hinting=none'],
  });
  // Without motion, so that every run catches the arrows in the same place.
  const context = await browser.newContext({
    ...look,
    viewport: { width, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(url);
  const { y = 0, height: ofStation = 0 } =
    (await page.locator('article').first().boundingBox()) ?? {};
  const height = wanted ?? Math.ceil(y + ofStation) + MARGIN;
  const clip = { x: 0, y: 0, width, height };
  await page.screenshot({ path: `${FOLDER}${name}.png`, fullPage: true, clip });
  await browser.close();
}
