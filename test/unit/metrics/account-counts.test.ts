import { describe, expect, test } from 'vitest';
import { AccountCounts } from '../../../src/metrics/account-counts.ts';
import { samplesOf } from '../../support/exposition.ts';

describe('the counts of the client', () => {
  test('are requests by operation and outcome, with their durations, and renewals', async () => {
    const counts = new AccountCounts();
    counts.requestEnded('readings', 'ok', 0.2);
    counts.requestEnded('readings', 'ok', 0.3);
    counts.requestEnded('readings', 'SERVICE_TIMEOUT', 30.5);
    counts.requestEnded('summary', 'UNEXPECTED', 0.04);
    counts.renewalEnded('login', 'SERVICE_API_REFUSED');

    const samples = samplesOf(await counts.render());
    const valueOf = (name: string, labels: Record<string, string>) =>
      samples.find((sample) => {
        const found = JSON.stringify(Object.entries(sample.labels).toSorted());
        return sample.name === name && found === JSON.stringify(Object.entries(labels).toSorted());
      })?.value;

    const requests = 'solar_api_requests_total';
    expect(valueOf(requests, { operation: 'readings', outcome: 'ok' })).toBe(2);
    expect(valueOf(requests, { operation: 'readings', outcome: 'SERVICE_TIMEOUT' })).toBe(1);
    expect(valueOf(requests, { operation: 'summary', outcome: 'UNEXPECTED' })).toBe(1);
    const renewals = 'solar_token_renewals_total';
    expect(valueOf(renewals, { method: 'login', outcome: 'SERVICE_API_REFUSED' })).toBe(1);

    const duration = 'solar_api_request_duration_seconds';
    expect(valueOf(`${duration}_count`, { operation: 'readings' })).toBe(3);
    expect(valueOf(`${duration}_sum`, { operation: 'readings' })).toBeCloseTo(31);
    expect(valueOf(`${duration}_bucket`, { operation: 'readings', le: '0.25' })).toBe(1);
    expect(valueOf(`${duration}_bucket`, { operation: 'readings', le: '30' })).toBe(2);
    expect(valueOf(`${duration}_bucket`, { operation: 'readings', le: '+Inf' })).toBe(3);
    expect(valueOf(`${duration}_bucket`, { operation: 'summary', le: '0.05' })).toBe(1);
  });

  test('are kept apart from those of another exporter in the same process', async () => {
    const one = new AccountCounts();
    const other = new AccountCounts();
    one.requestEnded('devices', 'ok', 1);
    expect(samplesOf(await other.render())).toEqual([]);
  });

  test('grow their version with every count', () => {
    const counts = new AccountCounts();
    expect(counts.version).toBe(0);
    counts.requestEnded('devices', 'ok', 1);
    counts.renewalEnded('refresh', 'ok');
    expect(counts.version).toBe(2);
  });
});
