import { systemClock } from '../../src/base/clock.ts';
import {
  createSimulator,
  FAMILIES,
  type Fault,
  type Simulator,
} from '../../src/simulator/simulator.ts';
import { DATA_ENDPOINTS, FAULTS } from './faults.ts';
import type { ServiceMessage } from './service-process.ts';

// The service in a process of its own: each round begins with a fault and goes on with a change.

const ROUND_MS = 20_000;
/** Much longer, and pauses after failures would be all there is. */
const FAULT_MS = 8000;
/** Renewed after half of it. */
const TOKEN_LIFETIME_MS = 30_000;
const MOST_STATIONS = 3;
const MOST_DEVICES = 5;

let accounts = 0;
let requestsBefore = 0;
let simulator = nextAccount(0);
const url = await simulator.start();
tell({ kind: 'listening', url, options: simulator.options });

const changes: readonly (readonly [name: string, change: () => void | Promise<void>])[] = [
  ['access tokens revoked', () => simulator.revokeTokens()],
  ['other devices', () => changeDevices()],
  ['another account', () => changeAccount()],
  ['other stations', () => simulator.setStations(1 + (accounts % MOST_STATIONS))],
  ['all tokens revoked', () => revokeEverything()],
];

process.once('disconnect', () => process.exit());
for (let round = 0; ; round += 1) {
  const fault = FAULTS[round % FAULTS.length];
  setFault(fault);
  tell({ kind: 'round', name: fault?.kind ?? 'calm' });
  await counting(FAULT_MS);
  setFault(undefined);
  const [name, change] = changes[round % changes.length] ?? ['calm', () => undefined];
  await change();
  tell({ kind: 'round', name });
  await counting(ROUND_MS - FAULT_MS);
}

function setFault(fault: Fault | undefined): void {
  for (const endpoint of DATA_ENDPOINTS) simulator.setFault(endpoint, fault);
}

/** Lets time pass, and tells the parent once a second how many requests there were. */
async function counting(durationMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += 1000) {
    await systemClock.sleep(1000);
    tell({ kind: 'requests', count: requestsBefore + simulator.requests() });
  }
}

function changeDevices(): void {
  for (const stationId of simulator.stationIds) {
    const { length } = simulator.deviceIds(stationId);
    simulator.setDeviceCount(stationId, (length % MOST_DEVICES) + 1);
  }
}

/** All stations, devices and tokens are gone at once, and others there; the family is the next one. */
async function changeAccount(): Promise<void> {
  requestsBefore += simulator.requests();
  await simulator.stop();
  accounts += 1;
  simulator = nextAccount(Number(new URL(url).port));
  await simulator.start();
}

function revokeEverything(): void {
  simulator.revokeTokens();
  simulator.revokeRefreshTokens();
}

function nextAccount(port: number): Simulator {
  const family = FAMILIES[accounts % FAMILIES.length] ?? 'classic';
  return createSimulator(
    {
      port,
      family,
      seed: accounts + 1,
      stations: 2,
      devicesPerStation: 3,
      tokenLifetimeMs: TOKEN_LIFETIME_MS,
    },
    systemClock,
  );
}

function tell(message: ServiceMessage): void {
  process.send?.(message);
}
