/** Who sent a request. */
export interface Client {
  /** The address at the other end of the connection; behind a reverse proxy, that of the proxy. */
  readonly address: string | undefined;
  /** The same object for every request of one connection. */
  readonly connection: object;
}

const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Returns what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address, because every
 * computer has that many of its own. An IPv4 address that is mapped into IPv6 counts as what it is.
 */
export function networkOf(address: string | undefined): string {
  const [text = ''] = (address ?? 'unknown').split('%');
  const mapped = /^::ffff:([\d.]+)$/i.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  if (!text.includes(':')) return text;
  const [head = '', tail] = text.split('::');
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: GROUPS - first.length - last.length }, () => '0');
  const network = [...first, ...zeros, ...last].slice(0, NETWORK_GROUPS);
  return `${network.join(':')}::/64`;
}

function groupsOf(part: string): readonly string[] {
  return part === '' ? [] : part.split(':').map((group) => parseInt(group, 16).toString(16));
}
