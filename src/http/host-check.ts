import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { LimitLog } from './limits.ts';
import { type Reply, textReply } from './reply.ts';

/**
 * Creates a function that returns the answer to a browser that is refused, because it knows this server by a public
 * name. The owner of such a name can let it point here, and every page under it could then read what this server
 * answers (DNS rebinding).
 *
 * @param allowedHosts - the values of `--web.allowed-hosts`; called for every request, because a reload replaces them
 */
export function createHostCheck(
  allowedHosts: () => readonly string[],
  limitReached: LimitLog,
): (headers: IncomingHttpHeaders) => Reply | undefined {
  return (headers) => {
    if (!isFromBrowser(headers)) return undefined;
    const name = hostName(headers.host);
    if (name !== undefined && (isLocal(name) || isAllowed(name, allowedHosts()))) return undefined;
    limitReached('browser refused: its address bar has a name that --web.allowed-hosts lacks');
    const remedy =
      name === undefined
        ? 'The request names no host, and browsers have to.'
        : `Browsers may not use this name here; --web.allowed-hosts=${name} allows it.`;
    return textReply(421, remedy, { 'x-content-type-options': 'nosniff' });
  };
}

/** Headers that nothing but a browser sends. */
const OF_BROWSERS = [
  ...['origin', 'accept-language', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest'],
];

/**
 * Browsers leave `Sec-Fetch-…` and `Origin` out of plain HTTP, and one that is told no language says none; but all
 * call themselves Mozilla, whatever a page asks.
 */
function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  const isNamed = /^Mozilla\//i.test(headers['user-agent'] ?? '');
  return isNamed || OF_BROWSERS.some((name) => name in headers);
}

/** RFC 1035, 2.3.4. */
const LONGEST_NAME = 253;

/**
 * Returns the name or address in a `Host` header: in lower case, without port and final dot, and an IPv6
 * address without brackets; absent when there is none.
 */
export function hostName(header = ''): string | undefined {
  const [, ipv6, name = ''] =
    /^(?:\[([\da-f:.]+)\]|([\w-]+(?:\.[\w-]+)*)\.?)(?::\d*)?$/i.exec(header) ?? [];
  if (ipv6 !== undefined) return isIPv6(ipv6) ? ipv6.toLowerCase() : undefined;
  return name === '' || name.length > LONGEST_NAME ? undefined : name.toLowerCase();
}

/** The ends of names that no public name server answers; `.svc` is that of a service inside a cluster. */
const LOCAL_ENDS = ['.localhost', '.local', '.lan', '.home.arpa', '.internal', '.svc'];

/** Whether nobody on the internet can own the name: an address, a single word, or a name of a local network. */
function isLocal(name: string): boolean {
  if (!name.includes('.') || isIPv4(name) || isIPv6(name)) return true;
  return LOCAL_ENDS.some((end) => name.endsWith(end));
}

function isAllowed(name: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((host) => (host.startsWith('.') ? name.endsWith(host) : name === host));
}
