import type { IncomingHttpHeaders } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';
import type { Logger } from '../base/log.ts';
import { type Reply, textReply } from './reply.ts';

export interface HostCheckOptions {
  /** The values of `--web.allowed-hosts`; called for every request, because a reload replaces them. */
  readonly allowedHosts: () => readonly string[];
  readonly log: Logger;
}

/**
 * Refuses browsers that know this server by a public name. The owner of such a name can let it point here,
 * and every page under it could then read what this server answers (DNS rebinding).
 */
export class HostCheck {
  readonly #options: HostCheckOptions;
  #isLogged = false;

  constructor(options: HostCheckOptions) {
    this.#options = options;
  }

  /** Returns the answer to a request that is refused. */
  refusal(headers: IncomingHttpHeaders): Reply | undefined {
    const { allowedHosts, log } = this.#options;
    if (!isFromBrowser(headers)) return undefined;
    const name = hostName(headers.host);
    if (name !== undefined && (isLocal(name) || isAllowed(name, allowedHosts()))) return undefined;
    if (!this.#isLogged)
      log.warn({}, 'browser refused: its address bar has a name that --web.allowed-hosts lacks');
    this.#isLogged = true;
    return misdirected(name);
  }
}

/** Browsers leave `Sec-Fetch-…` and `Origin` out of plain HTTP, but always say a language, whatever a page asks. */
function isFromBrowser(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined || headers['accept-language'] !== undefined) return true;
  for (const name in headers) if (name.startsWith('sec-fetch-')) return true;
  return false;
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

function misdirected(name: string | undefined): Reply {
  const remedy =
    name === undefined
      ? 'The request names no host, and browsers have to.'
      : `Browsers may not use this name here; --web.allowed-hosts=${name} allows it.`;
  return textReply(421, remedy, { 'x-content-type-options': 'nosniff' });
}
