import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readText, repositoryPath } from './repository.ts';

/** What `npm pack` says of a package that it has packed, or would pack; sizes in bytes. */
interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

/**
 * Packs the exporter as it was built, and further folders of the repository, as npm would for a registry.
 *
 * @param into - the folder for the packed files; undefined to write none.
 */
export function packed(folders: readonly string[] = ['.'], into?: string): readonly Packed[] {
  const destination = into === undefined ? ['--dry-run'] : ['--pack-destination', into];
  const flags = ['--ignore-scripts', '--json', '--offline', ...destination];
  const text = execFileSync('npm', ['pack', ...flags, ...folders], {
    cwd: repositoryPath(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Object.values(JSON.parse(text) as Readonly<Record<string, Packed>>);
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
  const { packages } = JSON.parse(readText('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  // The exporter itself has an empty path.
  const paths = Object.keys(packages).filter((path) => packages[path]?.dev !== true);
  const folders = paths.map((path) => `./${path}`);
  const found = packed(folders, folder).map(({ filename }, index) => {
    const text = readText(`${folders[index] ?? ''}/package.json`);
    const manifest = JSON.parse(text) as { readonly name: string; readonly version: string };
    return { filename, manifest };
  });
  const server = createServer(({ url: path = '' }, response) => {
    const name = decodeURIComponent(path.slice(1));
    const file = found.find(({ filename }) => name === `-/${filename}`);
    const versions = found.filter(({ manifest }) => manifest.name === name);
    const latest = versions.at(-1)?.manifest.version;
    if (file !== undefined) response.end(readFileSync(join(folder, file.filename)));
    else if (latest === undefined) response.writeHead(404).end();
    else {
      const entries = versions.map(({ filename, manifest }) => [
        manifest.version,
        { ...manifest, dist: { tarball: `${url}/-/${filename}` } },
      ]);
      const document = { name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) };
      response.end(JSON.stringify(document));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return url;
}
