import { expect, test } from 'vitest';
import { scrapePage } from '../doors/house.ts';
import { startServe, startSimulate } from '../support/running-process.ts';

/** What does not depend on when the test runs, or how fast. */
const STEADY = new Set([
  'solar_up',
  'solar_collector_success',
  'solar_station_info',
  'solar_station_devices',
  'solar_device_info',
  'solar_device_online',
  'solar_device_reporting',
  'solar_device_setting_value',
  'solar_device_setting_info',
  'solar_device_setting_enabled',
  'solar_reauthentication_required',
  'solar_exporter_build_info',
  'solar_api_requests_total',
  'solar_api_request_duration_seconds_count',
  'solar_token_renewals_total',
]);

test('the whole page of an exporter with one station is the golden one', async () => {
  const { env } = await startSimulate(['--simulator.seed=7']);
  // One request at a time, so that the counts appear in the same order every time.
  const { url } = await startServe(['--collect.settings', '--request.concurrency=1'], env);
  const { status, text } = await scrapePage(url);
  expect(status).toBe(200);
  await expect(steadied(text)).toMatchFileSnapshot('../fixtures/metrics/one-station.prom');
});

/** Keeps everything but the values and the versions that are different every time. */
function steadied(page: string): string {
  return (
    page
      .split('\n')
      // The count of PV energy begins when the sun is seen for the first time.
      .filter((line) => !/^solar_device_energy_kwh_total\{.*flow="pv"/.test(line))
      .map((line) => {
        const [, name = '', labels = ''] = /^(\w+)(\{.*\})? \S+$/.exec(line) ?? [];
        return name === '' || STEADY.has(name) ? line : `${name}${labels} <varies>`;
      })
      .join('\n')
      .replace(/version="\d[^"]*"/g, 'version="<varies>"')
  );
}
