// node bundle.js IMAGE ROOTFS [ARGUMENT...] writes the OCI bundle of an image, locked down as far as a
// runtime can; node bundle.js --healthy CONTAINER runs the image's own health check in it.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const CAPABILITY_SETS = ['bounding', 'effective', 'inheritable', 'permitted', 'ambient'];
const NAMESPACES = ['pid', 'ipc', 'uts', 'mount', 'network'];

const [first = '', second = '', ...rest] = process.argv.slice(2);
if (first === '--healthy') checkHealth(second);
else writeBundle(first, second, rest);

/** @param {string} container */
function checkHealth(container) {
  const [form, ...command] = JSON.parse(readFileSync('healthcheck.json', 'utf8')).Test;
  if (form !== 'CMD') throw new Error('the health check needs a shell');
  const { status } = spawnSync('runc', ['exec', container, ...command], { stdio: 'ignore' });
  process.exitCode = status ?? 1;
}

/**
 * @param {string} image
 * @param {string} rootfs
 * @param {readonly string[]} args
 */
function writeBundle(image, rootfs, args) {
  const inspected = execFileSync('buildah', ['inspect', '--type', 'image', image], {
    encoding: 'utf8',
  });
  const { User, Env, WorkingDir, Entrypoint, Cmd, Healthcheck } =
    JSON.parse(inspected).Docker.config;
  const [uid = 0, gid = 0] = User.split(':').map(Number);
  if (!(uid > 0)) throw new Error(`the image runs as "${User}"; accepted: a number that is not 0`);
  const config = {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      env: Env,
      cwd: WorkingDir,
      args: [...Entrypoint, ...(args.length > 0 ? args : Cmd)],
      capabilities: Object.fromEntries(CAPABILITY_SETS.map((set) => [set, []])),
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'mode=755', 'size=64k'],
      },
    ],
    linux: { namespaces: NAMESPACES.map((type) => ({ type })) },
  };
  writeFileSync('config.json', JSON.stringify(config));
  writeFileSync('healthcheck.json', JSON.stringify(Healthcheck));
}
