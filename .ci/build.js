// Builds dist/ from src/, only what has changed: node .ci/build.js [--if-missing]
// Where npm has left out the compiler, it says in one line what is missing and what to type.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import process from 'node:process';

const isBuilt = existsSync('dist/cli.js');
if (!isBuilt || process.argv[2] !== '--if-missing') {
  if (existsSync('node_modules/typescript')) build();
  else {
    console.error(
      `solar-exporter is ${isBuilt ? 'not built anew' : 'not built'}: TypeScript is missing, which NODE_ENV=production or --omit=dev leaves out; type: npm ci --include=dev`,
    );
    process.exitCode = 1;
  }
}

function build() {
  // What was made of a file that is gone must not be published.
  for (const path of isBuilt ? readdirSync('dist', { recursive: true }) : []) {
    const source = `src/${path.replace(/\.js$/, '')}`;
    if (path.endsWith('.js') && !existsSync(`${source}.ts`) && !existsSync(`${source}.js`))
      rmSync(`dist/${path}`);
  }
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'];
  process.exitCode = spawnSync(process.execPath, compiler, { stdio: 'inherit' }).status ?? 1;
  if (process.exitCode === 0) chmodSync('dist/cli.js', 0o755);
}
