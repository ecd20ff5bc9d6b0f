import { ENDPOINT_PATHS, type EndpointName } from '../../src/base/service-names.ts';

/** Where the portal has its endpoints; docs/service.md has each, and the simulator its own copy. */
export const SERVICE_PATHS = Object.fromEntries(
  Object.entries(ENDPOINT_PATHS).map(([name, [path]]) => [name, path]),
) as Readonly<Record<EndpointName, string>>;
