import type { ListenAddress } from './option.ts';
import { type Parsed, refuse } from './parsed.ts';

const URL_ACCEPTED =
  'an http or https URL without user, query and fragment, such as https://solar.example.com';

/** Reads a base URL and normalises it: no trailing slash; a path prefix stays. */
export function parseBaseUrl(text: string): Parsed<string> {
  // The URL class would silently repair missing slashes and drop line breaks.
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) {
    return refuse('is not an http or https URL', URL_ACCEPTED);
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    return refuse('has a user or password in it', URL_ACCEPTED);
  }
  if (/[?#]/.test(text)) return refuse('has a query or a fragment', URL_ACCEPTED);
  return { value: `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}` };
}

/** Reads the path of an endpoint, exactly as it will be requested (and signed). */
export function parseEndpointPath(text: string): Parsed<string> {
  const isPath = /^\/[\w\-.~!$&'()*+,;=:@%/]*$/.test(text) && !text.startsWith('//');
  // Escaped dots climb too: URLs read `%2e` as a dot.
  if (isPath && !/(?:\.|%2e){2}/i.test(text)) return { value: text };
  return refuse('is not a path', "a path from the root, without query and '..', such as /metrics");
}

/** Reads where to listen: `:9877`, `0.0.0.0:9877`, `[::1]:9877`, `localhost:9877`. */
export function parseListenAddress(text: string): Parsed<ListenAddress> {
  const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+))?:(\d{1,5})$/i.exec(text);
  const [, ipv6, name, port] = match ?? [];
  const host = ipv6 ?? name;
  const hostInUrl = ipv6 === undefined ? name : `[${ipv6}]`;
  const isHost = hostInUrl === undefined || URL.canParse(`http://${hostInUrl}`);
  if (port === undefined || Number(port) > 65_535 || !isHost) {
    return refuse(
      'is not an address to listen on',
      '[host]:port with a port from 0 to 65535, such as :9877, 127.0.0.1:9877 or [::1]:9877',
    );
  }
  return { value: Object.freeze({ host, port: Number(port) }) };
}

/** Reads an IANA time zone, kept as typed. */
export function parseTimeZone(text: string): Parsed<string> {
  // Intl takes offsets such as +08:00 as well, which know no daylight saving time.
  if (/^[a-z]/i.test(text) && isKnownToIntl(text)) return { value: text };
  return refuse('is not a time zone', 'an IANA name such as Europe/Kyiv');
}

function isKnownToIntl(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
