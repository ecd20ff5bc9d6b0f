import { expect, test, vi } from 'vitest';
import { AccountCounts } from '../../../src/metrics/self.ts';
import { ScrapedPage } from '../../support/page.ts';

test('the client is counted by operation and outcome, with durations; and each count is told', async () => {
  const changed = vi.fn();
  const counts = new AccountCounts(changed);
  counts.requestEnded('readings', 'ok', 0.2);
  counts.requestEnded('readings', 'ok', 0.3);
  counts.requestEnded('readings', 'SERVICE_TIMEOUT', 30.5);
  counts.requestEnded('summary', 'UNEXPECTED', 0.04);
  counts.renewalEnded('login', 'SERVICE_API_REFUSED');
  expect(changed).toHaveBeenCalledTimes(5);

  const duration = 'solar_api_request_duration_seconds';
  const expected = {
    'solar_api_requests_total{operation="readings",outcome="ok"}': 2,
    'solar_api_requests_total{operation="readings",outcome="SERVICE_TIMEOUT"}': 1,
    'solar_api_requests_total{operation="summary",outcome="UNEXPECTED"}': 1,
    'solar_token_renewals_total{method="login",outcome="SERVICE_API_REFUSED"}': 1,
    [`${duration}_count{operation="readings"}`]: 3,
    [`${duration}_sum{operation="readings"}`]: 31,
    [`${duration}_bucket{operation="readings",le="1"}`]: 2,
    [`${duration}_bucket{operation="readings",le="+Inf"}`]: 3,
  };
  expect(new ScrapedPage(200, await counts.registry.metrics()).like(expected)).toEqual(expected);
});
