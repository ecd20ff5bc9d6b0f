/** The path of a request target, without its query; a target may also be a whole URL (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  const queryAt = target.indexOf('?');
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  if (path.startsWith('/')) return path;
  const [, pathOfUrl] = /^https?:\/\/[^/]*(.*)$/is.exec(path) ?? [];
  return pathOfUrl === '' ? '/' : (pathOfUrl ?? path);
}
