/** Whether an `Accept-Encoding` header allows gzip (RFC 9110, 12.5.3); no header means no. */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === 'gzip') return true; // what Prometheus says
  let anyCoding = false;
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const isAllowed = !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isAllowed;
    if (coding === '*') anyCoding = isAllowed;
  }
  return anyCoding;
}
