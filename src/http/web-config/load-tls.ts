import { readFailure } from '../../shown.ts';
import { readCertificates, readPrivateKey } from './pem.ts';
import { Secret } from '../../secret.ts';
import { contextFault } from './secure-context.ts';
import type { Section } from './section.ts';
import { shown } from './shown.ts';
import type { PemSource, TlsSection } from './tls-section.ts';
import type { TlsSettings } from './web-config.ts';

/** Reads the files that a section names; undefined when one of them, or all together, are no good. */
export function loadTls(
  { cert, key, clientCa, rules }: TlsSection,
  section: Section,
  readFile: (path: string) => string,
): TlsSettings | undefined {
  const pemOf = (source: PemSource | undefined): string | undefined =>
    source === undefined ? undefined : readPem(source, section, readFile);
  const certPem = pemOf(cert);
  const keyPem = pemOf(key);
  const clientCaPem = pemOf(clientCa);

  const certificates = certPem === undefined ? undefined : readCertificates(certPem);
  const privateKey = keyPem === undefined ? undefined : readPrivateKey(keyPem);
  const authorities = clientCaPem === undefined ? undefined : readCertificates(clientCaPem);
  for (const [source, read] of [
    [cert, certificates],
    [key, privateKey],
    [clientCa, authorities],
  ] as const)
    if (source !== undefined && read !== undefined && 'fault' in read)
      section.refuse(
        source.key,
        `${'path' in source ? `${shown(source.path)} ` : ''}${read.fault}`,
      );

  if (certificates === undefined || privateKey === undefined) return undefined;
  if ('fault' in certificates || 'fault' in privateKey) return undefined;
  if (authorities !== undefined && 'fault' in authorities) return undefined;
  if (clientCa !== undefined && clientCaPem === undefined) return undefined;
  if (!certificates.held[0].checkPrivateKey(privateKey.held)) {
    section.refuse(
      key.key,
      `is not the key of the certificate in ${cert.key}; accepted: the two that were made together`,
    );
    return undefined;
  }
  const settings: TlsSettings = {
    ...rules,
    cert: certPem ?? '',
    key: new Secret(keyPem ?? ''),
    clientCa: clientCaPem,
  };
  const fault = contextFault(settings);
  if (fault === undefined) return settings;
  section.refuse(cert.key, `cannot be used (${fault}); accepted: what OpenSSL takes for a server`);
  return undefined;
}

function readPem(
  source: PemSource,
  section: Section,
  readFile: (path: string) => string,
): string | undefined {
  if ('text' in source) return source.text;
  try {
    return readFile(source.path);
  } catch (error) {
    section.refuse(
      source.key,
      `${shown(source.path)} cannot be read (${readFailure(error)}); accepted: a readable PEM file`,
    );
    return undefined;
  }
}
