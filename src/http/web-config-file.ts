import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { toJsonLine } from '../base/shown.ts';
import { loadYamlReader } from '../base/yaml-content.ts';
import { parseWebConfig, type ReadFile, type TlsSettings, type WebConfig } from './web-config.ts';

export interface WebConfigContext {
  /** Throws when the file cannot be read. */
  readonly readFile: ReadFile;
  readonly log: Logger;
  /** Called when files of certificates begin or cease to be unusable. */
  readonly ended?: (isSuccess: boolean) => void;
}

/** A web configuration that is kept up to date: the file by a reload, the certificates that it names also in between. */
export interface WebConfigFile {
  readonly current: WebConfig;
  /**
   * Reads the file and those that it names; the configuration in use stays until the returned function is called.
   *
   * @throws ConfigError with everything that is wrong with them.
   */
  reread(): () => void;
  /** Takes certificates whose files have changed; logs why not where they are unusable. */
  renewCertificates(): void;
}

/**
 * Reads a web configuration that is to be kept up to date.
 *
 * @throws ConfigError with everything that is wrong with it.
 */
export async function openWebConfigFile(
  path: string,
  { readFile, log, ended }: WebConfigContext,
): Promise<WebConfigFile> {
  const readYaml = await loadYamlReader();
  let current = parseWebConfig(path, readFile, readYaml);
  /** What was wrong with the certificates at the last look; empty: nothing. */
  let problems = '';

  return {
    get current() {
      return current;
    },
    reread() {
      const next = parseWebConfig(path, readFile, readYaml);
      const [from, to] = [kindOf(current), kindOf(next)];
      if (from !== to)
        throw new ConfigError([
          `--web.config.file: ${toJsonLine(path)}: switches from ${from} to ${to}; accepted: a restart for that`,
        ]);
      return () => {
        current = next;
        problems = '';
        log.info({ path, access: current.access }, 'web configuration taken');
      };
    },
    renewCertificates() {
      const before = problems;
      try {
        const tls = current.readTls();
        problems = '';
        if (!isDeepStrictEqual(contentOf(tls), contentOf(current.tls))) {
          current = { ...current, tls };
          log.info({ path }, 'certificates renewed');
        }
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        problems = error.problems.join('\n');
        if (problems !== before)
          log.warn({ problems: error.problems }, 'certificates not renewed, those before go on');
      }
      if ((problems === '') !== (before === '')) ended?.(problems === '');
    },
  };
}

function contentOf(tls: TlsSettings | undefined): readonly unknown[] {
  return [tls?.context, tls?.key.reveal()];
}

/** Names what Node.js cannot change of a server that listens. */
function kindOf({ tls }: WebConfig): string {
  if (tls === undefined) return 'http';
  return tls.clientAuth === 'NoClientCert' ? 'https' : 'https with client certificates';
}
