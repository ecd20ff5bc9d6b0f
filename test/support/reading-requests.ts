import type { Endpoint } from '../../src/simulator/simulator.ts';
import type { Simulator } from './faulty-simulator.ts';

/** The endpoints that a device may be read from, whatever its family. */
const ENDPOINTS: readonly Endpoint[] = ['readings', 'latest-state', 'energy-flow', 'attributes'];

/** Returns how often devices were read so far. */
export function readingRequests(simulator: Pick<Simulator, 'requests'>): number {
  return ENDPOINTS.reduce((sum, endpoint) => sum + simulator.requests(endpoint), 0);
}
