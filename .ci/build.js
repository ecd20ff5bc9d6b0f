// Builds after an install, and before the demo where nothing is built yet: node .ci/build.js [--if-missing]
// Where npm has left out the compiler, it says in one line what is missing and what to type.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';

const isBuilt = existsSync('dist/cli.js');
if (!isBuilt || process.argv[2] !== '--if-missing') {
  if (existsSync('node_modules/typescript')) {
    process.exitCode = spawnSync('npm run build', { shell: true, stdio: 'inherit' }).status ?? 1;
  } else {
    console.error(
      `solar-exporter is ${isBuilt ? 'not built anew' : 'not built'}: TypeScript is missing, which NODE_ENV=production or --omit=dev leaves out; type: npm ci --include=dev`,
    );
    process.exitCode = 1;
  }
}
