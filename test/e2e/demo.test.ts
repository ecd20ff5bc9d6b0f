import { expect, test } from 'vitest';
import { CATALOGUE } from '../../src/metrics/definitions.ts';
import { eventually } from '../support/eventually.ts';
import { scrapePage } from '../support/running-exporter.ts';
import { startProgram } from '../support/running-process.ts';

/** Starts the demo on free ports; resolves to the address of its metrics. */
async function startDemo(): Promise<{ stdout: string; metricsUrl: string }> {
  const demo = startProgram([
    'demo',
    '--web.listen-address=127.0.0.1:0',
    '--simulator.listen-address=127.0.0.1:0',
  ]);
  const metricsUrl = await demo.printed('stdout', /metrics +(http\S+)/);
  await demo.printed('stdout', /Stop with/);
  return { stdout: demo.stdout, metricsUrl };
}

/**
 * What the interface's own family does not measure, or lack; families.test.ts shows the families that do.
 * And nobody is refused here.
 */
const ELSEWHERE =
  /^solar_(?:battery_(?:soh|temperature)|grid_(?:voltage|frequency)|ac_output_(?:voltage|frequency)|pv_string|device_(?:temperature|working_mode|alarm)|month_(?:grid_feed_in|battery)|device_quantity_missing|login_blocked_until)(?:_|$)/;

test('the demo serves every metric of the interface', async () => {
  const { metricsUrl } = await startDemo();
  await eventually(async () => {
    const { text } = await scrapePage(metricsUrl);
    const shown = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    const expected = CATALOGUE.filter(({ name }) => !ELSEWHERE.test(name));
    expect(shown).toEqual(expected.map(({ name, type }) => ({ name, type })));
  });
});

test('the demo prints where its metrics, its page and its service are', async () => {
  const { stdout, metricsUrl } = await startDemo();
  expect(metricsUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const pageUrl = /page +(\S+)/.exec(stdout)?.[1] ?? '';
  expect(await (await fetch(pageUrl)).text()).toContain('<h1>solar-exporter</h1>');
  const serviceUrl = /service +(\S+)/.exec(stdout)?.[1] ?? '';
  expect((await fetch(serviceUrl)).status).toBe(404);
});

test("the demo's page changes while one looks", async () => {
  const { metricsUrl } = await startDemo();
  const measuredAt = async (): Promise<number> =>
    (await scrapePage(metricsUrl)).value('solar_reading_timestamp_seconds') ?? 0;
  const first = await eventually(async () => {
    const newest = await measuredAt();
    expect(newest).toBeGreaterThan(0);
    return newest;
  });
  await eventually(async () => expect(await measuredAt()).toBeGreaterThan(first));
});
