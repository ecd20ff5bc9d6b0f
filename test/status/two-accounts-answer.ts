import type { SessionStatus } from '../../src/client/session/session-status.ts';
import { DayCurves } from '../../src/collectors/day-curves/day-curves.ts';
import { AllCollections } from '../../src/exporter/all-collections.ts';
import { RefreshTracker } from '../../src/metrics/refresh-tracker.ts';
import { SelfMetrics } from '../../src/metrics/self.ts';
import { StatusReader } from '../../src/status/status-reader.ts';
import { createCollection, HOUR_MS, MINUTE_MS } from '../collectors/collection-harness.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { SilentLog } from '../support/silent-log.ts';

/** Two accounts that know a station by one id, of which the service refuses the second. */
export async function readTwoAccounts() {
  const clock = new FakeClock();
  const nowMs = clock.nowMs();
  const harnesses = ['roof', 'annex'].map((account) => ({
    account,
    ...createCollection({ clock, labels: { account }, account: { 1001: ['71'] } }),
  }));
  const parts = harnesses.map(({ account, collection, log }) => ({
    account,
    collection,
    dayCurves: new DayCurves(),
    refreshes: new RefreshTracker({ clock, log }),
  }));
  const all = new AllCollections(parts, clock);
  const self = new SelfMetrics();
  const accepted: SessionStatus = {
    mode: 'account',
    accessExpiresAtMs: nowMs + 2 * HOUR_MS,
    isReauthenticationRequired: false,
    blockedUntilMs: undefined,
  };
  const refused: SessionStatus = {
    mode: 'account',
    accessExpiresAtMs: undefined,
    isReauthenticationRequired: true,
    blockedUntilMs: nowMs + HOUR_MS + MINUTE_MS,
  };
  const reader = new StatusReader({
    collection: all,
    self,
    accounts: parts.map(({ account }) => ({
      account,
      counts: self.countsOf(account),
      sessionStatus: () => (account === 'roof' ? accepted : refused),
      isSimulated: () => false,
    })),
    areCredentialsIgnored: false,
    version: '1.2.3',
    telemetryPath: '/metrics',
    refreshes: new RefreshTracker({ clock, log: new SilentLog() }),
    clock,
  });
  self.countsOf('roof').requestEnded('login', 'ok', 0.2);
  self.countsOf('annex').requestEnded('login', 'SERVICE_AUTH_REJECTED', 0.2);
  const annex = harnesses[1]?.api;
  await all.refresh();
  clock.advance(HOUR_MS);
  annex?.fail('stations', 'SERVICE_AUTH_REJECTED');
  annex?.fail('readings 71', 'SERVICE_AUTH_REJECTED');
  await all.refresh();
  return reader.read(3000);
}
