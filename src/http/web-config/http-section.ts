import type { Section, SectionKeys } from './section.ts';
import { shown } from './shown.ts';

export const HTTP_KEYS = { accepted: ['http2', 'headers'] } as const satisfies SectionKeys;

/** The headers that may be set, and the values of those that take few. */
const HEADERS = {
  'Content-Security-Policy': undefined,
  'X-Frame-Options': ['deny', 'sameorigin'],
  'X-Content-Type-Options': ['nosniff'],
  'X-XSS-Protection': undefined,
  'Strict-Transport-Security': undefined,
} as const satisfies Readonly<Record<string, readonly string[] | undefined>>;

/** Reads `http_server_config`: the headers, by their names in lower case. */
export function readHttpSection(section: Section): Readonly<Record<string, string>> {
  if (section.boolean('http2') === true)
    section.refuse('http2', 'is not supported; accepted: false, for this server speaks HTTP/1.1');
  const headers = section.section('headers', { accepted: Object.keys(HEADERS) });
  return Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, accepted]) => {
      const value = readHeader(headers, name, accepted);
      return value === undefined ? [] : [[name.toLowerCase(), value]];
    }),
  );
}

function readHeader(
  headers: Section,
  name: string,
  accepted: readonly string[] | undefined,
): string | undefined {
  const value = headers.text(name);
  if (value === undefined) return undefined;
  if (accepted !== undefined && !accepted.includes(value))
    headers.refuse(
      name,
      `${shown(value)} is not among its values; accepted: ${accepted.join(', ')}`,
    );
  // Anything else would end the header, or could not be sent.
  else if (!/^[\t\x20-\x7e]*$/.test(value))
    headers.refuse(name, 'its value cannot be a header; accepted: one line of ASCII');
  return value;
}
