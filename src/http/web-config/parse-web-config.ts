import { dirname, isAbsolute, join } from 'node:path';
import { readFailure } from '../../shown.ts';
import type { YamlContent } from '../../yaml-content.ts';
import { HTTP_KEYS, readHttpSection } from './http-section.ts';
import { loadTls } from './load-tls.ts';
import { Section } from './section.ts';
import { shown } from './shown.ts';
import { readTlsSection, TLS_KEYS } from './tls-section.ts';
import { readUsers } from './users-section.ts';
import type { WebConfig } from './web-config.ts';

/** Reads the text of YAML. */
export type ReadYaml = (text: string) => YamlContent;

/** Reads the text of a file, or throws. */
export type ReadFile = (path: string) => string;

/** Is what a file says, or a sentence for everything that is wrong with it. */
export type ParsedWebConfig =
  { readonly config: WebConfig } | { readonly problems: readonly string[] };

const KEYS = {
  accepted: ['tls_server_config', 'http_server_config', 'basic_auth_users', 'auth_excluded_paths'],
  unsupported: ['rate_limit'],
};

/** Reads a web configuration and every file that it names, by paths relative to its own folder. */
export function parseWebConfig(
  path: string,
  readFile: ReadFile,
  readYaml: ReadYaml,
): ParsedWebConfig {
  const file = `--web.config.file: ${JSON.stringify(path)}`;
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    return {
      problems: [`${file}: cannot be read (${readFailure(error)}); accepted: a readable YAML file`],
    };
  }
  const yaml = readYaml(text);
  if ('fault' in yaml) return { problems: [`${file}: ${yaml.fault}`] };
  const problems: string[] = [];
  const folder = dirname(path);
  const config = configOf(yaml.content, problems, (name) =>
    readFile(isAbsolute(name) ? name : join(folder, name)),
  );
  return problems.length === 0
    ? { config }
    : { problems: problems.map((problem) => `${file}: ${problem}`) };
}

function configOf(content: unknown, problems: string[], readFile: ReadFile): WebConfig {
  const top = new Section('', content, problems, KEYS);
  const tlsKeys = top.section('tls_server_config', TLS_KEYS);
  const tls = readTlsSection(tlsKeys);
  return {
    tls: tls === undefined ? undefined : loadTls(tls, tlsKeys, readFile),
    headers: readHttpSection(top.section('http_server_config', HTTP_KEYS)),
    users: readUsers(top.section('basic_auth_users')),
    openPaths: readOpenPaths(top),
  };
}

function readOpenPaths(top: Section): ReadonlySet<string> {
  const key = 'auth_excluded_paths';
  const paths = top.texts(key);
  for (const path of paths)
    if (!/^\/[^?#\s]*$/.test(path))
      top.refuse(key, `${shown(path)} is not a path; accepted: a path such as /-/healthy`);
  return new Set(paths);
}
