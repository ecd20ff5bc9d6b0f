/**
 * Reads ISO 8601, UTC where it has no offset (interface 2.2), as epoch milliseconds; absent when it
 * is no such thing.
 */
export function parseTimestamp(text: string): number | undefined {
  const hasOffset = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  const instantMs = Date.parse(hasOffset ? text : `${text.replace(' ', 'T')}Z`);
  return Number.isNaN(instantMs) ? undefined : instantMs;
}
