import { z } from 'zod';
import { kindOf, withKind } from './kind.ts';
import type { Option, OptionRow } from './option.ts';

const trimmed = z.string().trim();

const URL_ACCEPTED =
  'accepted: an http or https URL without user, query and fragment, such as https://solar.example.com';

/** A base URL, normalised: without a slash at its end; a path prefix stays. */
export const url = kindOf({
  kind: 'url',
  schema: trimmed
    // The URL class would silently repair missing slashes and drop line breaks.
    .refine((text) => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text), { abort: true })
    .refine((text) => new URL(text).username === '' && new URL(text).password === '', {
      error: `has a user or password in it; ${URL_ACCEPTED}`,
      abort: true,
    })
    .refine((text) => !/[?#]/.test(text), `has a query or a fragment; ${URL_ACCEPTED}`)
    .transform((text) => {
      const { origin, pathname } = new URL(text);
      return `${origin}${pathname.replace(/(?<!\/)\/+$/, '')}`;
    }),
  refusal: `is not an http or https URL; ${URL_ACCEPTED}`,
});

/** The path of an endpoint, exactly as it will be requested (and signed). */
export const endpointPath = kindOf({
  kind: 'endpointPath',
  schema: trimmed
    .regex(/^\/(?!\/)[\w\-.~!$&'()*+,;=:@%/]*$/)
    // Escaped dots climb too: URLs read `%2e` as a dot.
    .refine((text) => !/(?:\.|%2e){2}/i.test(text)),
  refusal:
    "is not a path; accepted: a path from the root, without query and '..', such as /metrics",
});

/** Where to listen; without a host, on every interface. IPv6 hosts carry no brackets. */
export interface ListenAddress {
  readonly host?: string | undefined;
  readonly port: number;
}

/** An address to listen on: `:9877`, `0.0.0.0:9877`, `[::1]:9877`, `localhost:9877`. */
export const address = kindOf({
  kind: 'address',
  schema: trimmed
    .transform(parseListenAddress)
    .pipe(z.custom<ListenAddress>((parsed) => parsed !== undefined)),
  refusal:
    'is not an address to listen on; accepted: [host]:port with a port from 0 to 65535, such as :9877, 127.0.0.1:9877 or [::1]:9877',
  show: ({ host = '', port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
});

function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([\w.-]+))?:(\d{1,5})$/i.exec(text);
  const [, ipv6, name, port] = match ?? [];
  const hostInUrl = ipv6 === undefined ? name : `[${ipv6}]`;
  const isHost = hostInUrl === undefined || URL.canParse(`http://${hostInUrl}`);
  if (port === undefined || Number(port) > 65_535 || !isHost) return undefined;
  return Object.freeze({ host: ipv6 ?? name, port: Number(port) });
}

const hostList = {
  kind: 'hosts' as const,
  schema: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .transform((names) => names.filter((name) => name !== '').map(parseHost))
    .pipe(z.array(z.custom<string>((host) => host !== undefined)).nonempty())
    .transform((hosts): readonly string[] => Object.freeze([...new Set(hosts)])),
  refusal:
    'is not a list of host names; accepted: comma separated names without scheme, port and path, such as solar.example.org, or .example.org for every name that ends so',
};

const NO_HOSTS: readonly string[] = Object.freeze([]);

/** Host names separated by commas, in the form that browsers send; empty without a value. */
export function hosts(row: OptionRow): Option<readonly string[]> {
  return { ...withKind(row, hostList), emptyValue: NO_HOSTS };
}

/** Brings a host name into lower case and, where it is international, into its `xn--` form. */
function parseHost(text: string): string | undefined {
  const [, dot = '', name = ''] = /^(\.?)([^\s%:/?#@[\]\\]+)$/.exec(text) ?? [];
  if (!URL.canParse(`http://${name}`)) return undefined;
  const host = new URL(`http://${name}`).hostname.replace(/\.$/, '');
  return /^[\w-]+(?:\.[\w-]+)*$/.test(host) ? `${dot}${host}` : undefined;
}

/** An IANA time zone, kept as typed. */
export const timeZone = kindOf({
  kind: 'timeZone',
  // Intl takes offsets such as +08:00 as well, which know no daylight saving time.
  schema: trimmed.regex(/^[a-z]/i).refine(isKnownToIntl),
  refusal: 'is not a time zone; accepted: an IANA name such as Europe/Kyiv',
});

function isKnownToIntl(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
