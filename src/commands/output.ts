import type { ServiceErrorCode } from '../base/errors.ts';

/** Renders a table for people: columns as wide as their widest cell, two spaces apart. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => printable(line[column]).length)),
  );
  return lines
    .map((line) =>
      widths
        .map((width, column) => printable(line[column]).padEnd(width))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Replaces control characters: names come from the service and must not move the cursor. */
function printable(cell = ''): string {
  return cell.replace(/[^\P{C}]/gu, '?');
}

/** What to do about each kind of failure; docs/operations.md says more. */
const REMEDIES: Readonly<Record<ServiceErrorCode, string>> = {
  SERVICE_UNREACHABLE:
    'check --base-url and --auth-url, the network, the proxy and the name server',
  SERVICE_TIMEOUT: 'the service is slow or silent: try again, or raise --request.timeout',
  SERVICE_SERVER_ERROR: 'the service has a fault of its own: try again later',
  SERVICE_REQUEST_REJECTED: 'the address is wrong for this service: check --base-url and --path.*',
  SERVICE_AUTH_REJECTED:
    'check SOLAR_ACCOUNT and SOLAR_PASSWORD, or give a new SOLAR_ACCESS_TOKEN; do not try often',
  SERVICE_RATE_LIMITED:
    'too many requests: wait, and scrape less often or raise the --cache.* TTLs',
  SERVICE_API_REFUSED:
    'the service refused an id or a value: the code above says why; a serial number is not an id',
  SERVICE_PAYLOAD_INVALID:
    'the answer is not what this service sends: check --base-url; a proxy may answer instead',
};

/** Returns the first thing to try after a call failed with `code`. */
export function remedyFor(code: ServiceErrorCode | 'UNEXPECTED'): string {
  return code === 'UNEXPECTED'
    ? 'this is a fault of solar-exporter: please report it'
    : REMEDIES[code];
}
