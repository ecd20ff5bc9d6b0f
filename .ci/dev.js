// Runs the demo, or the command that is given, and starts it again when src/ changes: node .ci/dev.js [command …]
// A debugger finds it on port 9229, with breakpoints in src/.
import { spawn } from 'node:child_process';
import process from 'node:process';

const words = process.argv.length > 2 ? process.argv.slice(2) : ['demo'];
const start = (flags, stdio) => spawn(process.execPath, flags, { stdio });

const compiler = start(
  [
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.build.json',
    '--watch',
    '--preserveWatchOutput',
    '--sourceMap',
  ],
  ['ignore', 'pipe', 'inherit'],
);
let program;
compiler.stdout.setEncoding('utf8').on('data', (text) => {
  process.stdout.write(text);
  if (text.includes('Watching for file changes'))
    program ??= start(
      ['--watch', '--inspect', '--enable-source-maps', 'dist/cli.js', ...words],
      'inherit',
    );
});
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    compiler.kill();
    program?.kill();
  });
