import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Packed, packed } from './packed.ts';

const ROOT = new URL('../../', import.meta.url);

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/**
 * Starts an npm registry on loopback that stops with the test. It has the exporter as it would be published, and the
 * packages of package-lock.json that it needs to run: whoever installs it from here needs no network, and gets none
 * of what only the development needs.
 *
 * @param folder - where the packed files are written.
 * @returns the address of the registry.
 */
export async function startRegistry(folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const folders = ['.', ...runtimePackages()];
  const versions = packed(
    folders.map((path) => `./${path}`),
    folder,
  ).map((found, index) => ({
    found,
    manifest: readJson(`${folders[index] ?? ''}/package.json`) as Manifest,
  }));
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;

  function answer({ url: path = '' }: IncomingMessage, response: ServerResponse): void {
    const name = decodeURIComponent(path.slice(1));
    const file = versions.find(({ found }) => name === `-/${found.filename}`)?.found.filename;
    const document = file === undefined ? documentOf(name, url, versions) : undefined;
    if (file !== undefined) response.end(readFileSync(join(folder, file)));
    else if (document !== undefined) response.end(JSON.stringify(document));
    else response.writeHead(404).end();
  }
}

/** What a registry says of a package, all its versions included; undefined when it has none. */
function documentOf(
  name: string,
  url: string,
  versions: readonly { readonly found: Packed; readonly manifest: Manifest }[],
): object | undefined {
  const own = versions.filter(({ manifest }) => manifest.name === name);
  const latest = own.at(-1)?.manifest.version;
  if (latest === undefined) return undefined;
  const entries = own.map(({ found, manifest }) => [
    manifest.version,
    { ...manifest, dist: { tarball: `${url}/-/${found.filename}` } },
  ]);
  return { name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) as object };
}

/** The folders of what is installed beside the exporter. */
function runtimePackages(): readonly string[] {
  const { packages } = readJson('package-lock.json') as Lockfile;
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path]) => path);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));
}
